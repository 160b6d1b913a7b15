import * as z from "zod";
import { operation, plain } from "./operation.ts";
import { id, instant, pathId } from "./shapes.ts";

export const Workspace = z
  .object({
    id,
    name: z.string(),
    plan: z.string(),
    plan_status: z.enum(["active", "past_due", "cancelled"]),
    created_at: instant,
    timezone: z.string().meta({ description: "IANA zone; decides what a zoneless `publish_at` means." }),
    role: z.enum(["owner", "member"]).optional().meta({ description: "For sessions only." }),
  })
  .meta({ id: "Workspace" });

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
  params: z.object({ id: pathId }),
  result: z.object({ key: z.string(), created_at: instant, last_used_at: instant.nullable() }),
  success: { 200: "The key. Keep it on a server; it can publish to every channel of the workspace." },
  refusals: ["not_a_member", "not_found", "key_not_configured"],
});
