import { sha256Hex } from "../../adapters/digest.ts";
import type { createAccountKey as contract } from "../../contract/account-keys.ts";
import { ACCOUNT_SCOPES } from "../../domain/account-scopes.ts";
import { makeAccountKey, makeId } from "../../domain/ids.ts";
import { ACCOUNT_KEYS_MAX } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertAccountKey } from "../../store/accounts/account-keys.ts";
import { provePassword } from "../accounts/prove-password.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { readExpiry, START_LENGTH } from "../keys/stored-key.ts";
import { created, type Run } from "../run.ts";
import { tellByMail } from "../tell-by-mail.ts";
import { accountKeyView } from "./view.ts";

/** The answer shows the key once; it is not stored. */
export const createAccountKey: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  const createdAt = ctx.now();
  const expiresAt = readExpiry(body.expires_at, createdAt);
  const { name } = body;
  const key = makeAccountKey(ctx.entropy);
  const row = {
    id: makeId("akey", createdAt, ctx.entropy),
    userId,
    hash: await sha256Hex(key),
    start: key.slice(0, START_LENGTH),
    name,
    scopes: ACCOUNT_SCOPES.filter((scope) => body.scopes.includes(scope)),
    createdAt,
    lastUsedAt: null,
    expiresAt,
  };
  const details = { key: row.id, name, scopes: row.scopes.join(" ") };
  const entry = makeAccountEntry(ctx, userId, "account_key.created", details);
  const user = await provePassword(ctx, { userId, tokenHash }, body.password, "/password", async (verified) => {
    await requireFactor(ctx, { userId, tokenHash });
    const stored = await insertAccountKey(ctx.accounts, row, { verified, keysMax: ACCOUNT_KEYS_MAX }, entry);
    if (stored === "too_many")
      throw refuse("too_many_keys", { message: "You have the maximum number of account keys." });
    return stored === "stored";
  });
  tellByMail(
    ctx,
    [user.email],
    "A Crier account key was created",
    `The account key "${name}" was created with your password. It acts in the workspaces that you own, with the scopes ` +
      `${row.scopes.join(", ")}. If you did not create it, revoke it in the settings of your account and change your password.`,
  );
  return created({ ...accountKeyView(row), key });
};
