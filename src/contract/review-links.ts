// A link that lets one person without an account decide on a post that waits for approval.
import * as z from "zod";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, instant } from "./shapes.ts";

export const createReviewLink = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/:id/review-link",
  auth: "key_or_session",
  ability: "publish",
  tag: "Posts",
  summary: "Create a review link for a post",
  description:
    "For one person without an account. The page shows each channel's version of the post and accepts one decision with a name. The link is " +
    "for the current revision. It ends with the decision, after seven days, or when its creator may no longer publish, " +
    "and it replaces the post's earlier link.",
  params: z.object(buildIdParams(SAMPLE.post)),
  result: z.object({
    url: z.string().meta({
      ...about("Returned in this response only."),
      examples: [`https://crier.example.com/review/${"e".repeat(43)}`],
    }),
    expires_at: instant,
  }),
  success: { 201: "The link. Anyone who has it can decide." },
  refusals: ["four_eyes", "not_found", "post_not_waiting"],
});

export const endReviewLink = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/posts/:id/review-link",
  auth: "key_or_session",
  ability: "publish",
  tag: "Posts",
  summary: "Revoke a post's review link",
  params: z.object(buildIdParams(SAMPLE.post)),
  success: { 204: "The post has no review link. Repeating the call is harmless." },
  refusals: ["not_found"],
});
