import * as z from "zod";
import { RECHECKS } from "../domain/delivery/recheck.ts";
import { APPROVAL_SETTINGS } from "../domain/posts/approval.ts";
import { MEDIA_FITS } from "../domain/posts/sent-file.ts";
import { ROLES } from "../domain/roles.ts";
import { Brand, BrandInput } from "./brand.ts";
import { budgetUsd } from "./cost.ts";
import { LinkTags, LinkTagsInput } from "./link-tags.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, id, instant, metadata, name, refuseAs } from "./shapes.ts";

const RECHECKS_SAID =
  "`full`: eight times in 30 days. `light`: after 10 minutes, 1 and 7 days. `off`: never, so changes and figures are not " +
  "detected. Null: as in each network's rule in `GET /v1/platforms`.";

export const SAMPLE_WORKSPACE = {
  id: SAMPLE.workspace,
  name: "Analytical Engines",
  plan: "pro",
  plan_status: "active",
  created_at: SAMPLE.signedUp,
  timezone: "Europe/London",
  approval: "none",
  four_eyes: false,
  require_factor: false,
  media_fit: "exact",
  rechecks: null,
  link_tags: null,
  budget_usd: 25,
  brand: null,
  external_id: "customer-42",
  metadata: { segment: "agency" },
  role: "owner",
  ownership_offered: false,
} as const;

export const Workspace = z
  .object({
    id,
    name: z.string(),
    plan: z.string().meta(about("The plan, which sets the limits in `GET /v1/usage`.")),
    plan_status: z.enum(["active", "past_due", "cancelled"]),
    created_at: instant,
    timezone: z.string().meta({ description: "IANA time zone, used for a `publish_at` without an offset." }),
    approval: z
      .enum(APPROVAL_SETTINGS)
      .meta(about("Posts that need approval: none, those of authors and of keys with `draft`, or all.")),
    four_eyes: z.boolean().meta(about("Whether the last person who changed a post is barred from approving it.")),
    require_factor: z.boolean().meta(about("Whether members need a second factor.")),
    media_fit: z
      .enum(MEDIA_FITS)
      .meta(about("The `media_fit` that the dashboard and the command line send; the API's own default is `exact`.")),
    rechecks: z
      .enum(RECHECKS)
      .nullable()
      .meta(about(`How often live posts are rechecked. ${RECHECKS_SAID}`)),
    link_tags: LinkTags.nullable().meta(about("Parameters that new posts add to their links. Null: none.")),
    budget_usd: z.number().nullable().meta(about("Budget per UTC month, in US dollars. Null: no limit.")),
    brand: Brand.nullable().meta(about("The brand of its pages for clients that have none of their own.")),
    external_id: z
      .string()
      .nullable()
      .meta(about("Your own name for it, from when it was created; null if it has none.")),
    metadata: z.record(z.string(), z.string()).meta(about("Your own values.")),
    role: z.enum(ROLES).optional().meta({ description: "The signed-in user's role. Only for sessions." }),
    ownership_offered: z
      .boolean()
      .optional()
      .meta(
        about(
          "Only for sessions. True: the last owner erased their account, and the first member who calls " +
            "`POST /v1/workspaces/:id/ownership` becomes its owner.",
        ),
      ),
  })
  .meta({
    id: "Workspace",
    examples: [SAMPLE_WORKSPACE],
  });

export const currentWorkspace = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspace",
  auth: "key_or_session",
  ability: "read",
  accountScopes: ["read", "workspaces"],
  tag: "Workspaces",
  summary: "Get the current workspace",
  result: Workspace,
  success: { 200: "The workspace that the credential belongs to." },
  refusals: [],
});

export const getWorkspace = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id",
  auth: "session",
  ability: "read",
  accountScopes: ["read", "workspaces"],
  tag: "Workspaces",
  summary: "Get one of your workspaces",
  description: "With a key, `GET /v1/workspace` returns the same.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  result: Workspace,
  success: { 200: "The workspace, with your role in it." },
  refusals: [],
});

export const revealKey = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/key",
  auth: "session",
  ability: "manage_key",
  accountScopes: ["keys"],
  tag: "Workspaces",
  summary: "Reveal the workspace key",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  result: z
    .object({ key: z.string(), created_at: instant, last_used_at: instant.nullable() })
    .meta({ examples: [{ key: SAMPLE.key, created_at: SAMPLE.signedUp, last_used_at: SAMPLE.created }] }),
  success: { 200: "The key. Keep it on a server; it can publish to every channel of the workspace." },
  refusals: ["not_found", "factor_required", "key_not_configured"],
});

