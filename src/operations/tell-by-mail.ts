import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { escapeHtml } from "../domain/encoding.ts";

/** Tells people something by mail, where mail is configured. The answer does not wait for it. */
export function tellByMail(ctx: Context, to: string[], subject: string, text: string): void {
  const { mail } = ctx;
  if (mail === null || to.length === 0) return;
  const html = `<p>${escapeHtml(text)}</p>`;
  const sendAll = async () => {
    for (const address of to) {
      await mail
        .send({ to: address, subject, text: `${text}\n`, html })
        .catch((error) => log("error", "mail_failed", { error: errorText(error) }));
    }
  };
  ctx.later(sendAll());
}
