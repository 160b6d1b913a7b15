// deleteMessage, for each message of an album: core.telegram.org/bots/api, read 2026-11-20. A channel's administrator may
// delete any message, others their own for 48 hours.
import * as z from "zod";
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { call, parseResult, readFailure } from "./api.ts";
import { readRejection } from "./errors.ts";
import { parseMessages } from "./publish.ts";
import type { Credential } from "./rule.ts";

/** Messages that are already gone are skipped, so that a repeat continues where the previous call stopped. */
export async function takeDown(
  { id }: { id: string },
  { credential, io }: ConnectorContext<Credential>,
): Promise<TakenDown> {
  const { chat_id, messages } = parseMessages(id);
  let deleted = 0;
  for (const message_id of messages) {
    const answer = await call(io, credential.bot_token, "deleteMessage", { chat_id, message_id });
    if (parseResult(answer, z.literal(true)) === true) {
      deleted++;
      continue;
    }
    const description = readFailure(answer)?.description.toLowerCase() ?? "";
    if (description.includes("message to delete not found") || description.includes("message_id_invalid")) continue;
    return readRejection(answer, io.now()) ?? unknown(answer, io.now());
  }
  return deleted > 0 ? { is: "taken_down" } : { is: "missing", detail: "Telegram does not know this message." };
}
