import * as z from "zod";
import { RECHECKS } from "../domain/delivery/verification.ts";
import { APPROVAL_SETTINGS } from "../domain/posts/approval.ts";
import { MEDIA_FITS } from "../domain/posts/sent-file.ts";
import { ROLES } from "../domain/roles.ts";
import { budgetUsd } from "./cost.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, as, id, instant, name, pathIdOf } from "./shapes.ts";

const RECHECKS_SAID =
  "`full`: eight times in 30 days; `light`: after 10 minutes, 1 and 7 days; `off`: never, so that neither changes nor figures are " +
  "noticed; null: as each network's rule in `GET /v1/platforms` has it.";

export const Workspace = z
  .object({
    id,
    name: z.string(),
    plan: z.string().meta(about("Decides what `GET /v1/usage` allows.")),
    plan_status: z.enum(["active", "past_due", "cancelled"]),
    created_at: instant,
    timezone: z.string().meta({ description: "IANA zone; decides what a zoneless `publish_at` means." }),
    approval: z
      .enum(APPROVAL_SETTINGS)
      .meta(about("Whose posts wait for approval: nobody's, those of authors and of keys with `draft`, or all.")),
    four_eyes: z.boolean().meta(about("Whether nobody approves a post that they changed last.")),
    require_factor: z.boolean().meta(about("Whether members need a second factor.")),
    media_fit: z
      .enum(MEDIA_FITS)
      .meta(about("The `media_fit` that the dashboard and the command line send; the API's own default is `exact`.")),
    rechecks: z
      .enum(RECHECKS)
      .nullable()
      .meta(about(`How often live posts are rechecked. ${RECHECKS_SAID}`)),
    budget_usd: z.number().nullable().meta(about("What a UTC month may cost, in US dollars; null: no limit.")),
    role: z.enum(ROLES).optional().meta({ description: "The signed-in user's; for sessions only." }),
    ownership_offered: z
      .boolean()
      .optional()
      .meta(
        about(
          "For sessions only. True: the last owner erased their account, and the first member who calls " +
            "`POST /v1/workspaces/:id/ownership` owns the workspace.",
        ),
      ),
  })
  .meta({
    id: "Workspace",
    examples: [
      {
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
        budget_usd: 25,
        role: "owner",
        ownership_offered: false,
      },
    ],
  });

export const currentWorkspace = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspace",
  auth: "key_or_session",
  ability: "read",
  tag: "Workspaces",
  summary: "The current workspace",
  result: Workspace,
  success: { 200: "The workspace that the credential stands for." },
  refusals: [],
});

export const getWorkspace = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id",
  auth: "session",
  ability: "read",
  tag: "Workspaces",
  summary: "One of your workspaces",
  description: "With a key, `GET /v1/workspace` answers the same.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
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
  tag: "Workspaces",
  summary: "Reveal the workspace key",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  result: z
    .object({ key: z.string(), created_at: instant, last_used_at: instant.nullable() })
    .meta({ examples: [{ key: SAMPLE.key, created_at: SAMPLE.signedUp, last_used_at: SAMPLE.created }] }),
  success: { 200: "The key. Keep it on a server; it can publish to every channel of the workspace." },
  refusals: ["not_found", "factor_required", "key_not_configured"],
});

/** A zone by its IANA name. */
export const timezone = z
  .string(as("timezone_unknown"))
  .max(100, as("timezone_unknown"))
  .meta({ examples: ["Europe/Berlin"] });

export const setTimezone = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/workspace",
  auth: "key_or_session",
  ability: "manage_workspace",
  wholeWorkspace: true,
  tag: "Workspaces",
  summary: "Set the workspace's clock",
  description: "Only times that are sent afterwards are read on it; queued posts keep their instants.",
  body: z.strictObject({ timezone }),
  result: Workspace,
  success: { 200: "The workspace, as it now is." },
  refusals: ["timezone_unknown"],
  examples: { "Read zoneless times in Berlin": { timezone: "Europe/Berlin" } },
});

