// A device proof shows that a browser has signed in to an account before.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { makeDevice, readDevice } from "../../src/operations/accounts/device.ts";
import { limitTries } from "../../src/operations/rate-limit.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { type Account, type Answer, call, signUp } from "../support/world.ts";
import { enter } from "./provider-sign-in.ts";

const ctx = compose(testEnv, () => {});
const NEW_PASSWORD = "a new password";

let addresses = 0;
/** Each call comes from its own address, in a block for documentation. */
const login = (email: string, password: string, cookie = "") =>
  call("POST", "/v1/auth/login", {
    headers: { "cf-connecting-ip": `198.51.100.${++addresses}`, cookie },
    body: { email, password },
  });
const getDeviceCookie = ({ headers }: Answer) => /(device=[^;]*)/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "";
const getProof = (cookie: string) => decodeURIComponent(cookie.slice("device=".length));

/** Uses up the tries that all strangers have together. */
async function fillAccountLimit(email: string): Promise<void> {
  for (let i = 0; i < 100; i++) await limitTries(ctx, { account: ["login_account", email] });
}

async function resetPassword({ email }: Account): Promise<void> {
  await call("POST", "/v1/auth/forgot", { body: { email } });
  const token = tokenIn((await mailsTo(email, 1))[0]);
  const body = { token, password: NEW_PASSWORD };
  expect((await call("POST", "/v1/auth/reset", { body })).status).toBe(200);
}

async function changePassword({ session, password }: Account): Promise<void> {
  const body = { current: password, password: NEW_PASSWORD };
  expect((await call("POST", "/v1/auth/password", { token: session, body })).status).toBe(204);
}

it("a device proof expires after a year and belongs to one account", async () => {
  const [{ email, session }, stranger] = [await signUp(), await signUp()];
  const proof = (await makeDevice(ctx, session)) ?? undefined;
  const inDays = (days: number) => ({ ...ctx, now: () => Date.now() + days * 86_400_000 });
  expect(await readDevice(inDays(364), email, proof)).not.toBeNull();
  expect(await readDevice(inDays(366), email, proof)).toBeNull();
  expect(await readDevice(ctx, stranger.email, proof)).toBeNull();
});

it("no device proof is created for a session that has ended", async () => {
  const account = await signUp();
  await resetPassword(account);
  expect(await makeDevice(ctx, account.session)).toBeNull();
});

it("failed sign-ins from some devices never delay another device of the account", async () => {
  const { email, password } = await signUp();
  const owner = getDeviceCookie(await login(email, password));
  for (let device = 0; device < 21; device++) {
    const thief = getDeviceCookie(await login(email, password));
    for (let i = 0; i < 5; i++) await login(email, "wrong password", thief);
    expect((await login(email, password, thief)).status).toBe(429);
  }
  expect((await login(email, password, owner)).status).toBe(200);
}, 120_000);

it.each([
  ["a reset", resetPassword],
  ["a change of the password", changePassword],
])("%s ends all device proofs, and the next sign-in gives the owner's browser a new one", async (_act, change) => {
  const account = await signUp();
  const { email } = account;
  const before = getDeviceCookie(await login(email, account.password));
  expect(await readDevice(ctx, email, getProof(before))).not.toBeNull();
  await change(account);
  expect(await readDevice(ctx, email, getProof(before))).toBeNull();
  const after = getDeviceCookie(await login(email, NEW_PASSWORD));
  await fillAccountLimit(email);
  expect((await login(email, NEW_PASSWORD, before)).status).toBe(429);
  expect((await login(email, NEW_PASSWORD, after)).status).toBe(200);
});

it("a takeover through the provider ends the proofs of the devices that planted the account", async () => {
  const { email, password } = await signUp();
  const planted = getDeviceCookie(await login(email, password));
  const { cookies } = await enter({ email, email_verified: true });
  expect(await readDevice(ctx, email, getProof(planted))).toBeNull();
  expect(await readDevice(ctx, email, cookies.device)).not.toBeNull();
});

it("a device proof is not valid for a later account with the same address", async () => {
  const { email, password, session } = await signUp();
  const erased = getDeviceCookie(await login(email, password));
  expect((await call("DELETE", "/v1/auth/me", { token: session })).status).toBe(204);
  expect((await call("POST", "/v1/auth/signup", { body: { email, password } })).status).toBe(201);
  expect(await readDevice(ctx, email, getProof(erased))).toBeNull();
});
