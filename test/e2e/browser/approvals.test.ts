// A post that needs approval: an author asks for it, an owner creates a link, and a client without an account approves.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { eventually, PATIENCE_MS } from "../../support/eventually.ts";
import { makeHeic } from "../../support/make-heic.ts";
import { chooseFile, expectAccessible, expectAccessibleInAll } from "./browsing.ts";
import { signInAs, useDemoWithMail } from "./people.ts";

const { demo, call, mailTo, addMember } = useDemoWithMail();

const AUTHOR = { email: "author@example.com", password: "correct horse battery staple" };

/** Opens a browser for an author of the demo's workspace. */
async function makeAuthor(): Promise<string> {
  const { owner, workspace } = await addMember(AUTHOR, "author");
  // These mails are sent to verified addresses only.
  await call("POST", "/v1/auth/verify/send", owner);
  const proof = /token=([\w-]{43})/.exec((await mailTo(demo.account.email, "/auth/verify?token=")).text)?.[1];
  await call("POST", "/v1/auth/verify", owner, { token: proof });
  const otherKinds = { delivery_failed: false, delivery_at_risk: false, token_expiring: false };
  await call("PUT", `/v1/notifications?workspace=${workspace.id}`, owner, { ...otherKinds, approval_requested: true });
  return workspace.name;
}

async function askForApproval(page: Page, text: string, file?: string): Promise<string> {
  await page.goto("/compose");
  await page.getByRole("checkbox", { name: /^telegram/i }).check();
  await page.getByLabel("Text", { exact: true }).fill(text);
  if (file !== undefined) {
    await chooseFile(page, file, () => page.getByRole("button", { name: "Add files" }).click());
    await page.getByLabel("Alt text").fill("A white circle that moves");
  }
  await page.getByText("Ready for 1 channel").waitFor();
  expect(await page.getByRole("button", { name: "Post now" }).count()).toBe(0);
  await page.getByRole("button", { name: "Request approval" }).click();
  await page.waitForURL(/\/posts\/post_/);
  await page.getByText("Nothing is published until the post is approved.").waitFor();
  return new URL(page.url()).pathname.split("/").pop() ?? "";
}

