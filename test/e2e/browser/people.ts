// Several people in one local run: their accounts, their mails, and their browsers.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type ReceivedMail, startMailServer } from "../../support/mail-server.ts";
import { json } from "../local/running.ts";
import { type Demo, useDemo, type Visit } from "./demo.ts";

interface Account {
  email: string;
  password: string;
}
interface Workspace {
  id: string;
  name: string;
}

/** Keeps a demo whose mails can be read for the tests of a file. */
export function useDemoWithMail() {
  let running: Awaited<ReturnType<typeof startMailServer>> | undefined;
  const mails = () => running ?? expect.fail("the mail server has not started");
  beforeAll(async () => {
    running = await startMailServer();
  });
  // These hooks run in reverse order, so the run has ended by then.
  afterAll(() => running?.close());
  const demo = useDemo(() => ({ SMTP_URL: mails().smtpUrl, MAIL_FROM: "crier@example.com" }));

  async function call<Body>(method: string, path: string, token: string, body: object = {}): Promise<Body> {
    const answer = await fetch(demo.run.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, `${method} ${path}`).toBeLessThan(300);
    return answer.json();
  }
  const openSession = async (path: "login" | "signup", { email, password }: Account) =>
    (await call<{ token: string }>("POST", `/v1/auth/${path}`, "none", { email, password })).token;
  /** The newest mail to an address that contains `text`. */
  const mailTo = (address: string, text: string) =>
    eventually(async () => {
      const answer = await fetch(`${mails().readUrl}?to=${encodeURIComponent(address)}`);
      const { mails: received }: { mails: ReceivedMail[] } = await answer.json();
      return received.findLast((mail) => mail.text.includes(text)) ?? expect.fail(`no mail to ${address} with ${text}`);
    });

  return {
    demo,
    call,
    mailTo,
    /** Creates an account with a role in the demo's workspace, by an accepted invitation. */
    async addMember(account: Account, role: string): Promise<{ owner: string; workspace: Workspace }> {
      const [owner, member] = [await openSession("login", demo.account), await openSession("signup", account)];
      const { workspaces } = await json<{ workspaces: Workspace[] }>(`${demo.run.url}/v1/auth/me`, owner);
      const workspace = workspaces[0] ?? expect.fail("the demo has no workspace");
      const { invitation } = await call<{ invitation: { id: string } }>(
        "POST",
        `/v1/workspaces/${workspace.id}/members`,
        owner,
        { email: account.email, role },
      );
      const { text } = await mailTo(account.email, "/invitation?token=");
      const token = /token=([\w-]{43})/.exec(text)?.[1];
      await call("POST", `/v1/invitations/${invitation.id}/accept`, member, { token });
      return { owner, workspace };
    },
  };
}

/** Opens a browser and signs up. */
export async function signUpAs(demo: Demo, { email, password }: Account): Promise<Visit> {
  const visit = await demo.open();
  await visit.page.goto("/auth/sign-up");
  await visit.page.getByLabel("Email").fill(email);
  await visit.page.getByLabel("Password").fill(password);
  await visit.page.getByRole("button", { name: "Sign up" }).click();
  await visit.page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  return visit;
}

/** Opens a browser, signs in, and chooses a workspace. */
export async function signInAs(demo: Demo, { email, password }: Account, workspace: string): Promise<Visit> {
  const visit = await demo.open();
  const { page } = visit;
  await page.goto("/auth");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  await openWorkspace(page, workspace);
  return visit;
}

/** Changes to another workspace. */
export async function openWorkspace(page: Page, workspace: string): Promise<void> {
  await page.getByRole("button", { name: /^Workspace: / }).click();
  await page.getByRole("combobox", { name: "Workspace" }).fill(workspace);
  await page.getByRole("option", { name: workspace }).click();
  await page.getByRole("button", { name: `Workspace: ${workspace}` }).waitFor();
}
