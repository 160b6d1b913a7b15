// Passkeys as second factors: made, shown, and refused where any part of them is not what was asked for.
import { describe, expect, it } from "vitest";
import { makeAuthenticator, type Wrong } from "../support/authenticator.ts";
import { testEnv } from "../support/env.ts";
import { challengeIn, passSignIn, prove } from "../support/factors.ts";
import { fetchCrier, send } from "../support/oauth.ts";
import { type Account, type Answer, call, signUp } from "../support/world.ts";
import { login, statusOf } from "./own-account.ts";

type Begun = { id: string; options: { challenge: string; rp: { id: string } } };
type Asked = { challenge: string; rpId: string; allowCredentials: { id: string }[] };

const begin = ({ session, password }: Account) =>
  call<Begun>("POST", "/v1/auth/factors", { token: session, body: { kind: "passkey", name: "Laptop", password } });
const confirm = (session: string, id: string, passkey: unknown) =>
  call("POST", `/v1/auth/factors/${id}/confirm`, { token: session, body: { passkey } });
/** What a browser is asked for by a 401. */
const askedIn = ({ body }: Answer): Asked => {
  const { passkey } = body;
  const isAsked = (value: unknown): value is Asked => typeof value === "object" && value !== null && "rpId" in value;
  return isAsked(passkey) ? passkey : expect.fail(`no passkey is asked for: ${JSON.stringify(body)}`);
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
  ["an authenticator that nobody touched", { isAbsent: true }],
];

describe("making a passkey", () => {
  it("asks the browser for one of this host, and not for one that the person has", async () => {
    const account = await signUp();
    const begun = await begin(account);
    expect(begun).toMatchObject({
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
    const passkey = await (await makeAuthenticator()).create(begun.body.options);
    expect((await confirm(account.session, begun.body.id, passkey)).status).toBe(200);
    const again = await begin(account);
    await prove(account.session, challengeIn(again), { recovery_code: "wrong" });
    expect(askedIn(again).allowCredentials).toMatchObject([{ id: passkey.id }]);
  });

  it.each(WRONG)("refuses the answer of %s", async (_, wrong) => {
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
  ])("answers %j with %i", async (body, status) => {
    const account = await signUp();
    const { id } = (await begin(account)).body;
    expect((await call("POST", `/v1/auth/factors/${id}/confirm`, { token: account.session, body })).status).toBe(
      status,
    );
  });

  it("takes a passkey into one account only", async () => {
    const { authenticator } = await signUpWithPasskey();
    const other = await signUp();
    const { body } = await begin(other);
    expect(await confirm(other.session, body.id, await authenticator.create(body.options))).toMatchObject({
      status: 401,
      body: { message: "This passkey is in use already." },
    });
  });
});

describe("showing a passkey", () => {
  it("signs in, proves a session, and keeps what was shown from being shown again", async () => {
    const account = await signUpWithPasskey();
    const { authenticator, session, workspace } = account;
    const asked = await login(account);
    expect(asked.body).toMatchObject({ methods: ["passkey", "recovery_code"], passkey: { rpId: "crier.test" } });
    const passkey = await authenticator.get(askedIn(asked));
    const entered = await passSignIn(challengeIn(asked), { passkey });
    expect(await statusOf(entered.body.token)).toBe(200);
    expect((await passSignIn(challengeIn(asked), { passkey })).status).toBe(401);
    expect((await passSignIn(challengeIn(await login(account)), { passkey })).status).toBe(401);

    const reveal = () => call("GET", `/v1/workspaces/${workspace}/key`, { token: session });
    const refused = await reveal();
    const shown = await authenticator.get(askedIn(refused));
    expect((await prove(session, challengeIn(refused), { passkey: shown })).status).toBe(204);
    expect((await reveal()).status).toBe(200);
  });

  it.each(WRONG)("refuses the answer of %s", async (_, wrong) => {
    const account = await signUpWithPasskey();
    const asked = await login(account);
    const passkey = await account.authenticator.get(askedIn(asked), wrong);
    expect((await passSignIn(challengeIn(asked), { passkey })).body).toMatchObject({ error: "factor_invalid" });
    const right = await account.authenticator.get(askedIn(asked));
    expect((await passSignIn(challengeIn(asked), { passkey: right })).status).toBe(200);
  });

  it("refuses a copy, whose signature counter has not grown", async () => {
    const account = await signUpWithPasskey();
    const first = await login(account);
    const shown = await account.authenticator.get(askedIn(first), { counter: 9 });
    expect((await passSignIn(challengeIn(first), { passkey: shown })).status).toBe(200);
    const second = await login(account);
    const copied = await account.authenticator.get(askedIn(second), { counter: 9 });
    expect((await passSignIn(challengeIn(second), { passkey: copied })).status).toBe(401);
  });

  it("refuses the passkey of another person, and one with another's signature", async () => {
    const [account, stranger] = [await signUpWithPasskey(), await signUpWithPasskey()];
    const asked = await login(account);
    const theirs = await stranger.authenticator.get(askedIn(asked));
    expect((await passSignIn(challengeIn(asked), { passkey: theirs })).status).toBe(401);
    const forged = { ...theirs, id: account.authenticator.id, rawId: account.authenticator.id };
    expect((await passSignIn(challengeIn(asked), { passkey: forged })).status).toBe(401);
  });

  it("is refused once the passkey is removed", async () => {
    const account = await signUpWithPasskey();
    await testEnv.DB.prepare("UPDATE factors SET confirmed_at = NULL WHERE id = ?").bind(account.factorId).run();
    expect((await login(account)).status).toBe(200);
  });
});

it("the page of the second step asks the browser for the passkey, and takes nothing that makes no sense", async () => {
  const account = await signUpWithPasskey();
  const asked = await login(account);
  const cookie = `factor=${challengeIn(asked)}`;
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const fetchPage = () => fetchCrier("/auth/factor", { headers });
  const sendPasskey = (passkey: string) => send("/auth/factor", null, { passkey }, headers);
  const shown = await (await fetchPage()).text();
  expect(shown).toContain("Use a passkey");
  expect(shown).toContain(askedIn(asked).challenge);
  for (const passkey of ["{", "[]", '{"id":1}']) {
    expect((await sendPasskey(passkey)).status).toBe(422);
  }
  const passkey = JSON.stringify(await account.authenticator.get(askedIn(asked)));
  const entered = await sendPasskey(passkey);
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
});
