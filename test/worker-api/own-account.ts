// Calls about the account of the signed-in person.
import { expect } from "vitest";
import { lastProofTo, tokenIn } from "../support/mails.ts";
import { type Account, call, signUp } from "../support/world.ts";

export const login = async (
  { email, password }: { email: string; password: string },
  headers: Record<string, string> = {},
) => call<{ token: string }>("POST", "/v1/auth/login", { body: { email, password }, headers });
export const getStatus = async (session: string) => (await call("GET", "/v1/auth/me", { token: session })).status;
export const getUser = async (session: string) =>
  (
    await call<{ user: { id: string; email: string; email_verified: boolean } }>("GET", "/v1/auth/me", {
      token: session,
    })
  ).body.user;
export const getProof = async ({ email }: { email: string }) => tokenIn(await lastProofTo(email));
export const verifyEmail = (session: string, token: string) =>
  call("POST", "/v1/auth/verify", { token: session, body: { token } });
export const signUpVerified = async () => {
  const account = await signUp();
  expect((await verifyEmail(account.session, await getProof(account))).status).toBe(200);
  return account;
};
export const requestReset = async ({ email }: { email: string }) => {
  expect((await call("POST", "/v1/auth/forgot", { body: { email } })).status).toBe(202);
};
export const changeEmail = ({ session, password }: Account, email: string) =>
  call("POST", "/v1/auth/email", { token: session, body: { email, password } });
