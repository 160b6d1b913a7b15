// Ways through several pages that people go, from their first press to what others see of it.
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { json, type Run, stopAll } from "../local/running.ts";
import { expectAccessible, expectFocusIn, faultsOf, startDemo, visit } from "./browsing.ts";
import { openBrowser } from "./people.ts";

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
    expect(await page.getByLabel("File to import").inputValue()).toMatch(/posts\.csv$/);
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
    await expectFocusIn(page, "Rows");
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

describe("the queue", () => {
  interface Post {
    id: string;
    publish_at: string;
    rev: number;
    status: string;
  }
  const AT = ["2027-04-05T09:00:00.000Z", "2027-04-06T09:00:00.000Z", "2027-04-07T09:00:00.000Z"];

  it("lets two posts exchange their times by keys and by drag, and takes back what is refused half-way", async () => {
    const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
    const telegram = channels.find(({ platform }) => platform === "telegram")?.id;
    const posts = await Promise.all(
      AT.map((publish_at, i) =>
        json<Post>(`${run.url}/v1/posts`, key, { text: `Place ${i + 1}`, channels: [telegram], publish_at }),
      ),
    );
    const times = () =>
      Promise.all(posts.map(async ({ id }) => (await json<Post>(`${run.url}/v1/posts/${id}`, key)).publish_at));
    const { page, faults, close } = await visit(browser, run);
    await page.goto(`/slots?channel=${telegram}`);
    const rows = page.getByRole("list", { name: "The queue" }).getByRole("listitem");
    const row = (text: string) => rows.filter({ has: page.getByRole("link", { name: text }) });
    const order = async (...texts: string[]) =>
      eventually(async () => expect(await rows.getByRole("link", { name: /^Place/ }).allInnerTexts()).toEqual(texts));
    await order("Place 1", "Place 2", "Place 3");
    expect(await row("Place 1").getByRole("button", { name: "Earlier" }).isDisabled()).toBe(true);

    await row("Place 1").getByRole("button", { name: "Later" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(/^Moved to Tue 6 Apr, 09:00/).waitFor();
    await order("Place 2", "Place 1", "Place 3");
    expect(await times()).toEqual([AT[1], AT[0], AT[2]]);
    // The next press moves it on.
    const focused =
      'document.activeElement?.closest("[data-post]")?.dataset.post + " " + document.activeElement?.dataset.which';
    await eventually(async () => expect(await page.evaluate(focused)).toBe(`${posts[0]?.id} later`));
    await page.keyboard.press("Enter");
    await order("Place 2", "Place 3", "Place 1");
    await eventually(async () => expect(await page.evaluate(focused)).toBe(`${posts[0]?.id} earlier`));
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("Both are back where they were").waitFor();
    await order("Place 2", "Place 1", "Place 3");
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    }

    await row("Place 3").dragTo(row("Place 2"));
    await order("Place 3", "Place 1", "Place 2");
    expect(await times()).toEqual([AT[1], AT[2], AT[0]]);

    // Somebody changes the second one in between: it is refused, and the first goes back.
    const [first, , third] = posts;
    await page.route(`**/v1/posts/${third?.id}`, async (route) => {
      if (route.request().method() === "PATCH") {
        await fetch(`${run.url}/v1/posts/${third?.id}`, {
          method: "PATCH",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ metadata: { by: "somebody" } }),
        });
      }
      await route.continue();
    });
    await row("Place 1").getByRole("button", { name: "Earlier" }).click();
    await page.getByRole("alert").filter({ hasText: "Somebody has changed one of the two" }).waitFor();
    expect(await times()).toEqual([AT[1], AT[2], AT[0]]);
    await expectAccessible(page);
    await page.unroute(`**/v1/posts/${third?.id}`);

    // The answer is lost, what was asked is done.
    let lost = 0;
    await page.route(`**/v1/posts/${first?.id}`, async (route) => {
      if (route.request().method() !== "PATCH" || lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await row("Place 1").getByRole("button", { name: "Earlier" }).click();
    await order("Place 1", "Place 3", "Place 2");
    expect(await times()).toEqual([AT[0], AT[2], AT[1]]);
    expect(faults.filter((words) => !words.includes("ERR_FAILED"))).toEqual([]);
    await close();
  });

  it("shows where a draft would land, and puts it there", async () => {
    await fetch(`${run.url}/v1/slots`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ slots: [{ weekday: 2, time: "07:15", channels: null }] }),
    });
    const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
    const bluesky = channels.find(({ platform }) => platform === "bluesky")?.id;
    const make = (body: object) =>
      json<Post>(`${run.url}/v1/posts`, key, { channels: [bluesky], draft: true, ...body });
    const lost = await make({ text: "Nowhere to go", channels: [] });
    const draft = await make({ text: "A draft that lands" });
    const { page, faults, close } = await visit(browser, run);
    await page.goto("/slots");
    const landing = page.getByRole("region", { name: "A draft's next slot" });
    await landing.getByText(/^It would go out Tue .*, 07:15 UTC time/).waitFor();
    await page.getByRole("listitem").filter({ hasText: "the draft would go out here" }).waitFor();
    await landing.getByLabel("Draft").selectOption(lost.id);
    await landing.getByRole("alert").waitFor();
    await expectAccessible(page);
    await landing.getByLabel("Draft").selectOption(draft.id);
    await landing.getByRole("button", { name: /^Schedule for Tue/ }).click();
    await page.getByText(/^Scheduled for Tue .*, 07:15/).waitFor();
    const { status, publish_at } = await json<Post>(`${run.url}/v1/posts/${draft.id}`, key);
    expect([status, publish_at.slice(11, 16)]).toEqual(["scheduled", "07:15"]);
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

describe("the focus", () => {
  it("goes to the heading when its button and the dialog of it are gone, and nowhere for who presses nothing", async () => {
    const { channels } = await json<{ channels: { id: string; platform: string }[] }>(`${run.url}/v1/channels`, key);
    const to = channels.filter(({ platform }) => platform === "bluesky").map(({ id }) => id);
    const body = { text: "Soon called off", channels: to, publish_at: "2027-09-01T09:30:00Z" };
    const { id } = await json<{ id: string }>(`${run.url}/v1/posts`, key, body);
    const { page, faults, close } = await visit(browser, run);
    await page.goto(`/posts/${id}`);
    await page.getByRole("button", { name: "Cancel post" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel the post" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Cancelled", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel post" }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Post", exact: true }).and(page.locator(":focus")).waitFor();
    await page.getByRole("link", { name: "Duplicate" }).focus();
    await page.locator(".account-name").click();
    // The page changes, and what looks after the focus has looked.
    await page.evaluate("document.querySelector('main').append(document.createElement('p'))");
    await page.evaluate("new Promise((settle) => setTimeout(settle))");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a release", () => {
  it("that took the files of an open page away has it loaded anew, once", async () => {
    const { page, close } = await visit(browser, run);
    let taken = 0;
    await page.route("**/assets/*.js", (route) => (taken++ === 0 ? route.fulfill({ status: 404 }) : route.continue()));
    await page.getByRole("link", { name: "Analytics" }).click();
    await page.getByRole("heading", { name: "Analytics" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/analytics");
    expect(await page.evaluate("performance.getEntriesByType('navigation')[0].type")).toBe("reload");
    expect(taken).toBeGreaterThan(1);

    // Still gone after that: the page says so, and the others are there.
    await page.route("**/assets/activity-*.js", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor({ timeout: 60_000 });
    await close();
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

describe("taking everything away", () => {
  it("gives a file whose last line says that it is whole, and a table, and erases the account for good", async () => {
    const account = { email: "leaving@example.com", password: "correct horse battery staple" };
    const page = await openBrowser(browser, run.url);
    const faults = faultsOf(page, run);
    await page.goto("/auth/sign-up");
    await page.getByLabel("Email").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("heading", { name: /^Welcome/ }).waitFor();

    const exported = async (button: string) => {
      const given = page.waitForEvent("download");
      await page.getByRole("button", { name: button }).click();
      const file = await given;
      return { name: file.suggestedFilename(), lines: (await readFile(await file.path(), "utf8")).trim().split("\n") };
    };
    await page.goto("/import");
    const all = await exported("Export everything");
    expect(all.name).toBe("crier-export.ndjson");
    expect(JSON.parse(all.lines.at(-1) ?? "")).toEqual({ type: "end", lines: all.lines.length - 1, next: null });
    const table = await exported("Export posts as CSV");
    expect(table.name).toBe("crier-posts.csv");
    expect(table.lines).toHaveLength(1);

    await page.goto("/settings/account");
    const erase = page.getByRole("button", { name: "Erase for good" });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel(/^Type your address/).fill(account.email);
    await erase.click();
    await page.waitForURL(`${run.url}/`);
    await page.goto("/auth");
    await page.getByLabel("Email").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
