// Journeys of somebody who has a keyboard and no pointer.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { json, type Run, stopAll } from "../local/running.ts";
import { startDemo, tabTo, visit } from "./browsing.ts";

let run: Run;
let browser: Browser;
let key: string;

beforeAll(async () => {
  ({ run, key, browser } = await startDemo());
});
afterAll(async () => {
  await browser?.close();
  await stopAll();
});

it("a channel is connected again by keys alone", async () => {
  const { page, faults, close } = await visit(browser, run);
  const { accounts } = await json<{ accounts: { platform: string; credentials: Record<string, string> }[] }>(
    `${run.simulators}/_sim/demo`,
  );
  const bot = accounts.find(({ platform }) => platform === "telegram")?.credentials;
  await page.goto("/channels");
  await page.getByRole("button", { name: "Reconnect telegram" }).waitFor();
  await tabTo(page, /^Reconnect telegram/i);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Bot token/);
  await page.keyboard.type(bot?.bot_token ?? "");
  await tabTo(page, /^Chat id/);
  await page.keyboard.type(bot?.chat_id ?? "");
  await tabTo(page, /^Connect$/);
  await page.keyboard.press("Enter");
  await page.getByText(/^Telegram .+ is connected$/).waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("a key is made and revoked by keys alone", async () => {
  const { page, faults, close } = await visit(browser, run);
  await page.goto("/settings/keys");
  await page.getByRole("button", { name: "Make key" }).waitFor();
  await tabTo(page, /^Name/);
  await page.keyboard.type("By keyboard");
  await tabTo(page, /^Make key/);
  await page.keyboard.press("Enter");
  await page.getByRole("status", { name: "The key" }).waitFor();
  await tabTo(page, /^I have it/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Revoke By keyboard/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Revoke it/);
  await page.keyboard.press("Enter");
  await page.getByText("By keyboard opens nothing now").waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("a file of posts is imported by keys alone", async () => {
  const { page, faults, close } = await visit(browser, run);
  const rows = "text,channels,publish_at\nBy keyboard,bluesky,2027-02-01T09:00:00Z\n";
  await page.goto("/import");
  await page.getByLabel("File to import").waitFor();
  await tabTo(page, /^File to import/);
  const chosen = page.waitForEvent("filechooser");
  await page.keyboard.press("Space");
  await (await chosen).setFiles({ name: "posts.csv", mimeType: "text/csv", buffer: Buffer.from(rows) });
  await page.getByText("1 row: 1 valid").waitFor();
  await tabTo(page, /^Import all/);
  await page.keyboard.press("Enter");
  await page.getByText("1 post made, 0 rows left out").first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

it("a post that waits is approved by keys alone", async () => {
  const { page, faults, close } = await visit(browser, run);
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
  const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
  const bluesky = channels.find(({ platform }) => platform === "bluesky")?.id;
  const post = await json<{ id: string }>(`${run.url}/v1/posts`, key, {
    text: "Waits for a word",
    channels: [bluesky],
    publish_at: "2027-03-01T09:00:00Z",
  });
  await page.goto("/approvals");
  await page.getByText("Waits for a word").first().waitFor();
  await tabTo(page, /^Approve/);
  await page.keyboard.press("Enter");
  await page.getByText("Waits for a word").first().waitFor({ state: "detached" });
  const { status } = await json<{ status: string }>(`${run.url}/v1/posts/${post.id}`, key);
  expect(status).toBe("scheduled");
  expect(faults).toEqual([]);
  await close();
});
