import type { renewRecoveryCodes as contract } from "../../contract/factors.ts";
import { makeRecoveryCodes } from "../../domain/factor.ts";
import { refuse } from "../../domain/refusal.ts";
import { listFactors, replaceRecoveryCodes } from "../../store/accounts/factors.ts";
import { provePassword } from "../accounts/prove-password.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { requireFactor } from "./challenge.ts";
import { hashRecoveryCode } from "./judge.ts";

const refuseWithoutAny = () => refuse("not_found", { message: "Not found: the account has no second factor." });

export const renewRecoveryCodes: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  await provePassword(ctx, { userId, tokenHash }, body.password, "/password");
  if ((await listFactors(ctx.accounts, userId)).length === 0) throw refuseWithoutAny();
  await requireFactor(ctx, { userId, tokenHash });
  const codes = makeRecoveryCodes(ctx.entropy);
  const hashes = await Promise.all(codes.map((code) => hashRecoveryCode(userId, code)));
  const entry = makeAccountEntry(ctx, userId, "account.recovery_codes_renewed");
  if (!(await replaceRecoveryCodes(ctx.accounts, hashes, entry))) throw refuseWithoutAny();
  return ok({ recovery_codes: codes });
};
