// Rechecks a published message. Telegram reports no metrics.
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { unanswered, unknown } from "../shared/http-call.ts";
import { call, readFailure } from "./api.ts";
import { readRejection } from "./errors.ts";
import { keyboard, parseMessages } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";

/**
 * Checks whether a message still exists. Bots cannot read messages, but the answer to setting a message's keyboard to its
 * current one says whether the message exists, and changes nothing. A different keyboard would change the buttons, so this
 * makes no call if the publish key, and with it the current keyboard, is not known.
 */
export async function recheck(
  { id, publishKey }: { id: string; publishKey: PublishKey | null },
  context: ConnectorContext<Credential>,
): Promise<RecheckOutcome> {
  if (publishKey === null) return { is: "unknown", detail: "the buttons of the message are not known" };
  const { chat_id, messages } = parseMessages(id);
  const answer = await call(context.io, context.credential.bot_token, "editMessageReplyMarkup", {
    chat_id,
    message_id: messages[0],
    reply_markup: keyboard(publishKey.buttons),
  });
  const description = readFailure(answer)?.description.toLowerCase() ?? "";
  if (description.includes("message is not modified")) {
    return { is: "there", url: null, ...(publishKey.altered && { altered: publishKey.altered }) };
  }
  if (description.includes("message to edit not found") || description.includes("message_id_invalid"))
    return { is: "gone" };
  return unanswered(readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now()));
}