export const createWorkspace = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces",
  auth: "session",
  tag: "Workspaces",
  summary: "Create another workspace",
  description: "It inherits the plan of the workspaces that its creator owns.",
  body: z.strictObject({ name, timezone: timezone.optional() }),
  result: Workspace,
  success: { 201: "The workspace. Its key is revealed separately." },
  refusals: ["plan_limit", "timezone_unknown", "key_not_configured"],
  examples: { "With a clock of its own": { name: "Difference Engines", timezone: "Europe/Berlin" } },
});

export const allowance = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/allowance",
  auth: "session",
  tag: "Workspaces",
  summary: "How many workspaces the user owns and may own",
  result: z
    .object({ held: z.int(), allowed: z.int().nullable(), plan: z.string() })
    .meta({ examples: [{ held: 1, allowed: 5, plan: "pro" }] }),
  success: { 200: "`allowed` null is unlimited." },
  refusals: [],
});

export const rotateKey = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/key/rotate",
  auth: "session",
  ability: "manage_key",
  tag: "Workspaces",
  summary: "Replace the workspace key",
  description: "The old key is refused from the next request on.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
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
  tag: "Workspaces",
  summary: "Change a workspace's name and its settings",
  description:
    "Approval, files, rechecks, the budget, and whether members need a second factor. Posts that wait for approval go on waiting.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  body: z.strictObject({
    name: name.optional(),
    approval: z.enum(APPROVAL_SETTINGS).optional().meta(about("Whose posts wait.")),
    four_eyes: z
      .boolean()
      .optional()
      .meta(
        about(
          "true: nobody approves a post that they changed last, also not by a key, an application or a review link of theirs.",
        ),
      ),
    require_factor: z
      .boolean()
      .optional()
      .meta(
        about(
          "true: members without a second factor get 403 `factor_missing`. Needs a factor of your own, and asks for it.",
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
          `How often live posts are rechecked, which is part of what new posts cost. ${RECHECKS_SAID} A post that was ` +
            "accepted before keeps its price, and is not rechecked more often than this.",
        ),
      ),
    budget_usd: budgetUsd
      .optional()
      .meta(
        about(
          "What a UTC month may cost, in US dollars; null: no limit. A post that would exceed it is 402 `plan_limit`.",
        ),
      ),
  }),
  result: Workspace,
  success: { 200: "The workspace, as it now is." },
  refusals: ["factor_required"],
  examples: {
    "Another name": { name: "Difference Engines" },
    "Authors ask": { approval: "authors" },
    "Two people for each post": { approval: "all", four_eyes: true },
    "A second factor for all": { require_factor: true },
    "Adapt images by default": { media_fit: "adapt" },
    "At most $25 a month": { budget_usd: 25 },
    "Fewer rechecks of live posts": { rechecks: "light" },
  },
});

export const takeOwnership = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/ownership",
  auth: "session",
  ability: "read",
  tag: "Workspaces",
  summary: "Accept the ownership of a workspace that nobody owns",
  description:
    "When the last owner of a shared workspace erases their account and names no heir, ownership is offered to the members " +
    "(`ownership_offered`). The first member who accepts owns the workspace.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  result: Workspace,
  success: { 200: "You own the workspace. Its owner gets the same answer when they call again." },
  refusals: ["already_owned"],
});

export const deleteWorkspace = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id",
  auth: "session",
  ability: "manage_workspace",
  tag: "Workspaces",
  summary: "Delete a workspace with everything in it",
  description:
    "Channels, media, posts, webhooks, members, keys and applications go at once, for good; what has not been sent is not " +
    "sent. Every member is told by mail how many deliveries that stopped. Nothing is taken down from a network.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  body: z.strictObject({ name: z.string().meta(about("The workspace's name, so that it is not another one.")) }),
  success: { 204: "Gone." },
  refusals: ["last_workspace"],
  examples: { "By its name": { name: "Difference Engines" } },
});
