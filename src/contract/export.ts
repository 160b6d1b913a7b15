// The export of a workspace, and its posts as a table. Both are streamed line by line.
import * as z from "zod";
import { AuditEntry } from "./audit.ts";
import { Channel, ConnectorRequest } from "./channels.ts";
import { Event } from "./events.ts";
import { listPosts } from "./list-posts.ts";
import { Media } from "./media.ts";
import { operation, plain } from "./operation.ts";
import { Post } from "./post-shapes.ts";
import { SAMPLE_POST } from "./samples.ts";
import { about, cursor, switchedOn } from "./shapes.ts";
import { Slots } from "./slots.ts";
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
    Media.extend(type("media")),
    Post.extend(type("post")),
    Event.extend(type("event")),
    AuditEntry.extend(type("audit")),
    z.object({
      ...type("end"),
      lines: z.int().meta(about("How many lines stand before it in this answer.")),
      next: z.string().nullable().meta(about("`cursor` of what is left of a long export; null: it is whole.")),
    }),
  ])
  .meta({
    id: "ExportedLine",
    description: "A resource as its own call answers it, with its `type`; last of all `end`.",
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
  summary: "Everything of a workspace",
  description:
    "A resource a line: the workspace, its channels, requests, webhooks, slots, files, posts with their deliveries and figures, " +
    "drafts too, the events of the feed, and for an owner the audit log. No secret, no members, and no file's content: a file is told by its address. " +
    'The last line is `{"type":"end","lines":n,"next":null}`; without it the connection was broken off. A `next` of a very large workspace ' +
    "is the `cursor` of the call that goes on behind these lines. " +
    "`POST /v1/posts/import` takes these lines.",
  query: z.object({ cursor: cursor.meta({ description: "`next` of the last line of the answer before." }) }),
  result: ExportedLine,
  stream: { type: "application/x-ndjson", fileName: "crier-export.ndjson" },
  success: { 200: "One JSON object a line." },
  refusals: ["unreadable_cursor"],
});

export const postsTable = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts.csv",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "Posts as a table, a row for each delivery",
  description:
    "All posts that `GET /v1/posts` finds with these filters. `id`, `status` and `due_at` are the post's; `text` is what that channel " +
    "publishes; `labels` are divided by `|`; `url` and `error` are the delivery's. A post without deliveries has one row. Cells " +
    "are exactly what was written: to open the file in a spreadsheet, ask for `escape_formulas=true`. An answer that is not " +
    "whole ends with a broken connection. A deployment on Workers Free refuses a table of many thousands of posts (422 `too_much_for_free_plan`).",
  query: listPosts.query.omit({ limit: true, cursor: true }).extend({
    escape_formulas: switchedOn.meta({
      description:
        "Puts a `'` before each cell that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break).",
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
  success: { 200: "CSV with a header (RFC 4180), in UTF-8." },
  refusals: ["unknown_status"],
});
