// Journeys of users with a keyboard and no pointer.
import { expect, it } from "vitest";
import { json } from "../local/running.ts";
import { chooseFile, expectAccessible, tabTo } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

it("a channel is reconnected by keyboard alone", async () => {
  const { page, faults, close } = await demo.visit();
  const { accounts } = await json<{ accounts: { platform: string; credentials: Record<string, string> }[] }>(
    `${demo.run.simulators}/_sim/demo`,
  );
  const bot = accounts.find(({ platform }) => platform === "telegram")?.credentials;
  await page.goto("/channels");
  await page.getByRole("button", { name: /^Actions for Telegram/ }).waitFor();
  await tabTo(page, /^Actions for Telegram/);
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Reconnect" }).waitFor();
  await page.keyboard.press("Enter");
  await tabTo(page, /^Bot token/);
  await page.keyboard.type(bot?.bot_token ?? "");
  await tabTo(page, /^Chat/);
  await page.keyboard.type(bot?.chat_id ?? "");
  await tabTo(page, /^Connect$/);
  await page.keyboard.press("Enter");
  await page.getByText(/^Telegram .+ is connected$/).waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("a key is created and revoked by keyboard alone", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/settings/keys");
  await page.getByRole("button", { name: "Create key" }).waitFor();
  await tabTo(page, /^Name/);
  await page.keyboard.type("By keyboard");
  await tabTo(page, /^Create key/);
  await page.keyboard.press("Enter");
  await page.getByRole("status", { name: "The key" }).waitFor();
  await tabTo(page, /^I have saved it/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^More for By keyboard/);
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Activity" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("r");
  await page.getByRole("menuitem", { name: "Revoke" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await tabTo(page, /^Revoke key/);
  await page.keyboard.press("Enter");
  await page.getByText("By keyboard no longer works").waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("a file of posts is imported by keyboard alone", async () => {
  const { page, faults, close } = await demo.visit();
  const rows = "text,channels,publish_at\nBy keyboard,bluesky,2027-02-01T09:00:00Z\n";
  await page.goto("/import");
  await page.getByLabel("File to import").waitFor();
  await tabTo(page, /^File to import/);
  await chooseFile(page, { name: "posts.csv", mimeType: "text/csv", buffer: Buffer.from(rows) }, () =>
    page.keyboard.press("Space"),
  );
  await page.getByText("1 row: 1 ready").waitFor();
  await tabTo(page, /^Import all/);
  await page.keyboard.press("Enter");
  await page.getByText("1 post imported, 0 rows left out").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("the palette opens every page and finds posts by keyboard alone, and ? shows the shortcuts", async () => {
  const draft = await demo.makePost({ text: "A needle in it", draft: true });
  const { page, faults, close } = await demo.visit();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Page, post or action" });
  await field.waitFor();
  await page.keyboard.type("cal");
  await page.getByRole("option", { name: /^Calendar/, selected: true }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Calendar" }).waitFor();
  await page.keyboard.press("Meta+k");
  await field.fill("needle");
  await page.getByRole("option", { name: /A needle in it/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/posts/${draft.id}`);
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.getByText("Go to a page, find a post, start a new one").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Go to ..." }).click();
  await field.fill("new post");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Compose" }).waitFor();
  await page.getByLabel("Text", { exact: true }).pressSequentially("Why?");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

it("the focus moves to the heading when the focused button and its dialog are gone, and stays if nothing was focused", async () => {
  const { id } = await demo.makePost({
    text: "Soon called off",
    channels: [demo.getChannelId("bluesky")],
    publish_at: "2027-09-01T09:30:00Z",
  });
  const { page, faults, close } = await demo.visit();
  await page.goto(`/posts/${id}`);
  await page.getByRole("button", { name: "More actions" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Cancel post" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Cancel the post" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Cancelled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More actions" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Soon called off", level: 1 }).and(page.locator(":focus")).waitFor();
  await page.getByRole("link", { name: "Duplicate" }).focus();
  // The edge beside the menu. A press on the page itself would focus its main region.
  await page.getByRole("banner").click({ position: { x: 2, y: 200 } });
  // The page has changed, and the code that restores the focus has run.
  await page.evaluate("document.querySelector('main').append(document.createElement('p'))");
  await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
  expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

it("a waiting post is approved by keyboard alone", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/settings/workspace");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(
    await page.evaluate(`(async () => {
      const { workspaces: [{ id }] } = await (await fetch("/v1/auth/me")).json();
      const headers = { "content-type": "application/json" };
      const answer = await fetch("/v1/workspaces/" + id, { method: "PATCH", headers, body: JSON.stringify({ approval: "all" }) });
      return answer.status;
    })()`),
  ).toBe(200);
  const post = await demo.makePost({
    text: "Waits for a word",
    channels: [demo.getChannelId("bluesky")],
    publish_at: "2027-03-01T09:00:00Z",
  });
  await page.goto("/approvals");
  await page.getByText("Waits for a word").first().waitFor();
  await tabTo(page, /^Approve/);
  await page.keyboard.press("Enter");
  await page.getByText("Waits for a word").first().waitFor({ state: "detached" });
  expect((await demo.getPost(post.id)).status).toBe("scheduled");
  expect(faults).toEqual([]);
  await close();
});
