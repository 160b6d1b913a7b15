// The data that the front passes to a call's connection, in a header that no client can set.
import * as z from "zod";
import { ROLES, SCOPES } from "../domain/roles.ts";

export const CALL_HEADER = "x-crier-call";

const Caller = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("key"),
    keyId: z.string(),
    // An older version of the front, still running during a rollout, sends no name.
    name: z.string().default("Key"),
    workspaceId: z.string(),
    scopes: z.array(z.enum(SCOPES)).readonly(),
    channels: z.array(z.string()).readonly().nullable(),
    budget: z.int().nullable().default(null),
  }),
  z.object({
    kind: z.literal("grant"),
    grantId: z.string(),
    userId: z.string(),
    name: z.string().default("Application"),
    workspaceId: z.string(),
    role: z.enum(ROLES),
  }),
]);

const CallHeader = z.object({ caller: Caller, requestId: z.string(), address: z.string().nullable() });
export type CallHeader = z.infer<typeof CallHeader>;
export type ConnectionCaller = CallHeader["caller"];

export function readCall(request: Request): CallHeader {
  return CallHeader.parse(JSON.parse(request.headers.get(CALL_HEADER) ?? ""));
}
