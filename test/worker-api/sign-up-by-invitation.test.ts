// With `SIGN_UP=invite`, the first account belongs to the operator, and each later one needs an invitation.
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { app } from "../../src/http/app.ts";
import { enterWithIdp } from "../../src/operations/accounts/enter-with-idp.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo, tokenIn } from "../support/mails.ts";
import { type Account, call, unique } from "../support/world.ts";

const env = { ...testEnv, SIGN_UP: "invite" };
const PASSWORD = "correct horse battery";
const CLOSED = { status: 403, body: { error: "sign_up_closed" } };

const ask = (path: string, init?: RequestInit) =>
  app.fetch(new Request(`http://crier.test${path}`, init), env, createExecutionContext());

async function signUp(email: string, invitation?: string) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ email, password: PASSWORD, invitation });
  const response = await ask("/v1/auth/signup", { method: "POST", headers, body });
  return { status: response.status, body: await response.json<{ token: string; workspaces: { id: string }[] }>() };
}
const getMethods = async () => (await ask("/v1/auth/methods")).json();
const makeAddress = () => `${unique("invited")}@example.com`;
const enterThroughProvider = (email: string) =>
  enterWithIdp(
    compose(env, () => {}),
    { issuer: "https://id.example", subject: email, email, name: null },
    "UTC",
  );

let operator: Pick<Account, "session" | "workspace" | "email">;

async function invite(email: string): Promise<string> {
  const path = `/v1/workspaces/${operator.workspace}/members`;
  const { status } = await call("POST", path, { token: operator.session, body: { email, role: "author" } });
  expect(status).toBe(202);
  const [mail] = await mailsTo(email, 1);
  return tokenIn(mail);
}

beforeAll(async () => {
  // Removes the accounts of earlier files, which share the database.
  await testEnv.DB.prepare("DELETE FROM users").run();
  expect(await getMethods()).toMatchObject({ sign_up: "open" });
  const emails = [makeAddress(), makeAddress(), makeAddress()];
  const answers = await Promise.all(emails.map((email) => signUp(email)));
  // Only one of several simultaneous sign-ups is the first.
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
  const first = answers.findIndex(({ status }) => status === 201);
  const { token, workspaces } = answers[first]?.body ?? expect.fail("no sign-up was accepted");
  operator = { session: token, workspace: workspaces[0]?.id ?? "", email: emails[first] ?? "" };
});

it("a stranger is refused with the same answer as an address that has an account", async () => {
  expect(await getMethods()).toMatchObject({ sign_up: "invite" });
  const refused = await signUp(makeAddress());
  expect(refused).toMatchObject(CLOSED);
  const { request_id: _, ...stranger } = { request_id: "", ...refused.body };
  expect(await signUp(operator.email)).toMatchObject({ status: 403, body: stranger });
  expect(await enterThroughProvider(makeAddress())).toBe("sign_up_closed");
});

it("the token of a mailed link is accepted only for the invited address", async () => {
  const invited = makeAddress();
  const token = await invite(invited);
  expect(await signUp(invited)).toMatchObject(CLOSED);
  expect(await signUp(invited, `${token}x`)).toMatchObject(CLOSED);
  expect(await signUp(makeAddress(), token)).toMatchObject(CLOSED);
  expect(await signUp(invited, token)).toMatchObject({ status: 201 });
});

it("no account is left if the invitation is withdrawn during the sign-up", async () => {
  const invited = makeAddress();
  await invite(invited);
  const { results } = await testEnv.DB.prepare("SELECT COUNT(*) AS count FROM workspaces").all<{ count: number }>();
  await testEnv.DB.prepare("DELETE FROM invitations WHERE email = ?").bind(invited).run();
  expect(await enterThroughProvider(invited)).toBe("sign_up_closed");
  expect((await testEnv.DB.prepare("SELECT COUNT(*) AS count FROM workspaces").all()).results).toEqual(results);
  const rows = await testEnv.DB.prepare("SELECT id FROM users WHERE email = ?").bind(invited).all();
  expect(rows.results).toEqual([]);
});

it("an invited address is accepted if the sign-in provider has verified it", async () => {
  const invited = makeAddress();
  await invite(invited);
  const getEmail = async (entered: Awaited<ReturnType<typeof enterThroughProvider>>) => {
    if (typeof entered === "string") return entered;
    return (await call<{ user: { email: string } }>("GET", "/v1/auth/me", { token: entered.token })).body.user.email;
  };
  expect(await getEmail(await enterThroughProvider(invited))).toBe(invited);
  // An existing account needs no invitation.
  expect(await getEmail(await enterThroughProvider(invited))).toBe(invited);
});

it("the pages offer no sign-up, and the sign-up page says why", async () => {
  for (const path of ["/", "/auth"]) expect(await (await ask(path)).text(), path).not.toContain("/auth/sign-up");
  const page = await ask("/auth/sign-up");
  expect(page.status).toBe(403);
  expect(await page.text()).toContain("New accounts need an invitation.");
});
