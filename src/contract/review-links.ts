// A link that lets one person without an account decide on a post that waits for approval.
import * as z from "zod";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, instant, pathIdOf } from "./shapes.ts";

export const createReviewLink = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/:id/review-link",
  auth: "key_or_session",
  ability: "publish",
  tag: "Posts",
  summary: "Make a link to approve a post",
  description:
    "For one person without an account: its page shows what each channel would publish, and takes one decision with a name. It is " +
    "for the revision that stands now, ends with the decision, after seven days, or when the person who made it may not publish any more, " +
    "and takes the place of the post's earlier link.",
  params: z.object(pathIdOf(SAMPLE.post)),
  result: z.object({
    url: z.string().meta({
      ...about("Shown in this answer only."),
      examples: [`https://crier.example.com/review/${"e".repeat(43)}`],
    }),
    expires_at: instant,
  }),
  success: { 201: "The link. Anybody who has it can decide." },
  refusals: ["four_eyes", "not_found", "post_not_waiting"],
});

export const endReviewLink = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/posts/:id/review-link",
  auth: "key_or_session",
  ability: "publish",
  tag: "Posts",
  summary: "End the link to approve a post",
  params: z.object(pathIdOf(SAMPLE.post)),
  success: { 204: "The post has no link, also if it had none before." },
  refusals: ["not_found"],
});
