// The way of a post that needs somebody's word: an author asks, an owner makes a link, a client without an account approves.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type ReceivedMail, startMailServer } from "../../support/mail-server.ts";
import { json, type Run, stopAll } from "../local/running.ts";
import { demoOf, expectAccessible, startDemo, visit } from "./browsing.ts";

interface Post {
  id: string;
  status: string;
  approval: { state: string; by: string | null; reason: string | null } | null;
}

let run: Run;
let browser: Browser;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let key: string;

beforeAll(async () => {
  mail = await startMailServer();
  ({ run, key, browser } = await startDemo({ SMTP_URL: mail.smtpUrl, MAIL_FROM: "crier@example.com" }));
});
afterAll(async () => {
  await browser?.close();
  await stopAll();
  await mail?.close();
});

const AUTHOR = { email: "author@example.com", password: "correct horse battery staple" };

async function call<Body>(method: string, path: string, token: string, body: object = {}): Promise<Body> {
  const answer = await fetch(run.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, `${method} ${path}`).toBeLessThan(300);
  return answer.json();
}
const sessionOf = async (path: string, account: object) =>
  (await call<{ token: string }>("POST", `/v1/auth/${path}`, "none", account)).token;

/** The newest mail to an address that says `text`. */
const mailTo = (address: string, text: string) =>
  eventually(async () => {
    const answer = await fetch(`${mail.readUrl}?to=${encodeURIComponent(address)}`);
    const { mails }: { mails: ReceivedMail[] } = await answer.json();
    const found = mails.findLast((one) => one.text.includes(text));
    if (found === undefined) throw new Error(`no mail to ${address} with ${text}`);
    return found;
  });

/** Somebody who drafts in the demo's workspace, and asks. */
async function makeAuthor(): Promise<string> {
  const { email, password } = await demoOf(run);
  const [owner, author] = [await sessionOf("login", { email, password }), await sessionOf("signup", AUTHOR)];
  const { workspaces } = await json<{ workspaces: { id: string; name: string }[] }>(`${run.url}/v1/auth/me`, owner);
  const { id = "", name = "" } = workspaces[0] ?? {};
  const { invitation } = await call<{ invitation: { id: string } }>("POST", `/v1/workspaces/${id}/members`, owner, {
    email: AUTHOR.email,
    role: "author",
  });
  const { text } = await mailTo(AUTHOR.email, "/invitation?token=");
  const token = /token=([\w-]{43})/.exec(text)?.[1];
  await call("POST", `/v1/invitations/${invitation.id}/accept`, author, { token });
  // Such mails go to proven addresses alone.
  await call("POST", "/v1/auth/verify/send", owner);
  const proof = /token=([\w-]{43})/.exec((await mailTo(email, "/auth/verify?token=")).text)?.[1];
  await call("POST", "/v1/auth/verify", owner, { token: proof });
  const others = { delivery_failed: false, delivery_at_risk: false, token_expiring: false };
  await call("PUT", `/v1/notifications?workspace=${id}`, owner, { ...others, approval_requested: true });
  return name;
}

/** Opens a browser as the author, in a workspace. */
async function visitAsAuthor(workspace: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, baseURL: run.url });
  const page = await context.newPage();
  await page.goto("/auth");
  await page.getByLabel("Email").fill(AUTHOR.email);
  await page.getByLabel("Password").fill(AUTHOR.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  await page.getByRole("combobox", { name: "Workspace" }).selectOption({ label: workspace });
  await page.getByText("author ·").waitFor();
  return page;
}

async function expectAccessibleInBoth(page: Page) {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
  }
}

async function ask(page: Page, text: string, file?: string): Promise<string> {
  await page.goto("/compose");
  await page.getByRole("checkbox", { name: /^telegram/ }).check();
  await page.getByLabel("Text", { exact: true }).fill(text);
  if (file !== undefined) {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Add files" }).click();
    await (await chooser).setFiles(file);
    // Such a text is sent a moment after it was typed.
    const described = page.waitForResponse((answer) => answer.request().method() === "PATCH");
    await page.getByLabel("Alt text").fill("A white circle that moves");
    await described;
  }
  await page.getByText("Fits 1 of 1 channels").waitFor();
  expect(await page.getByRole("button", { name: "Post now" }).count()).toBe(0);
  await page.getByRole("button", { name: "Ask for approval" }).click();
  await page.waitForURL(/\/posts\/post_/);
  await page.getByText("Nothing of it is sent before it is approved.").waitFor();
  return new URL(page.url()).pathname.split("/").pop() ?? "";
}

