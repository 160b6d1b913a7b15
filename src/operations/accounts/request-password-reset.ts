import type { forgot as contract } from "../../contract/accounts.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Run } from "../run.ts";
import { limitAccount } from "./limit-account.ts";

/** Does the same work whether or not the account exists: the queue looks it up and sends the mail. */
export const forgot: Run<typeof contract> = async (ctx, _caller, { body, device }) => {
  if (ctx.mail === null) throw refuse("mail_not_configured");
  const email = body.email.trim().toLowerCase();
  await limitAccount(ctx, "forgot", email, device);
  await ctx.queue.send([{ kind: "reset_mail", email }]);
  return { status: 202, body: { ok: true } };
};
