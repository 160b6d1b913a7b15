// Handles the answer to a challenge. The answer is the second step of a sign-in, or proves a factor before a protected call.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import type {
  proveFactor as proveContract,
  Shown,
  signInWithFactor as signInContract,
} from "../../contract/factors.ts";
import { base64Url } from "../../domain/encoding.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser, listMemberships } from "../../store/accounts/accounts.ts";
import { findChallenge, noteFactorShown, signInByChallenge } from "../../store/accounts/factor-challenges.ts";
import { makeSession } from "../accounts/make-session.ts";
import { userView, workspaceView } from "../accounts/views.ts";
import { makeSignInEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { noContent, ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { judgeEvidence } from "./judge.ts";

/** Judges an answer to an open challenge. Throws `factor_invalid`. `sessionHash` is null at sign-in. */
async function readAnswer(ctx: Context, answer: Shown, sessionHash: string | null) {
  const tokenHash = await sha256Hex(answer.challenge);
  const challenge = await findChallenge(ctx.accounts, tokenHash, sessionHash);
  if (challenge === undefined) throw refuseChallenge();
  const { userId } = challenge;
  const evidence = await judgeEvidence(ctx, userId, answer);
  if (evidence === null) throw refuse("factor_invalid");
  return { tokenHash, userId, evidence, mark: base64Url(ctx.entropy(16)) };
}

const refuseChallenge = () =>
  refuse("factor_invalid", {
    message: "The challenge was used before, or has expired.",
    hint: "Begin again: sign in, or send the call again that asked for the factor.",
  });

export const signInWithFactor: Run<typeof signInContract> = async (ctx, _caller, { body }) => {
  await limitTries(ctx, { address: "login_address" });
  const answer = await readAnswer(ctx, body, null);
  const { userId } = answer;
  const session = await makeSession(ctx);
  const row = { ...session.row, userId };
  const entry = makeSignInEntry(ctx, "second_factor");
  if (!(await signInByChallenge(ctx.accounts, answer, row, entry))) throw refuse("factor_invalid");
  // A sign-in may end the person's oldest session.
  await tellHomes(ctx);
  await forgiveTries(ctx, "factor_code_user", userId);
  const user = await findUser(ctx.accounts, userId);
  if (user === undefined) throw refuse("session_expired");
  return ok({
    token: session.token,
    expires_at: isoInstant(session.expiresAt),
    user: userView(user),
    workspaces: (await listMemberships(ctx.accounts, userId)).map(workspaceView),
  });
};

export const proveFactor: Run<typeof proveContract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  const answer = await readAnswer(ctx, body, tokenHash);
  if (!(await noteFactorShown(ctx.accounts, answer, tokenHash))) throw refuse("factor_invalid");
  await forgiveTries(ctx, "factor_code_user", userId);
  return noContent;
};
