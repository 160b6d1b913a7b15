// `SIGN_UP=invite`: the first account is the operator's, and each later one needs an invitation.
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
const methods = async () => (await ask("/v1/auth/methods")).json();
const address = () => `${unique("invited")}@example.com`;
const enter = (email: string) =>
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
  // Those of the files before, which share the database.
  await testEnv.DB.prepare("DELETE FROM users").run();
  expect(await methods()).toMatchObject({ sign_up: "open" });
  const emails = [address(), address(), address()];
  const answers = await Promise.all(emails.map((email) => signUp(email)));
  // However many are first at once, one is.
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
  const first = answers.findIndex(({ status }) => status === 201);
  const { token, workspaces } = answers[first]?.body ?? expect.fail("nobody was first");
  operator = { session: token, workspace: workspaces[0]?.id ?? "", email: emails[first] ?? "" };
});

it("refuses a stranger, and answers the same for an address that has an account", async () => {
  expect(await methods()).toMatchObject({ sign_up: "invite" });
  const refused = await signUp(address());
  expect(refused).toMatchObject(CLOSED);
  const { request_id: _, ...stranger } = { request_id: "", ...refused.body };
  expect(await signUp(operator.email)).toMatchObject({ status: 403, body: stranger });
  expect(await enter(address())).toBe("sign_up_closed");
});

it("takes the token of a mailed link, for the invited address alone", async () => {
  const invited = address();
  const token = await invite(invited);
  expect(await signUp(invited)).toMatchObject(CLOSED);
  expect(await signUp(invited, `${token}x`)).toMatchObject(CLOSED);
  expect(await signUp(address(), token)).toMatchObject(CLOSED);
  expect(await signUp(invited, token)).toMatchObject({ status: 201 });
});

it("leaves nothing behind when the invitation is withdrawn while somebody signs up", async () => {
  const invited = address();
  await invite(invited);
  const { results } = await testEnv.DB.prepare("SELECT COUNT(*) AS count FROM workspaces").all<{ count: number }>();
  await testEnv.DB.prepare("DELETE FROM invitations WHERE email = ?").bind(invited).run();
  expect(await enter(invited)).toBe("sign_up_closed");
  expect((await testEnv.DB.prepare("SELECT COUNT(*) AS count FROM workspaces").all()).results).toEqual(results);
  const rows = await testEnv.DB.prepare("SELECT id FROM users WHERE email = ?").bind(invited).all();
  expect(rows.results).toEqual([]);
});

it("takes an invited address that the sign-in provider has verified", async () => {
  const invited = address();
  await invite(invited);
  const emailOf = async (entered: Awaited<ReturnType<typeof enter>>) => {
    if (typeof entered === "string") return entered;
    return (await call<{ user: { email: string } }>("GET", "/v1/auth/me", { token: entered.token })).body.user.email;
  };
  expect(await emailOf(await enter(invited))).toBe(invited);
  // Once there, they come in without any.
  expect(await emailOf(await enter(invited))).toBe(invited);
});

it("offers no sign-up on its pages, and says why on the page of one", async () => {
  for (const path of ["/", "/auth"]) expect(await (await ask(path)).text(), path).not.toContain("/auth/sign-up");
  const page = await ask("/auth/sign-up");
  expect(page.status).toBe(403);
  expect(await page.text()).toContain("New accounts need an invitation.");
});
