import type { confirmFactor as contract } from "../../contract/factors.ts";
import { makeRecoveryCodes } from "../../domain/factor.ts";
import { isId } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";
import { confirmFactor as confirm, findBegunFactor } from "../../store/accounts/factors.ts";
import { signedIn } from "../caller.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { findFreshStep, hashRecoveryCode } from "./judge.ts";
import { toFactorView } from "./view.ts";

const refuseUnknown = () =>
  refuse("not_found", {
    message: "Not found: you are not setting up a factor with this id, or it took more than ten minutes.",
    hint: "Begin again with `POST /v1/auth/factors`.",
  });

export const confirmFactor: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { userId, tokenHash } = signedIn(caller);
  const row = isId("fac", params.id) ? await findBegunFactor(ctx.accounts, userId, params.id) : undefined;
  if (row === undefined) throw refuseUnknown();
  await limitTries(ctx, { account: ["factor_code_user", userId] });
  const step = await findFreshStep(ctx, row, body.code);
  if (step === null) throw refuse("factor_invalid", { field: "/code" });
  const codes = makeRecoveryCodes(ctx.entropy);
  const hashes = await Promise.all(codes.map((code) => hashRecoveryCode(userId, code)));
  const found = { id: row.id, userId, counter: step };
  const confirmed = await confirm(ctx.accounts, found, { hashes, keep: tokenHash });
  if (confirmed === undefined) throw refuseUnknown();
  await forgiveTries(ctx, "factor_code_user", userId);
  return ok({ factor: toFactorView(row), recovery_codes: confirmed.isFirst ? codes : null });
};
