// Second factors of a person: set up, shown, and told the time by the test.
import { expect } from "vitest";
import { computeTotpCode, getTotpStep } from "../../src/adapters/totp.ts";
import { testEnv } from "./env.ts";
import { type Account, type Answer, call, signUp } from "./world.ts";

export type AppFactor = { id: string; secret: string; otpauth_url: string };
export interface Protected extends Account {
  factor: AppFactor;
  recoveryCodes: string[];
}

/** The code that an app shows now, or so many steps later. */
export const showCode = ({ secret }: { secret: string }, steps = 0): Promise<string> =>
  computeTotpCode(secret, getTotpStep(Date.now()) + steps);

/** Forgets that a code was used, as if time had passed since. */
export async function forgetUsedCodes({ id }: { id: string }): Promise<void> {
  await testEnv.DB.prepare("UPDATE factors SET counter = 0 WHERE id = ?").bind(id).run();
}

export async function beginApp(session: string, password: string, name = "Phone"): Promise<Answer<AppFactor>> {
  return call<AppFactor>("POST", "/v1/auth/factors", { token: session, body: { kind: "totp", name, password } });
}

/** Sets up an authenticator app for an account, whose codes were not used yet. */
export async function protect(account: Account): Promise<Protected> {
  const begun = await beginApp(account.session, account.password);
  expect(begun).toMatchObject({ status: 201 });
  const confirmed = await call<{ recovery_codes: string[] }>("POST", `/v1/auth/factors/${begun.body.id}/confirm`, {
    token: account.session,
    body: { code: await showCode(begun.body) },
  });
  expect(confirmed).toMatchObject({ status: 200 });
  await forgetUsedCodes(begun.body);
  return { ...account, factor: begun.body, recoveryCodes: confirmed.body.recovery_codes };
}

export const signUpProtected = async (): Promise<Protected> => protect(await signUp());

/** The challenge of a 401 that asks for a factor. */
export function challengeIn(answer: Answer): string {
  expect(answer).toMatchObject({ status: 401, body: { error: "factor_required", challenge: expect.any(String) } });
  return String(answer.body.challenge);
}

export const passSignIn = (challenge: string, shown: object, headers: Record<string, string> = {}) =>
  call<{ token: string }>("POST", "/v1/auth/login/factor", { body: { challenge, ...shown }, headers });

/** Shows a factor for the next protected call of a session. */
export const prove = (session: string, challenge: string, shown: object) =>
  call("POST", "/v1/auth/factors/prove", { token: session, body: { challenge, ...shown } });