it("lets a client approve an author's post by a link and publishes it, and returns a declined post with a reason", async () => {
  const { page: owner, faults, close } = await demo.visit();
  await owner.goto("/settings/workspace");
  await owner.getByLabel("Posts that need approval").selectOption({ label: "Posts by authors" });
  await owner.getByRole("button", { name: "Save approval" }).click();
  await owner.getByText("Saved. This applies to new posts.").waitFor();

  const { page: author, close: closeAuthor } = await signInAs(demo, AUTHOR, await makeAuthor());
  await author.getByText("Author ·").waitFor();
  const id = await askForApproval(author, "A client's own words.", "scripts/local/demo.mp4");
  expect(await demo.getPost(id)).toMatchObject({ status: "awaiting_approval" });
  const news = await mailTo(demo.account.email, "A client's own words.");
  expect(news.subject).toContain("a post is waiting for approval");
  const inMail = /http\S+\/approvals/.exec(news.text)?.[0] ?? "";

  await owner.goto(inMail);
  await owner.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
  const card = owner.getByRole("article", { name: /A client's own words/ });
  await card.getByText("A client's own words.", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Share for review" }).click();
  await card.getByRole("button", { name: "Create link" }).click();
  const link = await card.getByLabel("The link").inputValue();
  await expectAccessible(owner);
  await card.getByRole("button", { name: "Close" }).click();
  await card.locator("summary").click();
  await expectAccessibleInAll(owner);

  const reader = await demo.browser.newContext();
  reader.setDefaultTimeout(PATIENCE_MS);
  const readerPage = await reader.newPage();
  await readerPage.goto(link);
  await readerPage.getByText("A white circle that moves").waitFor();
  await expectAccessibleInAll(readerPage);
  await readerPage.getByLabel("Your name").fill("Clara Client");
  await readerPage.getByRole("button", { name: "Decline" }).click();
  await readerPage.getByRole("alert").filter({ hasText: "enter a reason" }).waitFor();
  await expectAccessibleInAll(readerPage);
  expect(await readerPage.getByLabel("Your name").inputValue()).toBe("Clara Client");

  // The client's browser runs no scripts, and the page needs none.
  const client = await demo.browser.newContext({ javaScriptEnabled: false });
  client.setDefaultTimeout(PATIENCE_MS);
  const page = await client.newPage();
  await page.goto(link);
  await page.getByText("A client's own words.", { exact: true }).waitFor();
  await page.getByLabel("Your name").fill("Clara Client");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("heading", { name: "Approved" }).waitFor();
  await eventually(async () =>
    expect(await demo.getPost(id)).toMatchObject({
      status: "published",
      approval: { state: "approved", by: "Clara Client" },
    }),
  );
  await page.goto(link);
  await page.getByRole("heading", { name: "This link does not work" }).waitFor();
  await owner.goto("/approvals");
  await owner.getByText("No posts are waiting for approval").waitFor();
  await expectAccessible(owner);

  const second = await askForApproval(author, "Too early.");
  await owner.goto("/approvals");
  const declinedCard = owner.getByRole("article", { name: /Too early/ });
  await declinedCard.locator("summary").click();
  await declinedCard.getByLabel("Reason").fill("Not before Monday.");
  await declinedCard.getByRole("button", { name: "Decline", exact: true }).click();
  await owner.getByText("No posts are waiting for approval").waitFor();
  await author.goto(`/posts/${second}`);
  await author.getByText("“Not before Monday.”").waitFor();
  await author.getByRole("link", { name: "Edit" }).click();
  await author.getByLabel("Text", { exact: true }).fill("On Monday.");
  await author.getByRole("button", { name: "Request approval" }).click();
  await author.waitForURL(/\/posts\/post_/);
  await owner.goto("/approvals");
  const again = owner.getByRole("article", { name: /On Monday/ });
  await again.getByText("Declined by Demo: “Not before Monday.”").waitFor();
  const changes = again.getByRole("region", { name: "Changes since" });
  expect(await changes.locator("del").allTextContents()).toEqual([" [removed: Too early] "]);
  expect(await changes.locator("ins").allTextContents()).toEqual([" [added: On Monday] "]);
  await expectAccessibleInAll(owner);
  await again.getByRole("button", { name: "Approve and post now" }).click();
  await owner.getByText("No posts are waiting for approval").waitFor();
  await eventually(async () => expect(await demo.getPost(second)).toMatchObject({ status: "published" }));
  expect(faults).toEqual([]);
  await Promise.all([close(), reader.close(), client.close(), closeAuthor()]);
});

it("tells an owner who approves their own post that the workspace asks for another person", async () => {
  const { page: owner, faults, close } = await demo.visit();
  const option = owner.getByRole("checkbox", { name: "Members can't approve their own changes" });
  const saveApproval = async (waits: string, isOn: boolean) => {
    await owner.goto("/settings/workspace");
    await owner.getByLabel("Posts that need approval").selectOption({ label: waits });
    await option.setChecked(isOn);
    await owner.getByRole("button", { name: "Save approval" }).click();
    await owner.getByText("Saved. This applies to new posts.").waitFor();
  };
  await saveApproval("All posts", true);
  await owner.reload();
  expect(await option.isChecked()).toBe(true);
  const id = await askForApproval(owner, "Two people see this.");
  await owner.goto("/approvals");
  const card = owner.getByRole("article", { name: /Two people see this/ });
  await card.getByRole("button", { name: "Approve and post now" }).click();
  await owner.getByRole("alert").filter({ hasText: "someone else has to approve it" }).waitFor();
  expect(await demo.getPost(id)).toMatchObject({ status: "awaiting_approval" });
  await saveApproval("None. Authors can only write drafts", false);
  expect(faults.filter((fault) => !fault.includes("403"))).toEqual([]);
  await close();
});

it("shows the converted copy of a phone's photo to the person who decides", async () => {
  const { page: owner, faults, close } = await demo.visit();
  const setApproval = async (waits: string) => {
    await owner.goto("/settings/workspace");
    await owner.getByLabel("Posts that need approval").selectOption({ label: waits });
    await owner.getByRole("button", { name: "Save approval" }).click();
    await owner.getByText("Saved. This applies to new posts.").waitFor();
  };
  await setApproval("All posts");
  await owner.goto("/compose");
  await owner.getByRole("checkbox", { name: /^telegram/i }).check();
  await owner.getByLabel("Text", { exact: true }).fill("From a phone.");
  // Some systems do not know the type of such a file, so Crier detects it from the bytes.
  const photo = Buffer.from(makeHeic({ width: 2_400, height: 1_800, turns: 3 }));
  await chooseFile(owner, { name: "IMG_0001.HEIC", mimeType: "", buffer: photo }, () =>
    owner.getByRole("button", { name: "Add files" }).click(),
  );
  await owner.getByText("Telegram doesn't accept HEIC files").first().waitFor();
  // The library has no copy that this browser can display.
  await owner.locator(".thumb", { hasText: "HEIC photo" }).first().waitFor();
  await owner.getByRole("checkbox", { name: /^Adapt images to each network/ }).check();
  await owner.getByText("Adapted for Telegram: JPEG, 1800 × 2400 px").waitFor();
  await owner.getByRole("button", { name: "Request approval" }).click();
  await owner.waitForURL(/\/posts\/post_/);

  const words =
    /Adapted for Telegram: JPEG, 1800 × 2400 px, [\d.,]+ KB. The original is HEIC, 1800 × 2400 px, [\d.,]+ KB/;
  /** The size in pixels at which the browser shows the only picture of the converted copy. */
  const readShownSize = async (page: Page) => {
    const picture = page.locator('img[src*="/converted/"]');
    await picture.waitFor();
    const readSize =
      "const i = document.querySelector('img[src*=\"/converted/\"]'); i.decode().then(() => [i.naturalWidth, i.naturalHeight])";
    return page.evaluate(readSize);
  };
  await owner.goto("/approvals");
  const card = owner.getByRole("article", { name: /From a phone/ });
  await card.getByText(words).waitFor();
  expect(await readShownSize(owner)).toEqual([1_800, 2_400]);
  await expectAccessibleInAll(owner);
  await card.getByRole("button", { name: "Share for review" }).click();
  await card.getByRole("button", { name: "Create link" }).click();
  const reader = await demo.browser.newContext({ viewport: { width: 390, height: 844 } });
  reader.setDefaultTimeout(PATIENCE_MS);
  const looking = await reader.newPage();
  await looking.goto(await card.getByLabel("The link").inputValue());
  await looking.getByText(words).waitFor();
  expect(await readShownSize(looking)).toEqual([1_800, 2_400]);
  expect(await looking.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await expectAccessibleInAll(looking);
  await setApproval("None. Authors can only write drafts");
  expect(faults.filter((fault) => !fault.includes("422"))).toEqual([]);
  await Promise.all([close(), reader.close()]);
});
