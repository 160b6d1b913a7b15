import * as z from "zod";
import { operation, plain } from "./operation.ts";
import { instant } from "./shapes.ts";

const Use = z.object({ used: z.int(), allowed: z.int().nullable(), remaining: z.int().nullable() });

export const readUsage = operation({
  ...plain,
  method: "GET",
  path: "/v1/usage",
  auth: "key_or_session",
  tag: "Usage",
  summary: "This calendar month against the plan",
  result: z.object({
    period: z.object({ from: instant, to: instant }),
    plan: z.string(),
    posts: Use,
    media_bytes: Use,
    uploads: z.object({ available: z.boolean() }),
  }),
  success: { 200: "null in `allowed` and `remaining` is unlimited. The month is the UTC month." },
  refusals: [],
});
