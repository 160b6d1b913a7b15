import type * as z from "zod";
import { readCreatedPasskey } from "../../adapters/webauthn.ts";
import type { Context } from "../../context.ts";
import type { confirmFactor as contract } from "../../contract/factors.ts";
import type { CreatedPasskey } from "../../contract/passkeys.ts";
import { violatesUnique } from "../../domain/database-fault.ts";
import { makeRecoveryCodes } from "../../domain/factor.ts";
import { isId } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";
import { confirmFactor as confirm, type FactorRow, findBegunFactor } from "../../store/accounts/factors.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { findFreshStep, hashRecoveryCode } from "./judge.ts";
import { requireRelyingParty } from "./passkey.ts";
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
  const proven = row.kind === "totp" ? await proveApp(ctx, row, body.code) : await provePasskey(ctx, row, body.passkey);
  const codes = makeRecoveryCodes(ctx.entropy);
  const hashes = await Promise.all(codes.map((code) => hashRecoveryCode(userId, code)));
  const factor = { ...proven, id: row.id, userId };
  const entry = makeAccountEntry(ctx, userId, "account.factor_added", { kind: row.kind });
  const confirmed = await confirm(ctx.accounts, factor, { hashes, keep: tokenHash }, entry).catch((error: unknown) => {
    if (!violatesUnique(error, "factors.credential_id")) throw error;
    throw refuse("factor_invalid", {
      field: "/passkey",
      message: "This passkey is in use already.",
      hint: "Use another one.",
    });
  });
  if (confirmed === undefined) throw refuseUnknown();
  await tellHomes(ctx);
  await forgiveTries(ctx, "factor_code_user", userId);
  return ok({ factor: toFactorView(row), recovery_codes: confirmed.isFirst ? codes : null });
};

/** The columns to store for an app whose code is correct. Throws `factor_invalid`, `missing_field`. */
async function proveApp(ctx: Context, row: FactorRow, code: string | undefined) {
  if (code === undefined) throw refuse("missing_field", { field: "/code", message: "`/code` is required." });
  await limitTries(ctx, { account: ["factor_code_user", row.userId] });
  const step = await findFreshStep(ctx, row, code);
  if (step === null) throw refuse("factor_invalid", { field: "/code" });
  return { counter: step };
}

/** The columns to store for a new passkey. Throws `factor_invalid`, `missing_field`. */
async function provePasskey(ctx: Context, row: FactorRow, created: z.output<typeof CreatedPasskey> | undefined) {
  if (created === undefined) throw refuse("missing_field", { field: "/passkey", message: "`/passkey` is required." });
  await limitTries(ctx, { account: ["factor_user", row.userId] });
  const passkey = await readCreatedPasskey(requireRelyingParty(ctx), row.secret ?? "", created);
  if (passkey === null) {
    throw refuse("factor_invalid", {
      field: "/passkey",
      message: "The browser's answer does not fit what it was asked for.",
      hint: "Begin again with `POST /v1/auth/factors`.",
    });
  }
  return { ...passkey, transports: created.response.transports ?? [], secret: null };
}
