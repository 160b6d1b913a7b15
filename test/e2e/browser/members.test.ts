// What members of each role see and may do, and how they join and leave a workspace.
import { globSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { chooseInMenu, expectAccessible, expectAccessibleInAll } from "./browsing.ts";
import { openWorkspace, signUpAs, useDemoWithMail } from "./people.ts";

const { demo, mailTo } = useDemoWithMail();

const PASSWORD = "correct horse battery staple";

/** Invites an address on the members page, and returns the link in the mail. */
async function invite(owner: Page, email: string, role: string): Promise<string> {
  await owner.goto("/settings/members");
  const form = owner.getByRole("region", { name: "Invite someone" });
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Role").selectOption(role);
  await form.getByRole("button", { name: "Invite" }).click();
  await owner.getByRole("listitem").filter({ hasText: email }).getByText(`Invited as ${role}`).waitFor();
  const { text } = await mailTo(email, "/invitation?token=");
  return /http\S+\/invitation\?token=[\w-]+/.exec(text)?.[0] ?? "";
}

/** Opens the link of an invitation without an account, signs up and accepts. */
async function accept(link: string): Promise<Page> {
  const { page } = await demo.open();
  await page.goto(link);
  await expectAccessibleInAll(page);
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByRole("button", { name: "Accept" }).waitFor();
  await expectAccessibleInAll(page);
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByRole("heading", { name: "Invitation accepted" }).waitFor();
  await page.getByRole("link", { name: "Open Crier" }).click();
  await page.getByRole("heading", { name: /^Welcome/ }).waitFor();
  await openWorkspace(page, "Demo");
  return page;
}

async function setRole(owner: Page, email: string, role: string) {
  const changed = owner.waitForResponse((answer) => answer.request().method() === "PATCH" && answer.ok());
  await owner.getByRole("combobox", { name: `Role of ${email}` }).selectOption(role);
  await changed;
  await owner.getByText(`${email} is now ${role}`).last().waitFor();
}

const write = async (page: Page, text: string) => {
  await page.goto("/compose");
  await page.getByRole("checkbox", { name: /^bluesky/i }).check();
  await page.getByLabel("Text", { exact: true }).fill(text);
};

it("an author only drafts, publishes once an owner has changed the role, and loses access when removed", async () => {
  const { page: owner, faults, close } = await demo.visit();
  const page = await accept(await invite(owner, "author@example.com", "author"));
  await page.getByText("Author ·").waitFor();

  const expectReason = (from: string) => page.getByText(new RegExp(`^Only ${from}s.* can .+\\. You're an author\\.$`));
  for (const [path, from] of [
    ["/compose", "publisher"],
    ["/slots", "publisher"],
    ["/channels", "owner"],
    ["/settings/workspace", "owner"],
    ["/settings/members", "owner"],
    ["/settings/keys", "owner"],
    ["/settings/webhooks", "owner"],
    ["/settings/audit", "owner"],
  ] as const) {
    await page.goto(path);
    await expectReason(from).first().waitFor();
  }
  await write(page, "Drafted by an author");
  await page.getByText("Ready for 1 channel").waitFor();
  expect(await page.getByRole("button", { name: /^Schedule/ }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: /^(Post now|Next free slot)/ }).count()).toBe(0);
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.waitForURL(/\/posts\/post_/);
  await page.getByText("Draft", { exact: true }).first().waitFor();

  // The service refuses what the page still offers, and the page updates at once.
  await owner.goto("/settings/members");
  await setRole(owner, "author@example.com", "publisher");
  await page.reload();
  await page.getByText("Publisher ·").waitFor();
  await write(page, "Published by a publisher");
  await page.getByText("Ready for 1 channel").waitFor();
  await setRole(owner, "author@example.com", "viewer");
  await page.getByRole("button", { name: "Post now" }).click();
  await page.getByRole("alert").first().waitFor();
  await page.getByText("Viewer ·").waitFor();
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Published by a publisher");
  await expectAccessible(page);
  await setRole(owner, "author@example.com", "publisher");
  await page.reload();
  await page.getByRole("button", { name: "Post now" }).click();
  await page.waitForURL(/\/posts\/post_/);

  await chooseInMenu(owner, "More for author@example.com", "Remove");
  const dialog = owner.getByRole("dialog", { name: "Remove author@example.com?" });
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Keep member" }).click();
  await chooseInMenu(owner, "More for author@example.com", "Remove");
  await dialog.getByRole("button", { name: "Remove member" }).click();
  await owner.getByText("author@example.com removed").waitFor();
  await page.getByRole("link", { name: "Channels" }).click();
  await page.getByText("You're no longer a member of Demo").waitFor();
  await page.getByText("No channels yet").waitFor();
  await page.getByRole("button", { name: /^Workspace: / }).click();
  await page.getByRole("option").first().waitFor();
  expect(await page.getByRole("option", { name: "Demo" }).count()).toBe(0);
  expect(faults).toEqual([]);
  await Promise.all([close(), page.context().close()]);
});

