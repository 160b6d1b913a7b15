// Creating, listing and deleting workspaces, and owning them.
import * as z from "zod";
import { EXTERNAL_ID_LENGTH_MAX, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, limit, line, metadata, name, page } from "./shapes.ts";
import { SAMPLE_WORKSPACE, timezone, Workspace } from "./workspaces.ts";

export const listWorkspaces = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces",
  auth: "session",
  accountScopes: ["workspaces", "read"],
  tag: "Workspaces",
  summary: "List the workspaces that you own",
  description: "`GET /v1/auth/me` lists every workspace that a signed-in user can act in, in any role.",
  query: z.object({
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
    external_id: z
      .string()
      .max(EXTERNAL_ID_LENGTH_MAX)
      .optional()
      .meta(about("Only the workspace with this external id, if you own it.")),
  }),
  result: page("workspaces", Workspace),
  success: { 200: "A page of workspaces, newest first." },
  refusals: ["unreadable_cursor"],
});

export const createWorkspace = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces",
  auth: "session",
  accountScopes: ["workspaces"],
  tag: "Workspaces",
  summary: "Create another workspace",
  description:
    "It inherits the plan of the workspaces that its creator owns. With the `external_id` of a workspace that you own, the " +
    "call changes nothing and returns that workspace, so it can be repeated; the id is free again once that workspace is " +
    "deleted. With `include_key`, an account key also needs the scope `keys`.",
  body: z.strictObject({
    name,
    timezone: timezone.optional(),
    external_id: line(EXTERNAL_ID_LENGTH_MAX)
      .optional()
      .meta(about("Your own name for it, such as the id of a customer. Unique among the workspaces that you own.")),
    metadata: metadata.optional().meta(about("Your own values.")),
    include_key: z.boolean().optional().meta(about("Whether the answer has the workspace key.")),
  }),
  result: Workspace.extend({
    key: z.string().optional().meta(about("The workspace key, with `include_key` only. Keep it on a server.")),
  }).meta({ id: "CreatedWorkspace", examples: [{ ...SAMPLE_WORKSPACE, key: SAMPLE.key }] }),
  success: { 201: "The workspace.", 200: "The workspace that has this `external_id` already, unchanged." },
  refusals: ["plan_limit", "timezone_unknown", "key_not_configured", "factor_required", "rate_limited"],
  examples: {
    "With a clock of its own": { name: "Difference Engines", timezone: "Europe/Berlin" },
    "For a customer, with its key": {
      name: "Analytical Engines",
      external_id: "customer-42",
      metadata: { segment: "agency" },
      include_key: true,
    },
  },
});

export const allowance = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/allowance",
  auth: "session",
  accountScopes: ["workspaces"],
  tag: "Workspaces",
  summary: "Get how many workspaces the user owns and may own",
  result: z
    .object({ held: z.int(), allowed: z.int().nullable(), plan: z.string() })
    .meta({ examples: [{ held: 1, allowed: 5, plan: "pro" }] }),
  success: { 200: "The counts. `allowed` is null if unlimited." },
  refusals: [],
});

export const takeOwnership = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/ownership",
  auth: "session",
  ability: "read",
  tag: "Workspaces",
  summary: "Accept ownership of a workspace without an owner",
  description:
    "If the last owner of a shared workspace erases their account without naming an heir, ownership is offered to the members " +
    "(`ownership_offered`). The first member to accept becomes the owner.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  result: Workspace,
  success: { 200: "You own the workspace. Repeated calls by the owner return the same response." },
  refusals: ["already_owned"],
});

export const deleteWorkspace = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id",
  auth: "session",
  ability: "manage_workspace",
  accountScopes: ["workspaces"],
  tag: "Workspaces",
  summary: "Delete a workspace and all its data",
  description:
    "Permanently deletes channels, media, posts, webhooks, members, keys and applications at once. Unsent deliveries are not " +
    "sent. Every member gets a mail with the number of stopped deliveries. Nothing is taken down from a network.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  body: z.strictObject({ name: z.string().meta(about("The workspace's name, as confirmation.")) }),
  success: { 204: "The workspace has been deleted." },
  refusals: ["last_workspace"],
  examples: { "By its name": { name: "Difference Engines" } },
});
