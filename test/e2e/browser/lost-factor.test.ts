// An owner resets the second factor of a member who has lost it, on the members page.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { computeTotpCode, getTotpStep } from "../../../src/adapters/totp.ts";
import { json } from "../local/running.ts";
import { chooseInMenu, expectAccessibleInAll } from "./browsing.ts";
import { useDemoWithMail } from "./people.ts";

const { demo, call, addMember } = useDemoWithMail();
const PASSWORD = "correct horse battery staple";

const signIn = async (email: string, password: string) =>
  (await call<{ token: string }>("POST", "/v1/auth/login", "none", { email, password })).token;

type Send = <Body>(path: string, body: object) => Promise<Body>;

/** Sets up an authenticator app for an account. Returns a function that gives the next code. */
async function setUpFactor(send: Send, password: string): Promise<() => Promise<string>> {
  const body = { kind: "totp", name: "Phone", password };
  const { id, secret } = await send<{ id: string; secret: string }>("/v1/auth/factors", body);
  let step = getTotpStep(Date.now());
  await send(`/v1/auth/factors/${id}/confirm`, { code: await computeTotpCode(secret, step) });
  return () => computeTotpCode(secret, ++step);
}
const sendAs =
  (token: string): Send =>
  (path, body) =>
    call("POST", path, token, body);
/** Uses the session of a page, because a new factor ends all other sessions. */
const sendFrom =
  (page: Page): Send =>
  async (path, data) => {
    const answer = await page.context().request.post(path, { data, headers: { origin: demo.run.url } });
    expect(answer.status(), await answer.text()).toBeLessThan(300);
    return answer.json();
  };

/** A member of the demo's workspace with a second factor. */
async function addProtectedMember(email: string): Promise<string> {
  await addMember({ email, password: PASSWORD }, "publisher");
  const session = await signIn(email, PASSWORD);
  await setUpFactor(sendAs(session), PASSWORD);
  return session;
}

/** Opens the dialog that resets a member's second factor. */
async function openResetDialog(page: Page, email: string) {
  await page.goto("/settings/members");
  await chooseInMenu(page, `More for ${email}`, "Reset second factor");
  const dialog = page.getByRole("dialog", { name: `Reset the second factor of ${email}?` });
  await dialog.waitFor();
  return { dialog, reset: () => dialog.getByRole("button", { name: "Reset factor" }).click() };
}

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.goto("/auth");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

it("an owner with a second factor resets that of a member, who then signs in with the password alone", async () => {
  const [lost, busy] = ["lost@example.com", "busy@example.com"];
  await addProtectedMember(lost);
  const elsewhere = await addProtectedMember(busy);
  const { page, faults, close } = await demo.visit();

  const first = await openResetDialog(page, lost);
  await expectAccessibleInAll(page);
  await first.reset();
  await first.dialog.getByRole("alert").getByText("This requires a second factor on your account.").waitFor();

  await expectAccessibleInAll(page);

  const showCode = await setUpFactor(sendFrom(page), demo.account.password);
  await first.reset();
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  await proof.waitFor();
  await expectAccessibleInAll(page);
  await proof.getByLabel("Code").fill(await showCode());
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByText(`${lost} can sign in with their password and set up a new factor`).waitFor();
  await first.dialog.waitFor({ state: "hidden" });

  const { page: member, close: closeMember } = await demo.open();
  await enterPassword(member, lost);
  await member.getByRole("heading", { name: /^Welcome/ }).waitFor();
  await closeMember();

  const again = await openResetDialog(page, lost);
  await again.reset();
  await again.dialog.getByRole("alert").getByText("This member has no second factor.").waitFor();
  await again.dialog.getByRole("button", { name: "Keep it" }).click();

  // This member's second factor also protects a workspace of their own.
  const { workspaces } = await json<{ workspaces: { id: string; name: string }[] }>(
    `${demo.run.url}/v1/auth/me`,
    elsewhere,
  );
  const ownWorkspace =
    workspaces.find(({ name }) => name !== "Demo") ?? expect.fail("they have no workspace of their own");
  const credentials = {
    handle: "busy.bsky.social",
    credentials: { identifier: "busy.bsky.social", app_password: "abcd-efgh-ijkl-mnop" },
  };
  await call("POST", `/v1/channels?workspace=${ownWorkspace.id}`, elsewhere, { platform: "bluesky", ...credentials });
  const second = await openResetDialog(page, busy);
  await second.reset();
  await second.dialog.getByRole("alert").getByText("This person is also in a workspace that you don't own").waitFor();
  await expectAccessibleInAll(page);
  await second.dialog.getByRole("button", { name: "Keep it" }).click();
  await chooseInMenu(page, `More for ${busy}`, "Reset second factor");
  await second.dialog.waitFor();
  expect(await second.dialog.getByRole("alert").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});