it("the last owner cannot leave, and the page says why", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/settings/members");
  await chooseInMenu(page, "More for demo@crier.example", "Leave workspace");
  await page.getByRole("dialog", { name: "Leave Demo?" }).getByRole("button", { name: "Leave workspace" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Stay" }).click();
  await page.getByRole("combobox", { name: /^Role of demo/ }).selectOption("viewer");
  await page.getByRole("alert").first().waitFor();
  await expectAccessible(page);
  await page.getByText("Owner ·").waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("an invitation does not work once it is withdrawn or expired, or for another person", async () => {
  const { page: owner, faults, close } = await demo.visit();
  const withdrawn = await invite(owner, "withdrawn@example.com", "viewer");
  await owner.getByRole("button", { name: "Withdraw the invitation of withdrawn@example.com" }).click();
  await owner.getByText("Invitation withdrawn").waitFor();
  const { page: reader, close: closeReader } = await demo.open();
  await reader.goto(withdrawn);
  await reader.getByRole("heading", { name: "This invitation is no longer open" }).waitFor();
  await expectAccessibleInAll(reader);

  const late = await invite(owner, "late@example.com", "viewer");
  await owner.goto(late);
  await owner.getByText("This invitation was sent to a different email address.").waitFor();
  await expectAccessibleInAll(owner);
  expect(await owner.getByRole("button", { name: "Accept" }).count()).toBe(0);
  await reader.goto(late);
  await reader.getByLabel("New password").waitFor();
  for (const file of globSync(join(demo.run.state, "v3/d1/miniflare-D1DatabaseObject/*.sqlite"))) {
    const db = new DatabaseSync(file, { timeout: 5_000 });
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'invitations'").get() !== undefined) {
      db.exec("UPDATE invitations SET expires_at = expires_at - 8 * 86400000");
    }
    db.close();
  }
  await reader.getByLabel("New password").fill(PASSWORD);
  await reader.getByRole("button", { name: "Sign up" }).click();
  await reader.getByText("It has expired, or was answered, withdrawn or replaced by a newer one.").waitFor();
  expect(faults.filter((fault) => !fault.includes("410"))).toEqual([]);
  await Promise.all([close(), closeReader()]);
});

it("a member is offered the ownership of a workspace whose last owner has erased their account", async () => {
  const account = { email: "leaving-owner@example.com", password: PASSWORD };
  const { page: owner, close: closeOwner } = await signUpAs(demo, account);
  await owner.goto("/settings/workspace");
  await owner.getByLabel("Name", { exact: true }).fill("Orphanage");
  await owner.getByRole("button", { name: "Save name and time zone" }).click();
  await owner.getByText("Name and time zone saved").waitFor();
  const link = await invite(owner, "remaining@example.com", "viewer");
  const member = await demo.open();
  await member.page.goto(link);
  await member.page.getByLabel("New password").fill(PASSWORD);
  await member.page.getByRole("button", { name: "Sign up" }).click();
  await member.page.getByRole("button", { name: "Accept" }).click();
  await member.page.getByRole("heading", { name: "Invitation accepted" }).waitFor();

  await owner.goto("/settings/account");
  const form = owner.getByRole("region", { name: "Erase your account" });
  await form.getByLabel("Next owner of Orphanage").waitFor();
  await expectAccessible(owner);
  await form.getByLabel(/^Type your address/).fill(account.email);
  await form.getByLabel("Your password").fill(PASSWORD);
  await form.getByRole("button", { name: "Erase permanently" }).click();
  await owner.waitForURL(`${demo.run.url}/`);
  await closeOwner();

  const { text } = await mailTo("remaining@example.com", "/settings/members");
  expect(text).toContain("Your role has not changed");
  const { page } = member;
  await page.goto("/settings/members");
  await openWorkspace(page, "Orphanage");
  const offer = page.getByRole("region", { name: "Ownership" });
  await offer.waitFor();
  await expectAccessible(page);
  await offer.getByRole("button", { name: "Become owner of Orphanage" }).click();
  await page.getByText("You now own Orphanage").waitFor();
  await offer.waitFor({ state: "detached" });
  expect(member.faults).toEqual([]);
  await member.close();
});
