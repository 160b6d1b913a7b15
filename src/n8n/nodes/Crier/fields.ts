// The fields of each operation of the node.
import type { INodeProperties } from "n8n-workflow";
import { POST_TYPES } from "../../../domain/posts/platform-rule.ts";
import { POST_STATUSES } from "../../../domain/posts/post.ts";

const forOperation = (operation: string) => ({ show: { operation: [operation] } });
/** `partially_published` as `Partially Published`. */
const titled = (value: string) => ({
  name: value.replace(/(?:^|_)(\w)/g, (_, first: string) => ` ${first.toUpperCase()}`).trim(),
  value,
});

export const POST_FIELDS: INodeProperties[] = [
  {
    displayName: "Text",
    name: "text",
    type: "string",
    typeOptions: { rows: 4 },
    default: "",
    description: "Text to publish, exactly as written. Each network has its own limit.",
    displayOptions: forOperation("post"),
  },
  {
    displayName: "Channel Names or IDs",
    name: "channels",
    type: "multiOptions",
    typeOptions: { loadOptionsMethod: "getChannels" },
    default: [],
    description:
      'Channels to publish to. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    displayOptions: forOperation("post"),
  },
  {
    displayName: "When",
    name: "when",
    type: "options",
    default: "now",
    options: [
      { name: "As a Draft", value: "draft", description: "Save without publishing" },
      { name: "At a Time", value: "time" },
      { name: "In the Next Free Slot", value: "slot", description: "Next free weekly slot of the workspace" },
      { name: "Now", value: "now" },
    ],
    displayOptions: forOperation("post"),
  },
  {
    displayName: "Publish At",
    name: "publishAt",
    type: "dateTime",
    default: "",
    required: true,
    description: "A time without an offset is in the time zone of the Crier workspace",
    displayOptions: { show: { operation: ["post"], when: ["time"] } },
  },
  {
    displayName: "Media",
    name: "media",
    type: "fixedCollection",
    typeOptions: { multipleValues: true },
    placeholder: "Add File",
    default: {},
    description: "Files at public https addresses or in binary fields of the item, in publishing order",
    displayOptions: forOperation("post"),
    options: [
      {
        displayName: "File",
        name: "file",
        values: [
          {
            displayName: "URL",
            name: "url",
            type: "string",
            default: "",
            placeholder: "https://www.example.com/engine.jpg",
          },
          {
            displayName: "Input Binary Field",
            name: "binaryField",
            type: "string",
            default: "",
            placeholder: "data",
            hint: "Instead of a URL",
            description: "Name of the item's binary field with the file, which is uploaded to Crier",
          },
          {
            displayName: "Description",
            name: "alt",
            type: "string",
            default: "",
            description: "Alt text for people who cannot see the file",
          },
          {
            displayName: "Kind",
            name: "kind",
            type: "options",
            default: "auto",
            options: [
              { name: "From the File", value: "auto" },
              { name: "Image", value: "image" },
              { name: "Video", value: "video" },
            ],
          },
        ],
      },
    ],
  },
  {
    displayName: "Options",
    name: "options",
    type: "collection",
    placeholder: "Add option",
    default: {},
    displayOptions: forOperation("post"),
    options: [
      {
        displayName: "Dry Run",
        name: "dryRun",
        type: "boolean",
        default: false,
        description: "Whether to check the post without saving or publishing it",
      },
      {
        displayName: "Idempotency Key",
        name: "idempotencyKey",
        type: "string",
        default: "",
        description:
          "The same key never posts twice. By default, it is derived from the execution and the item, so that a retried execution publishes only the missing posts.",
      },
      {
        displayName: "Labels",
        name: "labels",
        type: "string",
        default: "",
        placeholder: "winter, sale",
        description: "Your own labels for finding posts, separated by commas",
      },
      {
        displayName: "Media Fit",
        name: "mediaFit",
        type: "options",
        default: "exact",
        options: [
          { name: "Adapt", value: "adapt", description: "Convert images for networks that would reject them" },
          { name: "Exact", value: "exact", description: "Send every file unchanged" },
        ],
        description: "Whether to convert images that a network would reject",
      },
      {
        displayName: "Overrides",
        name: "overrides",
        type: "json",
        default: "{}",
        description:
          "Values for single channels, keyed by channel ID: text, media IDs, publish_at (a time of its own), and options of the network",
      },
      {
        displayName: "Poll",
        name: "poll",
        type: "json",
        default: "",
        placeholder: '{ "question": "Which one?", "options": ["Tea", "Coffee"], "minutes": 1440 }',
        description: "Poll under the post, on networks with polls",
      },
      {
        displayName: "Post Type",
        name: "postType",
        type: "options",
        default: "text",
        options: POST_TYPES.map(titled),
        description: "Supported types depend on the network",
      },
      {
        displayName: "Repeat",
        name: "repeat",
        type: "json",
        default: "",
        placeholder: '{ "every": "week", "weekdays": [1, 4], "until": "2027-03-31" }',
        description:
          'How the post repeats: "every" (day, week or month), "interval", "weekdays" (Monday is 1), "until" or "times", and "variations" (texts that take turns)',
      },
    ],
  },
];

export const FIND_FIELDS: INodeProperties[] = [
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: forOperation("find"),
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { operation: ["find"], returnAll: [false] } },
  },
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    default: {},
    description: "Only posts that match all filters are returned",
    displayOptions: forOperation("find"),
    options: [
      {
        displayName: "Channel Name or ID",
        name: "channel",
        type: "options",
        typeOptions: { loadOptionsMethod: "getChannels" },
        default: "",
        description:
          'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
      },
      {
        displayName: "Due Before",
        name: "to",
        type: "string",
        default: "",
        placeholder: "2026-12-31",
        description: "An instant, or a date on the workspace's clock",
      },
      {
        displayName: "Due From",
        name: "from",
        type: "string",
        default: "",
        placeholder: "2026-12-01",
        description: "An instant, or a date on the workspace's clock",
      },
      { displayName: "Label", name: "label", type: "string", default: "" },
      {
        displayName: "Order",
        name: "order",
        type: "options",
        default: "newest",
        options: [
          { name: "Due First", value: "due" },
          { name: "Newest First", value: "newest" },
        ],
      },
      {
        displayName: "Platform",
        name: "platform",
        type: "string",
        default: "",
        description: "Posts with a channel on this network",
      },
      {
        displayName: "Status",
        name: "status",
        type: "options",
        default: "scheduled",
        options: POST_STATUSES.map(titled),
        description: "Drafts are left out unless you choose Draft",
      },
      {
        displayName: "Words",
        name: "q",
        type: "string",
        default: "",
        description: "Posts that contain all of these whole words, in any case",
      },
    ],
  },
];

export const WAIT_FIELDS: INodeProperties[] = [
  {
    displayName: "Post ID",
    name: "postId",
    type: "string",
    default: "={{ $json.id }}",
    required: true,
    displayOptions: forOperation("wait"),
  },
  {
    displayName: "Limit in Minutes",
    name: "minutes",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 10,
    required: true,
    description: "How long to wait for all items together. A post that has not finished by then causes an error.",
    displayOptions: forOperation("wait"),
  },
];
