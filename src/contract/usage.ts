import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit } from "./shapes.ts";

const Use = z
  .object({
    used: z.int(),
    allowed: z.int().nullable().meta(about("null: no limit.")),
    remaining: z.int().nullable().meta(about("null: no limit.")),
  })
  .meta({ id: "Use" });

export const readUsage = operation({
  ...plain,
  method: "GET",
  path: "/v1/usage",
  auth: "key_or_session",
  ability: "read",
  tag: "Usage",
  summary: "Get this calendar month's usage against the plan",
  result: z
    .object({
      period: z.object({ from: instant, to: instant }),
      plan: z.string(),
      posts: Use,
      media_bytes: Use.meta(
        about("Bytes of uploaded files. A deleted file counts while its upload address can still be used."),
      ),
      drafts: Use,
      draft_bytes: Use.meta(about("Bytes of the content of drafts, as JSON.")),
      spending: z
        .object({
          used_usd: z.number(),
          allowed_usd: z.number().nullable().meta(about("`budget_usd` of the workspace; null: no limit.")),
          remaining_usd: z.number().nullable().meta(about("null: no limit.")),
        })
        .meta(about("Cost of the month's posts at networks that charge, as of when the posts were accepted.")),
      uploads: z.object({ available: z.boolean().meta(about("Whether this deployment has a bucket for uploads.")) }),
    })
    .meta({
      id: "Usage",
      examples: [
        {
          period: { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
          plan: "pro",
          posts: { used: 214, allowed: 1_000, remaining: 786 },
          media_bytes: { used: 1_340_210_998, allowed: 53_687_091_200, remaining: 52_346_880_202 },
          drafts: { used: 12, allowed: 2_000, remaining: 1_988 },
          draft_bytes: { used: 18_204, allowed: 52_428_800, remaining: 52_410_596 },
          spending: { used_usd: 6.42, allowed_usd: 25, remaining_usd: 18.58 },
          uploads: { available: true },
        },
      ],
    }),
  success: { 200: "The usage of the UTC month. Null in `allowed` and `remaining` means unlimited." },
  refusals: [],
});

export const readAccountUsage = operation({
  ...plain,
  method: "GET",
  path: "/v1/auth/usage",
  auth: "session",
  accountScopes: ["workspaces", "read"],
  tag: "Usage",
  summary: "Get this calendar month's usage of each workspace that you own",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: z
    .object({
      period: z.object({ from: instant, to: instant }),
      workspaces: z.array(
        z.object({
          workspace: id,
          external_id: z.string().nullable(),
          name: z.string(),
          plan: z.string(),
          posts: z.object({ used: z.int(), allowed: z.int().nullable().meta(about("null: no limit.")) }),
          media_bytes: z.int().meta(about("Bytes of uploaded files.")),
          channels: z.int().meta(about("Channels that have not been disconnected.")),
        }),
      ),
      next: z.string().nullable(),
    })
    .meta({
      id: "AccountUsage",
      examples: [
        {
          period: { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
          workspaces: [
            {
              workspace: SAMPLE.workspace,
              external_id: "customer-42",
              name: "Analytical Engines",
              plan: "pro",
              posts: { used: 214, allowed: 1_000 },
              media_bytes: 48_230_112,
              channels: 6,
            },
          ],
          next: null,
        },
      ],
    }),
  success: { 200: "A page of workspaces, newest first." },
  refusals: ["unreadable_cursor", "database_unavailable"],
});
