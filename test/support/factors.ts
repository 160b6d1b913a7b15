import { expect } from "vitest";
import { computeTotpCode, getTotpStep } from "../../src/adapters/totp.ts";
import { testEnv } from "./env.ts";
import { type Account, type Answer, call, signUp } from "./world.ts";

export type AppFactor = { id: string; secret: string; otpauth_url: string };
export interface Protected extends Account {
  factor: AppFactor;
  recoveryCodes: string[];
}

/** Computes the code that an app shows now, or `steps` later. */
export const showCode = ({ secret }: { secret: string }, steps = 0): Promise<string> =>
  computeTotpCode(secret, getTotpStep(Date.now()) + steps);

/** Makes used codes valid again, as if time had passed. */
export async function forgetUsedCodes({ id }: { id: string }): Promise<void> {
  await testEnv.DB.prepare("UPDATE factors SET counter = 0 WHERE id = ?").bind(id).run();
}

export async function beginApp(session: string, password: string, name = "Phone"): Promise<Answer<AppFactor>> {
  return call<AppFactor>("POST", "/v1/auth/factors", { token: session, body: { kind: "totp", name, password } });
}

/** Sets up an authenticator app without used codes for an account. */
export async function protect(account: Account): Promise<Protected> {
  const enrolment = await beginApp(account.session, account.password);
  expect(enrolment).toMatchObject({ status: 201 });
  const confirmed = await call<{ recovery_codes: string[] }>("POST", `/v1/auth/factors/${enrolment.body.id}/confirm`, {
    token: account.session,
    body: { code: await showCode(enrolment.body) },
  });
  expect(confirmed).toMatchObject({ status: 200 });
  await forgetUsedCodes(enrolment.body);
  return { ...account, factor: enrolment.body, recoveryCodes: confirmed.body.recovery_codes };
}

export const signUpProtected = async (): Promise<Protected> => protect(await signUp());

/** Reads the challenge of a 401 that requires a factor. */
export function challengeIn(answer: Answer): string {
  expect(answer).toMatchObject({ status: 401, body: { error: "factor_required", challenge: expect.any(String) } });
  return String(answer.body.challenge);
}

export const passSignIn = (challenge: string, factorFields: object, headers: Record<string, string> = {}) =>
  call<{ token: string }>("POST", "/v1/auth/login/factor", { body: { challenge, ...factorFields }, headers });

/** Proves a factor for the next protected call of a session. */
export const prove = (session: string, challenge: string, factorFields: object) =>
  call("POST", "/v1/auth/factors/prove", { token: session, body: { challenge, ...factorFields } });
