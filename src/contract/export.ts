// The export of a workspace, and its posts as a table. Both are streamed line by line.
import * as z from "zod";
import { AuditEntry } from "./audit.ts";
import { ChannelGroup } from "./channel-groups.ts";
import { Channel, ConnectorRequest } from "./channels.ts";
import { Comment } from "./comments.ts";
import { Event } from "./events.ts";
import { Feed } from "./feeds.ts";
import { listPosts } from "./list-posts.ts";
import { Media } from "./media.ts";
import { operation, plain } from "./operation.ts";
import { Portal } from "./portals.ts";
import { Post } from "./post-shapes.ts";
import { SAMPLE_POST } from "./samples.ts";
import { about, cursor, id, instant, switchedOn, untrusted } from "./shapes.ts";
import { Slots } from "./slots.ts";
import { Snippet } from "./snippets.ts";
import { Webhook } from "./webhooks.ts";
import { Workspace } from "./workspaces.ts";

const type = <Name extends string>(name: Name) => ({ type: z.literal(name) });

export const ExportedLine = z
  .union([
    Workspace.extend(type("workspace")),
    Channel.extend(type("channel")),
    ConnectorRequest.extend(type("connector_request")),
    Webhook.extend(type("webhook")),
    Slots.extend(type("slots")),
    ChannelGroup.extend(type("channel_group")),
    Snippet.extend(type("snippet")),
    Feed.extend(type("feed")),
    Portal.omit({ is_active: true }).extend(type("portal")),
    z.object({
      ...type("portal_decision"),
      portal: id,
      post: id,
      rev: z.int(),
      content_tag: z.string(),
      decision: z.enum(["approve", "decline"]),
      by: z.string().meta(untrusted("The name that the visitor gave.")),
      reason: z.string().nullable().meta(untrusted()),
      at: instant,
    }),
    Media.extend(type("media")),
    Post.extend(type("post")),
    Comment.extend({ ...type("comment"), post: id }),
    Event.extend(type("event")),
    AuditEntry.extend(type("audit")),
    z.object({
      ...type("end"),
      lines: z.int().meta(about("The number of lines before this one in the answer.")),
      next: z.string().nullable().meta(about("`cursor` for the rest of a long export; null if it is complete.")),
    }),
  ])
  .meta({
    id: "ExportedLine",
    description: "A resource as its own endpoint returns it, with its `type`. The last line is `end`.",
    examples: [
      { type: "post", ...SAMPLE_POST },
      { type: "end", lines: 1, next: null },
    ],
  });

export const exportWorkspace = operation({
  ...plain,
  method: "GET",
  path: "/v1/export",
  auth: "key_or_session",
  ability: "read",
  wholeWorkspace: true,
  tag: "Workspaces",
  summary: "Export a workspace",
  description:
    "Returns one resource per line: the workspace, its channels, requests, webhooks, slots, channel groups, snippets, feeds, open portals and the decisions of the last 30 days in them, files, posts with deliveries and figures, " +
    "drafts included, the comments on them, the events of the feed, and, for an owner, the audit log. Portals are included for callers who may list them. Secrets, the addresses of portals, members and file contents are not included: a file has its address. " +
    'The last line is `{"type":"end","lines":n,"next":null}`. Without it, the export is incomplete. For a very large workspace, `next` ' +
    "is the `cursor` of the call that continues after these lines. " +
    "`POST /v1/posts/import` accepts these lines.",
  query: z.object({ cursor: cursor.meta({ description: "`next` from the last line of the previous answer." }) }),
  result: ExportedLine,
  stream: { type: "application/x-ndjson", fileName: "crier-export.ndjson" },
  success: { 200: "The export, with one JSON object per line." },
  refusals: ["unreadable_cursor"],
});

export const postsTable = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts.csv",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "Download posts as CSV, with one row per delivery",
  description:
    "Returns all posts that `GET /v1/posts` finds with these filters. `id`, `status` and `due_at` are the post's; `text` is the text for that " +
    "channel; `labels` are separated by `|`; `url` and `error` are the delivery's. A post without deliveries has one row. Cells " +
    "contain the exact text: to open the file in a spreadsheet, set `escape_formulas=true`. If the answer is incomplete, the " +
    "connection is broken off. A deployment on Workers Free rejects a table of many thousands of posts (422 `too_much_for_free_plan`).",
  query: listPosts.query.omit({ limit: true, cursor: true }).extend({
    escape_formulas: switchedOn.meta({
      description:
        "Prefixes `'` to each cell that a spreadsheet would read as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break).",
      examples: ["true"],
    }),
  }),
  result: z.string().meta({
    examples: [
      "id,status,due_at,platform,handle,text,labels,url,error\r\n" +
        `${SAMPLE_POST.id},${SAMPLE_POST.status},${SAMPLE_POST.due_at},examplenet,@ada,${SAMPLE_POST.text},winter,,\r\n`,
    ],
  }),
  stream: { type: "text/csv", fileName: "crier-posts.csv" },
  success: { 200: "The posts as CSV with a header (RFC 4180), in UTF-8." },
  refusals: ["unknown_status"],
});
