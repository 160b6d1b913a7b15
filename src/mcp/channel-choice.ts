// Lists the workspace's connected channels in the JSON Schemas of the MCP tools.
import type { Context } from "../context.ts";
import { LIST_LIMIT_MAX } from "../domain/limits.ts";
import type { WorkspaceCaller } from "../operations/caller.ts";
import { listChannels } from "../operations/channels/list.ts";
import { locateHome } from "../operations/run.ts";

/** A channel that a post can be sent to. */
interface Choice {
  id: string;
  platform: string;
  handle: string;
}

/** A schema names up to this many channels. Each of five tools would list them. */
const NAMED_MAX = 10;

/** `many`: too many to name, so schemas refer to `list_channels` instead of ids. */
export type Choices = Choice[] | "many";

/** The workspace's connected channels, oldest first, so that a new channel only appends to the schema's text. */
export async function readChoices(ctx: Context, caller: WorkspaceCaller): Promise<Choices> {
  await locateHome(ctx, caller);
  const query = { limit: LIST_LIMIT_MAX, cursor: undefined };
  const reply = await listChannels(ctx, caller, { params: undefined, query, body: undefined, idempotencyKey: null });
  const { channels = [], next = null } = reply.body ?? {};
  const connected = channels.filter(({ state }) => state === "connected");
  if (next !== null || connected.length > NAMED_MAX) return "many";
  return connected.map(({ id, platform, handle }) => ({ id, platform, handle })).reverse();
}

/** The format of handles on most networks: one word of ASCII letters, digits, dots, hyphens and underscores. */
const PLAIN_HANDLE = /^@?[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;

/**
 * Names an account in a description. A handle in any other format could be read as an instruction, so only `list_channels`
 * shows it, marked as data.
 */
function nameAccount({ platform, handle }: Choice): string {
  return PLAIN_HANDLE.test(handle) ? `${handle} on ${platform}` : `an account on ${platform}`;
}

/** The JSON Schema of one channel id among the choices. */
export function choiceSchema(choices: Choices): Record<string, unknown> {
  if (choices === "many") return { type: "string", description: "A channel's id; `list_channels` lists them." };
  if (choices.length === 0) {
    return { type: "string", description: "No channel is connected yet: the user must connect one first." };
  }
  return {
    type: "string",
    enum: choices.map(({ id }) => id),
    description: choices.map((choice) => `${choice.id}: ${nameAccount(choice)}`).join("; "),
  };
}
