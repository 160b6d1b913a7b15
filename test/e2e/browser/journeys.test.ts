// Ways through several pages that people go, from their first press to what others see of it.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { startReceivers } from "../../support/webhook-receivers.ts";
import { json, type Run, stopAll } from "../local/running.ts";
import { expectAccessible, startDemo, visit } from "./browsing.ts";

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

describe("an import", () => {
  it("of 60 rows names the three that are to mend, makes the others, and gives the three back as a file", async () => {
    const day = (i: number) => new Date(Date.UTC(2027, 1, 1 + i, 9)).toISOString();
    const bad = new Map([
      [7, "Row 7,nobody,2027-02-07T09:00:00Z"],
      [30, `${"x".repeat(301)},bluesky,2027-03-02T09:00:00Z`],
      [58, "Row 58,bluesky,2020-01-01T09:00:00Z"],
    ]);
    const rows = Array.from({ length: 60 }, (_, i) => bad.get(i + 1) ?? `Row ${i + 1},bluesky,${day(i)}`);
    const csv = ["text,channels,publish_at", ...rows, ""].join("\n");
    const { page, faults, close } = await visit(browser, run);
    await page.goto("/import");
    await page
      .getByLabel("File to import")
      .setInputFiles({ name: "posts.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await page.getByText("60 rows: 57 valid, 3 to mend").waitFor();
    const lines = page.getByRole("list", { name: "Rows of the file" }).getByRole("listitem");
    for (const [n, column] of [
      [8, "channels"],
      [31, "text"],
      [59, "publish_at"],
    ]) {
      const line = lines.filter({ has: page.getByText(`Line ${n}`, { exact: true }) });
      await line.getByText(`${column}:`).waitFor();
    }
    await expectAccessible(page);
    const { posts: none } = await json<{ posts: object[] }>(`${run.url}/v1/posts?q=Row`, key);
    expect(none).toEqual([]);
    await page.getByRole("button", { name: "Import the 57 valid rows" }).click();
    await page.getByText("57 posts made, 3 rows left out").waitFor();
    const given = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download what is to mend" }).click();
    const left = await readFile(await (await given).path(), "utf8");
    expect(left).toBe(["text,channels,publish_at", ...bad.values(), ""].join("\n"));
    const { posts } = await json<{ posts: object[] }>(`${run.url}/v1/posts?q=Row&status=scheduled&limit=200`, key);
    expect(posts).toHaveLength(57);
    await page.getByLabel("File to import").setInputFiles({
      name: "latin.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("text\nf\u00fcr", "latin1"),
    });
    await page.getByText("This file is not UTF-8").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the palette", () => {
  it("goes anywhere and finds posts, by keyboard alone; ? shows the keys", async () => {
    const made = await json<{ id: string }>(`${run.url}/v1/posts`, key, { text: "A needle in it", draft: true });
    const { page, faults, close } = await visit(browser, run);
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
    await page.waitForURL(`**/posts/${made.id}`);
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await keys.getByText("Go to a page, find a post, begin one").waitFor();
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
});

describe("a key", () => {
  it("is made, lets a program in, and opens nothing once it is revoked", async () => {
    const { page, faults, close } = await visit(browser, run);
    await page.goto("/settings/keys");
    await page.getByLabel("Name", { exact: true }).fill("Reports");
    await page.getByRole("button", { name: "Make key" }).click();
    const shown = page.getByRole("status", { name: "The key" });
    const made = (await shown.locator("code").textContent()) ?? "";
    await expectAccessible(page);
    const crier = (...args: string[]) =>
      promisify(execFile)(process.execPath, ["cli/main.ts", ...args], {
        env: { ...process.env, CRIER_URL: run.url, CRIER_API_KEY: made, XDG_CONFIG_HOME: run.state },
      });
    expect((await crier("channels")).stdout).toContain("bluesky");
    await shown.getByRole("button", { name: "I have it" }).click();
    expect(await page.getByText(made).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke Reports" }).click();
    await page.getByText("Reports opens nothing now").waitFor();
    await expect(crier("channels")).rejects.toMatchObject({ code: expect.any(Number) });
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a webhook", () => {
  it("that fails is seen, mended, and sent again from its attempts", async () => {
    const receivers = await startReceivers();
    const answer = (status: number) =>
      fetch(`${receivers.url}/_/mend`, { method: "PUT", body: JSON.stringify([{ do: "status", status }]) });
    const received = async (): Promise<{ body: string }[]> => (await fetch(`${receivers.url}/_/mend`)).json();
    await answer(500);
    const { page, faults, close } = await visit(browser, run);
    await page.goto("/settings/webhooks");
    await page.getByLabel("Address").fill(`${receivers.url}/mend`);
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByRole("status", { name: "The secret" }).getByRole("button", { name: "I have it" }).click();
    const endpoint = page.getByRole("region", { name: `${receivers.url}/mend` });
    const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
    const to = channels.filter(({ platform }) => platform === "bluesky").map(({ id }) => id);
    await json(`${run.url}/v1/posts`, key, { text: "Tell them", channels: to });
    await eventually(async () => expect((await received()).length).toBeGreaterThan(0));
    await endpoint.getByText("Attempts").click();
    const first = endpoint.getByRole("listitem").filter({ hasText: "answered 500" }).last();
    await first.waitFor();
    await expectAccessible(page);
    await answer(200);
    await first.getByRole("button", { name: "Send again" }).click();
    await endpoint.getByRole("listitem").filter({ hasText: "answered 200" }).first().waitFor();
    const bodies = (await received()).map(({ body }): { id: string } => JSON.parse(body));
    expect(bodies.at(-1)?.id).toBe(bodies[0]?.id);
    expect(faults).toEqual([]);
    await close();
    await receivers.close();
  });
});

describe("the calendar", () => {
  it("keeps the local time of a post that is dragged over a change of the clock, wherever its browser is", async () => {
    const { page, faults, close } = await visit(browser, run, { timezoneId: "Asia/Tokyo" });
    await page.goto("/settings/workspace");
    const clock = async (zone: string) => {
      await page.getByRole("combobox", { name: /^Clock/ }).fill(zone);
      await page.getByRole("button", { name: "Save clock" }).click();
      await page.getByText("The clock is set").last().waitFor();
    };
    await clock("America/New_York");
    const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
    // The clocks of New York go on by an hour on 14 March 2027.
    const post = await json<{ id: string; publish_at_local: string }>(`${run.url}/v1/posts`, key, {
      text: "Over the hour",
      channels: channels.filter(({ platform }) => platform === "telegram").map(({ id }) => id),
      publish_at: "2027-03-12T22:30",
    });
    expect(post.publish_at_local).toBe("2027-03-12T22:30:00-05:00");
    await page.goto("/calendar");
    const title = page.getByText("March 2027", { exact: true });
    while ((await title.count()) === 0) await page.getByRole("button", { name: /next/i }).click();
    const event = page.locator(".event").filter({ hasText: "Over the hour" });
    await event.waitFor();
    await event.dragTo(page.locator('[data-date="2027-03-15"]').first());
    await page.getByText(/^Moved to Mon 15 Mar, 22:30/).waitFor();
    const at = async () =>
      (await json<{ publish_at_local: string }>(`${run.url}/v1/posts/${post.id}`, key)).publish_at_local;
    expect(await at()).toBe("2027-03-15T22:30:00-04:00");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("It is back where it was").waitFor();
    expect(await at()).toBe(post.publish_at_local);
    await page.goto("/settings/workspace");
    await clock("UTC");
    expect(faults).toEqual([]);
    await close();
  });
});