it("goes from an author who asks to a client who approves by a link, and out; and back with a reason", async () => {
  const { page: owner, faults, close } = await visit(browser, run);
  await owner.goto("/settings/workspace");
  await owner
    .getByLabel("Whose posts wait for approval")
    .selectOption({ label: "What authors and keys for drafts queue" });
  await owner.getByRole("button", { name: "Save approval" }).click();
  await owner.getByText("Saved: it holds for what is queued from now on").waitFor();

  const author = await visitAsAuthor(await makeAuthor());
  const id = await ask(author, "A client's own words.", "scripts/local/demo.mp4");
  const postOf = () => json<Post>(`${run.url}/v1/posts/${id}`, key);
  expect(await postOf()).toMatchObject({ status: "awaiting_approval" });
  const news = await mailTo((await demoOf(run)).email, "A client's own words.");
  expect(news.subject).toContain("a post waits for approval");
  const inMail = /http\S+\/approvals/.exec(news.text)?.[0] ?? "";

  await owner.goto(inMail);
  await owner.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
  const card = owner.getByRole("article", { name: /A client's own words/ });
  await card.getByText("A client's own words.", { exact: true }).waitFor();
  await card.getByText("Ask somebody without an account").click();
  await card.getByRole("button", { name: "Make a link" }).click();
  const link = await card.getByLabel("The link").inputValue();
  await card.getByText("Decline", { exact: true }).click();
  await expectAccessibleInBoth(owner);

  const reader = await browser.newContext();
  const looking = await reader.newPage();
  await looking.goto(link);
  await looking.getByText("A white circle that moves").waitFor();
  await expectAccessibleInBoth(looking);
  await looking.getByLabel("Your name").fill("Clara Client");
  await looking.getByRole("button", { name: "Decline" }).click();
  await looking.getByRole("alert").filter({ hasText: "write why" }).waitFor();
  await expectAccessibleInBoth(looking);
  expect(await looking.getByLabel("Your name").inputValue()).toBe("Clara Client");

  // The client's browser runs no scripts, and the page needs none.
  const client = await browser.newContext({ javaScriptEnabled: false });
  const page = await client.newPage();
  await page.goto(link);
  await page.getByText("A client's own words.", { exact: true }).waitFor();
  await page.getByLabel("Your name").fill("Clara Client");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Approved" }).waitFor();
  await eventually(async () =>
    expect(await postOf()).toMatchObject({
      status: "published",
      approval: { state: "approved", by: "Clara Client" },
    }),
  );
  await page.goto(link);
  await page.getByRole("heading", { name: "This link does not work" }).waitFor();
  await owner.goto("/approvals");
  await owner.getByText("Nothing waits for approval").waitFor();
  await expectAccessible(owner);

  const second = await ask(author, "Too early.");
  await owner.goto("/approvals");
  const other = owner.getByRole("article", { name: /Too early/ });
  await other.getByText("Decline", { exact: true }).click();
  await other.getByLabel("Reason").fill("Not before Monday.");
  await other.getByRole("button", { name: "Decline it" }).click();
  await owner.getByText("Nothing waits for approval").waitFor();
  await author.goto(`/posts/${second}`);
  await author.getByText("“Not before Monday.”").waitFor();
  await author.getByRole("link", { name: "Edit" }).click();
  await author.getByLabel("Text", { exact: true }).fill("On Monday.");
  await author.getByRole("button", { name: "Ask for approval" }).click();
  await author.waitForURL(/\/posts\/post_/);
  await owner.goto("/approvals");
  const again = owner.getByRole("article", { name: /On Monday/ });
  await again.getByText("was declined by Demo: “Not before Monday.”").waitFor();
  await again.getByRole("button", { name: "Approve and post now" }).click();
  await owner.getByText("Nothing waits for approval").waitFor();
  await eventually(async () =>
    expect(await json<Post>(`${run.url}/v1/posts/${second}`, key)).toMatchObject({ status: "published" }),
  );
  expect(faults).toEqual([]);
  await Promise.all([close(), reader.close(), client.close(), author.context().close()]);
});
