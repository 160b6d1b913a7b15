import * as z from "zod";
import { LIST_LIMIT_DEFAULT, NAME_LENGTH_MAX } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, as, cursor, id, instant, limit, line, page, pathId, pathIdOf } from "./shapes.ts";

export const Workspace = z
  .object({
    id,
    name: z.string(),
    plan: z.string().meta(about("Decides what `GET /v1/usage` allows.")),
    plan_status: z.enum(["active", "past_due", "cancelled"]),
    created_at: instant,
    timezone: z.string().meta({ description: "IANA zone; decides what a zoneless `publish_at` means." }),
    role: z.enum(["owner", "member"]).optional().meta({ description: "For sessions only." }),
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
        role: "owner",
      },
    ],
  });

export const currentWorkspace = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspace",
  auth: "key_or_session",
  tag: "Workspaces",
  summary: "The current workspace",
  result: Workspace,
  success: { 200: "The workspace that the credential stands for." },
  refusals: [],
});

export const revealKey = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/key",
  auth: "session",
  tag: "Workspaces",
  summary: "Reveal the workspace key",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  result: z
    .object({ key: z.string(), created_at: instant, last_used_at: instant.nullable() })
    .meta({ examples: [{ key: SAMPLE.key, created_at: SAMPLE.signedUp, last_used_at: SAMPLE.created }] }),
  success: { 200: "The key. Keep it on a server; it can publish to every channel of the workspace." },
  refusals: ["not_a_member", "not_found", "key_not_configured"],
});

const timezone = z
  .string(as("timezone_unknown"))
  .max(100, as("timezone_unknown"))
  .meta({ examples: ["Europe/Berlin"] });

export const setTimezone = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/workspace",
  auth: "key_or_session",
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
  body: z.strictObject({ name: line(NAME_LENGTH_MAX), timezone: timezone.optional() }),
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
  tag: "Workspaces",
  summary: "Replace the workspace key",
  description: "The old key is refused from the next request on.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  result: z
    .object({ key: z.string(), created_at: instant })
    .meta({ examples: [{ key: SAMPLE.key, created_at: SAMPLE.created }] }),
  success: { 200: "The new key." },
  refusals: ["not_a_member", "key_not_configured"],
});

export const Member = z
  .object({
    id,
    email: z.string(),
    name: z.string().nullable(),
    role: z.enum(["owner", "member"]),
    created_at: instant,
  })
  .meta({
    id: "Member",
    examples: [
      {
        id: SAMPLE.otherUser,
        email: "charles@example.com",
        name: "Charles",
        role: "member",
        created_at: SAMPLE.created,
      },
    ],
  });

export const listMembers = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/members",
  auth: "session",
  tag: "Workspaces",
  summary: "Who may act in a workspace",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("members", Member),
  success: { 200: "Newest first." },
  refusals: ["not_a_member", "unreadable_cursor"],
});

export const addMember = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/members",
  auth: "session",
  tag: "Workspaces",
  summary: "Let another user act in a workspace",
  description: "By the owner. The user must have an account.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  body: z.strictObject({ email: z.string().max(1000) }),
  result: Member,
  success: { 201: "Added.", 200: "Was a member already." },
  refusals: ["not_a_member", "not_the_owner", "not_found"],
  examples: { "A user of this deployment": { email: "charles@example.com" } },
});

export const removeMember = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/members/:user",
  auth: "session",
  tag: "Workspaces",
  summary: "Take a user out of a workspace",
  description: "By the owner, or by the members themselves. The owner stays.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), user: pathId.meta({ examples: [SAMPLE.otherUser] }) }),
  result: z
    .object({ key_seen: z.literal(true), hint: z.string() })
    .meta({ examples: [{ key_seen: true, hint: "They have seen the workspace key. Replace it." }] }),
  success: {
    204: "Gone.",
    200: "Gone; they have seen the key that still opens the workspace. Only the owner is told.",
  },
  refusals: ["not_a_member", "not_the_owner", "not_found", "owner_stays"],
});
