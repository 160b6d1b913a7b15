// What members say to each other about a post. Nothing of it is published.
import * as z from "zod";
import { COMMENT_LENGTH_MAX, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { buildIdParams, cursor, id, instant, limit, page, refuseAs, text, untrusted } from "./shapes.ts";

export const Comment = z
  .object({
    id,
    text: z.string().meta(untrusted()),
    by: z.string().meta(untrusted("The name of the person, key or reviewer at that time.")),
    at: instant,
  })
  .meta({
    id: "Comment",
    examples: [{ id: SAMPLE.comment, text: "@Grace, is the second picture final?", by: "Ada", at: SAMPLE.created }],
  });

const sharedDefinition = {
  ...plain,
  path: "/v1/posts/:id/comments",
  auth: "key_or_session",
  tag: "Posts",
  params: z.object(buildIdParams(SAMPLE.post)),
} as const;

export const listComments = operation({
  ...sharedDefinition,
  method: "GET",
  ability: "read",
  summary: "List the comments on a post, newest first",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("comments", Comment),
  success: { 200: "A page of comments." },
  refusals: ["not_found", "unreadable_cursor"],
});

export const createComment = operation({
  ...sharedDefinition,
  method: "POST",
  ability: "comment",
  summary: "Comment on a post",
  description:
    "Comments are for members and are never published. A member whose name or email address follows an `@` gets a mail, " +
    "unless they turned `mentioned` off.",
  body: z.strictObject({
    text: text(COMMENT_LENGTH_MAX).refine((value) => value.trim() !== "", refuseAs("invalid_field")),
  }),
  result: Comment,
  success: { 201: "The new comment." },
  refusals: ["not_found", "too_many_entries", "rate_limited"],
  examples: { "A question": { text: "@Grace, is the second picture final?" } },
});
