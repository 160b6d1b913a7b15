// Passkeys as second factors: they are created and used, and refused if any part does not match the request.
import { describe, expect, it } from "vitest";
import { makeAuthenticator, type Wrong } from "../support/authenticator.ts";
import { testEnv } from "../support/env.ts";
import { challengeIn, passSignIn, prove } from "../support/factors.ts";
import { fetchCrier, send } from "../support/oauth.ts";
import { type Account, type Answer, call, signUp } from "../support/world.ts";
import { getStatus, login } from "./own-account.ts";

type PendingPasskey = { id: string; options: { challenge: string; rp: { id: string } } };
type PasskeyRequest = { challenge: string; rpId: string; allowCredentials: { id: string }[] };

const begin = ({ session, password }: Account) =>
  call<PendingPasskey>("POST", "/v1/auth/factors", {
    token: session,
    body: { kind: "passkey", name: "Laptop", password },
  });
const confirm = (session: string, id: string, passkey: unknown) =>
  call("POST", `/v1/auth/factors/${id}/confirm`, { token: session, body: { passkey } });
/** Reads the request to the browser from a 401 answer. */
const requestIn = ({ body }: Answer): PasskeyRequest => {
  const { passkey } = body;
  const isRequest = (value: unknown): value is PasskeyRequest =>
    typeof value === "object" && value !== null && "rpId" in value;
  return isRequest(passkey) ? passkey : expect.fail(`no passkey is asked for: ${JSON.stringify(body)}`);
};

async function signUpWithPasskey() {
  const account = await signUp();
  const authenticator = await makeAuthenticator();
  const { body } = await begin(account);
  const confirmed = await confirm(account.session, body.id, await authenticator.create(body.options));
  expect(confirmed).toMatchObject({ status: 200, body: { factor: { kind: "passkey", name: "Laptop" } } });
  return { ...account, authenticator, factorId: body.id };
}

