// Several people at one local run: their accounts, their mails, and the browsers that they sign in with.
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type ReceivedMail, startMailServer } from "../../support/mail-server.ts";
import { startDemo } from "./browsing.ts";

export interface Account {
  email: string;
  password: string;
}

/** A local run with the demo whose mails can be read. */
export async function startWithMail() {
  const mail = await startMailServer();
  const demo = await startDemo({ SMTP_URL: mail.smtpUrl, MAIL_FROM: "crier@example.com" });
  const { url } = demo.run;

  async function call<Body>(method: string, path: string, token: string, body: object = {}): Promise<Body> {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, `${method} ${path}`).toBeLessThan(300);
    return answer.json();
  }

  return {
    ...demo,
    closeMail: mail.close,
    call,
    sessionOf: async (path: "login" | "signup", account: object) =>
      (await call<{ token: string }>("POST", `/v1/auth/${path}`, "none", account)).token,
    /** The newest mail to an address that says `text`. */
    mailTo: (address: string, text: string) =>
      eventually(async () => {
        const answer = await fetch(`${mail.readUrl}?to=${encodeURIComponent(address)}`);
        const { mails }: { mails: ReceivedMail[] } = await answer.json();
        const found = mails.findLast((one) => one.text.includes(text));
        if (found === undefined) throw new Error(`no mail to ${address} with ${text}`);
        return found;
      }),
  };
}

/** A browser of its own where nobody is signed in. */
export async function openBrowser(browser: Browser, baseURL: string): Promise<Page> {
  return (await browser.newContext({ viewport: { width: 1280, height: 900 }, baseURL })).newPage();
}

/** Opens a browser, signs in, and chooses a workspace. */
export async function signInAs(browser: Browser, baseURL: string, account: Account, workspace: string): Promise<Page> {
  const page = await openBrowser(browser, baseURL);
  await page.goto("/auth");
  await page.getByLabel("Email").fill(account.email);
  await page.getByLabel("Password").fill(account.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  await page.getByRole("combobox", { name: "Workspace" }).selectOption({ label: workspace });
  return page;
}