/** A zone by its IANA name. */
export const timezone = z
  .string(refuseAs("timezone_unknown"))
  .max(100, refuseAs("timezone_unknown"))
  .meta({ examples: ["Europe/Berlin"] });

export const setTimezone = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/workspace",
  auth: "key_or_session",
  ability: "manage_workspace",
  wholeWorkspace: true,
  accountScopes: ["workspaces"],
  tag: "Workspaces",
  summary: "Set the workspace's time zone",
  description: "Applies only to times sent afterwards. Queued posts keep their times.",
  body: z.strictObject({ timezone }),
  result: Workspace,
  success: { 200: "The updated workspace." },
  refusals: ["timezone_unknown"],
  examples: { "Read zoneless times in Berlin": { timezone: "Europe/Berlin" } },
});

export const rotateKey = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/key/rotate",
  auth: "session",
  ability: "manage_key",
  accountScopes: ["keys"],
  tag: "Workspaces",
  summary: "Replace the workspace key",
  description: "The old key is rejected from the next request on.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  result: z
    .object({ key: z.string(), created_at: instant })
    .meta({ examples: [{ key: SAMPLE.key, created_at: SAMPLE.created }] }),
  success: { 200: "The new key." },
  refusals: ["factor_required", "key_not_configured"],
});

export const renameWorkspace = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/workspaces/:id",
  auth: "session",
  ability: "manage_workspace",
  accountScopes: ["workspaces"],
  tag: "Workspaces",
  summary: "Update a workspace's name and settings",
  description:
    "The settings are approval, files, rechecks, link tags, the budget, the brand, and whether members need a second factor. Posts awaiting approval are not affected.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  body: z.strictObject({
    name: name.optional(),
    approval: z.enum(APPROVAL_SETTINGS).optional().meta(about("Posts that need approval.")),
    four_eyes: z
      .boolean()
      .optional()
      .meta(
        about(
          "true: the last person who changed a post cannot approve it, not even through their keys, applications or review links.",
        ),
      ),
    require_factor: z
      .boolean()
      .optional()
      .meta(
        about(
          "true: members without a second factor get 403 `factor_missing`. Requires a second factor of your own, and asks for it.",
        ),
      ),
    media_fit: z
      .enum(MEDIA_FITS)
      .optional()
      .meta(about("The `media_fit` that the dashboard and the command line send.")),
    rechecks: z
      .enum(RECHECKS)
      .nullable()
      .optional()
      .meta(
        about(
          `How often live posts are rechecked, which affects the cost of new posts. ${RECHECKS_SAID} A post that was ` +
            "accepted earlier keeps its price, and is not rechecked more often than this.",
        ),
      ),
    link_tags: LinkTagsInput.nullable()
      .optional()
      .meta(about("Parameters that new posts add to their links, unless they have their own. Null: none.")),
    budget_usd: budgetUsd
      .optional()
      .meta(
        about(
          "Budget per UTC month, in US dollars. Null: no limit. A post that would exceed it gets 402 `plan_limit`.",
        ),
      ),
    brand: BrandInput.nullable()
      .optional()
      .meta(
        about("The brand of connect links, review links, portals and reports that have none of their own. Null: none."),
      ),
    metadata: metadata
      .nullable()
      .optional()
      .meta(about("Your own values, which replace all earlier ones. Null: none.")),
  }),
  result: Workspace,
  success: { 200: "The updated workspace." },
  refusals: ["factor_required", "unknown_media"],
  examples: {
    "Another name": { name: "Difference Engines" },
    "Authors ask": { approval: "authors" },
    "Two people for each post": { approval: "all", four_eyes: true },
    "A second factor for all": { require_factor: true },
    "Adapt images by default": { media_fit: "adapt" },
    "At most $25 a month": { budget_usd: 25 },
    "The name and colour of an agency": { brand: { name: "Ada & Co.", accent: "#0b57d0" } },
    "Fewer rechecks of live posts": { rechecks: "light" },
    "Campaign parameters on every link": {
      link_tags: { parameters: { utm_source: "{network}", utm_medium: "social" }, domains: ["example.com"] },
    },
  },
});
