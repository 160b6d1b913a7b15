import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { letter, type Paragraph } from "../domain/letter.ts";

/** Notifies people by mail, if mail is configured. The answer does not wait for it. */
export function tellByMail(ctx: Context, to: string[], subject: string, ...paragraphs: Paragraph[]): void {
  const { mail } = ctx;
  if (mail === null || to.length === 0) return;
  const sendAll = async () => {
    for (const address of to) {
      await mail
        .send(letter(address, subject, paragraphs))
        .catch((error) => log("error", "mail_failed", { error: errorText(error) }));
    }
  };
  ctx.later(sendAll());
}
