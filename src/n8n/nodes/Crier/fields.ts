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
    description: "What is published, exactly as it is. Each network has its own limit.",
    displayOptions: forOperation("post"),
  },
  {
    displayName: "Channel Names or IDs",
    name: "channels",
    type: "multiOptions",
    typeOptions: { loadOptionsMethod: "getChannels" },
    default: [],
    description:
      'Where it goes. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    displayOptions: forOperation("post"),
  },
  {
    displayName: "When",
    name: "when",
    type: "options",
    default: "now",
    options: [
      { name: "As a Draft", value: "draft", description: "Keep it, do not send it" },
      { name: "At a Time", value: "time" },
      { name: "In the Next Free Slot", value: "slot", description: "Of the workspace's slots" },
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
    description: "A time without an offset is read on the clock of the workspace in Crier",
    displayOptions: { show: { operation: ["post"], when: ["time"] } },
  },
  {
    displayName: "Media",
    name: "media",
    type: "fixedCollection",
    typeOptions: { multipleValues: true },
    placeholder: "Add File",
    default: {},
    description: "Files at public https addresses, in publishing order",
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
            displayName: "Description",
            name: "alt",
            type: "string",
            default: "",
            description: "What it shows, for people who do not see it",
          },
          {
            displayName: "Kind",
            name: "kind",
            type: "options",
            default: "auto",
            options: [
              { name: "As the Address Ends", value: "auto" },
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
        description: "Whether to check everything and write nothing",
      },
      {
        displayName: "Idempotency Key",
        name: "idempotencyKey",
        type: "string",
        default: "",
        description:
          "The same key never posts twice. Left empty, it is made of the execution and the item, so that a retried execution posts what is missing only.",
      },
      {
        displayName: "Labels",
        name: "labels",
        type: "string",
        default: "",
        placeholder: "winter, sale",
        description: "Words of your own to find posts by, with commas between them",
      },
      {
        displayName: "Media Fit",
        name: "mediaFit",
        type: "options",
        default: "exact",
        options: [
          { name: "Adapt", value: "adapt", description: "Convert an image for the networks that would refuse it" },
          { name: "Exact", value: "exact", description: "Send every file as it is" },
        ],
        description: "Whether images are converted where a network would refuse them",
      },
      {
        displayName: "Overrides",
        name: "overrides",
        type: "json",
        default: "{}",
        description: "By channel ID, what differs there: text, media IDs, and options of the network",
      },
      {
        displayName: "Post Type",
        name: "postType",
        type: "options",
        default: "text",
        options: POST_TYPES.map(titled),
        description: "Each network offers some",
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
    description: "A post has all that is asked for",
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
        description: "Without it, drafts are left out",
      },
      {
        displayName: "Words",
        name: "q",
        type: "string",
        default: "",
        description: "Posts with all of these words, whole and in any case",
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
    description: "How long to wait for all items together. A post that has not finished by then is an error.",
    displayOptions: forOperation("wait"),
  },
];