const WRONG: [string, Wrong][] = [
  ["another page", { origin: "https://evil.example" }],
  ["another host", { rpId: "evil.example" }],
  ["another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ["another ceremony", { type: "payment.get" }],
  ["an authenticator that was not touched", { isAbsent: true }],
];

describe("creating a passkey", () => {
  it("the browser is asked for a passkey of this host, and the person's existing one is named", async () => {
    const account = await signUp();
    const pending = await begin(account);
    expect(pending).toMatchObject({
      status: 201,
      body: {
        secret: null,
        otpauth_url: null,
        options: {
          rp: { id: "crier.test" },
          user: { name: account.email },
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          excludeCredentials: [],
          attestation: "none",
        },
      },
    });
    const passkey = await (await makeAuthenticator()).create(pending.body.options);
    expect((await confirm(account.session, pending.body.id, passkey)).status).toBe(200);
    const again = await begin(account);
    await prove(account.session, challengeIn(again), { recovery_code: "wrong" });
    expect(requestIn(again).allowCredentials).toMatchObject([{ id: passkey.id }]);
  });

  it.each(WRONG)("a new passkey is refused with the answer of %s", async (_, wrong) => {
    const account = await signUp();
    const authenticator = await makeAuthenticator();
    const { body } = await begin(account);
    expect(await confirm(account.session, body.id, await authenticator.create(body.options, wrong))).toMatchObject({
      status: 401,
      body: { error: "factor_invalid", field: "/passkey" },
    });
    expect((await login(account)).status).toBe(200);
  });

  it.each([
    [{}, 422],
    [{ passkey: null }, 422],
    [{ passkey: { id: "x" } }, 422],
    [{ code: "123456" }, 422],
    [
      {
        passkey: { id: "x", rawId: "x", type: "public-key", response: { clientDataJSON: "x", attestationObject: "x" } },
      },
      401,
    ],
    [
      {
        passkey: {
          id: "eA",
          rawId: "eA",
          type: "public-key",
          response: { clientDataJSON: "e30", attestationObject: "oA" },
        },
      },
      401,
    ],
  ])("a confirmation with %j is answered with %i", async (body, status) => {
    const account = await signUp();
    const { id } = (await begin(account)).body;
    expect((await call("POST", `/v1/auth/factors/${id}/confirm`, { token: account.session, body })).status).toBe(
      status,
    );
  });

  it("a passkey belongs to one account only", async () => {
    const { authenticator } = await signUpWithPasskey();
    const stranger = await signUp();
    const { body } = await begin(stranger);
    expect(await confirm(stranger.session, body.id, await authenticator.create(body.options))).toMatchObject({
      status: 401,
      body: { message: "This passkey is in use already." },
    });
  });
});

describe("using a passkey", () => {
  it("a passkey signs a person in and proves a session, and each answer of it is accepted once", async () => {
    const account = await signUpWithPasskey();
    const { authenticator, session, workspace } = account;
    const firstStep = await login(account);
    expect(firstStep.body).toMatchObject({ methods: ["passkey", "recovery_code"], passkey: { rpId: "crier.test" } });
    const passkey = await authenticator.get(requestIn(firstStep));
    const entered = await passSignIn(challengeIn(firstStep), { passkey });
    expect(await getStatus(entered.body.token)).toBe(200);
    expect((await passSignIn(challengeIn(firstStep), { passkey })).status).toBe(401);
    expect((await passSignIn(challengeIn(await login(account)), { passkey })).status).toBe(401);

    const reveal = () => call("GET", `/v1/workspaces/${workspace}/key`, { token: session });
    const refused = await reveal();
    const proof = await authenticator.get(requestIn(refused));
    expect((await prove(session, challengeIn(refused), { passkey: proof })).status).toBe(204);
    expect((await reveal()).status).toBe(200);
  });

  it.each(WRONG)("a sign-in is refused with the answer of %s", async (_, wrong) => {
    const account = await signUpWithPasskey();
    const firstStep = await login(account);
    const passkey = await account.authenticator.get(requestIn(firstStep), wrong);
    expect((await passSignIn(challengeIn(firstStep), { passkey })).body).toMatchObject({ error: "factor_invalid" });
    const right = await account.authenticator.get(requestIn(firstStep));
    expect((await passSignIn(challengeIn(firstStep), { passkey: right })).status).toBe(200);
  });

  it("a copied passkey is refused, because its signature counter has not grown", async () => {
    const account = await signUpWithPasskey();
    const first = await login(account);
    const original = await account.authenticator.get(requestIn(first), { counter: 9 });
    expect((await passSignIn(challengeIn(first), { passkey: original })).status).toBe(200);
    const second = await login(account);
    const copied = await account.authenticator.get(requestIn(second), { counter: 9 });
    expect((await passSignIn(challengeIn(second), { passkey: copied })).status).toBe(401);
  });

  it("the passkey of another person is refused, also under the id of the right one", async () => {
    const [account, stranger] = [await signUpWithPasskey(), await signUpWithPasskey()];
    const firstStep = await login(account);
    const theirs = await stranger.authenticator.get(requestIn(firstStep));
    expect((await passSignIn(challengeIn(firstStep), { passkey: theirs })).status).toBe(401);
    const forged = { ...theirs, id: account.authenticator.id, rawId: account.authenticator.id };
    expect((await passSignIn(challengeIn(firstStep), { passkey: forged })).status).toBe(401);
  });

  it("the password alone is enough once the passkey is removed", async () => {
    const account = await signUpWithPasskey();
    await testEnv.DB.prepare("UPDATE factors SET confirmed_at = NULL WHERE id = ?").bind(account.factorId).run();
    expect((await login(account)).status).toBe(200);
  });
});

it("the page of the second step asks the browser for the passkey, and refuses an invalid answer", async () => {
  const account = await signUpWithPasskey();
  const firstStep = await login(account);
  const cookie = `factor=${challengeIn(firstStep)}`;
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const fetchPage = () => fetchCrier("/auth/factor", { headers });
  const sendPasskey = (passkey: string) => send("/auth/factor", null, { passkey }, headers);
  const html = await (await fetchPage()).text();
  expect(html).toContain("Use a passkey");
  expect(html).toContain(requestIn(firstStep).challenge);
  for (const passkey of ["{", "[]", '{"id":1}']) {
    expect((await sendPasskey(passkey)).status).toBe(422);
  }
  const passkey = JSON.stringify(await account.authenticator.get(requestIn(firstStep)));
  const entered = await sendPasskey(passkey);
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
});
