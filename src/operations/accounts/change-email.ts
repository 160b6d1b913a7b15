import type { changeEmail as contract } from "../../contract/own-account.ts";
import { refuse } from "../../domain/refusal.ts";
import { signedIn } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { limitTries } from "../rate-limit.ts";
import type { Run } from "../run.ts";
import { provePassword } from "./prove-password.ts";

/** A queued job checks whether another account has the address, so neither the answer nor its timing reveals that. */
export const changeEmail: Run<typeof contract> = async (ctx, caller, { body }) => {
  if (ctx.mail === null) throw refuse("mail_not_configured");
  const { userId, tokenHash } = signedIn(caller);
  const email = body.email.toLowerCase();
  const user = await provePassword(ctx, { userId, tokenHash }, body.password, "/password");
  if (user.email === email) {
    throw refuse("invalid_field", { field: "/email", message: "This is the account's address already." });
  }
  await limitTries(ctx, { account: ["change_email_user", userId] });
  await limitTries(ctx, { account: ["change_email_account", email] });
  await requireFactor(ctx, { userId, tokenHash });
  const job = { kind: "account_mail", user: userId, email } as const;
  await ctx.queue.send([
    { ...job, about: "change" },
    { ...job, about: "change_asked" },
  ]);
  return { status: 202, body: { ok: true } };
};
