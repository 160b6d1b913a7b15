// Journeys through several pages, from the first click to the visible result.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { expectAccessible, expectFocusIn } from "./browsing.ts";
import { useDemo } from "./demo.ts";
import { signUpAs } from "./people.ts";

const demo = useDemo();

describe("the import page", () => {
  it("names the three invalid rows of 60, creates the others, and returns the three as a file", async () => {
    const day = (i: number) => new Date(Date.UTC(2027, 1, 1 + i, 9)).toISOString();
    const bad = new Map([
      [7, "Row 7,nobody,2027-02-07T09:00:00Z"],
      [30, `${"x".repeat(301)},bluesky,2027-03-02T09:00:00Z`],
      [58, "Row 58,bluesky,2020-01-01T09:00:00Z"],
    ]);
    const rows = Array.from({ length: 60 }, (_, i) => bad.get(i + 1) ?? `Row ${i + 1},bluesky,${day(i)}`);
    const csv = ["text,channels,publish_at", ...rows, ""].join("\n");
    const { page, faults, close } = await demo.visit();
    await page.goto("/import");
    await page
      .getByLabel("File to import")
      .setInputFiles({ name: "posts.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await page.getByText("60 rows: 57 ready, 3 to fix").waitFor();
    expect(await page.getByLabel("File to import").inputValue()).toMatch(/posts\.csv$/);
    const lines = page.getByRole("list", { name: "Rows of the file" }).getByRole("listitem");
    for (const [n, column] of [
      [8, "Channels"],
      [31, "Text"],
      [59, "Time"],
    ]) {
      const line = lines.filter({ has: page.getByText(`Line ${n}`, { exact: true }) });
      expect(await line.getByLabel(`${column}, line ${n}`).getAttribute("aria-invalid")).toBe("true");
    }
    await page.getByText("You have no channel called “nobody”.").waitFor();
    await expectAccessible(page);
    const { posts: none } = await demo.get<{ posts: object[] }>("/v1/posts?q=Row");
    expect(none).toEqual([]);
    await page.getByLabel("Channels, line 8").fill("bluesky");
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("60 rows: 58 ready, 2 to fix").waitFor();
    bad.delete(7);
    await page.getByRole("button", { name: "Import 58 rows" }).click();
    await page.getByText("58 posts imported, 2 rows left out").waitFor();
    await expectFocusIn(page, "Rows");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download rows to fix" }).click();
    const rowsToFix = await readFile(await (await download).path(), "utf8");
    expect(rowsToFix).toBe(["text,channels,publish_at", ...bad.values(), ""].join("\n"));
    const { posts } = await demo.get<{ posts: object[] }>("/v1/posts?q=Row&status=scheduled&limit=200");
    expect(posts).toHaveLength(58);
    await page.getByLabel("File to import").setInputFiles({
      name: "latin.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("text\nf\u00fcr", "latin1"),
    });
    await page.getByText("This file isn't UTF-8").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the queue", () => {
  const AT = ["2027-04-05T09:00:00.000Z", "2027-04-06T09:00:00.000Z", "2027-04-07T09:00:00.000Z"];

  it("exchanges the times of two posts by keys and by drag, and undoes an exchange that is refused half-way", async () => {
    const telegram = demo.getChannelId("telegram");
    const posts = await Promise.all(
      AT.map((publish_at, i) => demo.makePost({ text: `Place ${i + 1}`, channels: [telegram], publish_at })),
    );
    const times = () => Promise.all(posts.map(async ({ id }) => (await demo.getPost(id)).publish_at));
    const { page, faults, close } = await demo.visit();
    await page.goto(`/slots?channel=${telegram}`);
    const rows = page.getByRole("list", { name: "The queue" }).getByRole("listitem");
    const row = (text: string) => rows.filter({ has: page.getByRole("link", { name: text }) });
    const order = async (...texts: string[]) =>
      eventually(async () => expect(await rows.getByRole("link", { name: /^Place/ }).allInnerTexts()).toEqual(texts));
    await order("Place 1", "Place 2", "Place 3");
    expect(await row("Place 1").getByRole("button", { name: "Move up" }).isDisabled()).toBe(true);

    await row("Place 1").getByRole("button", { name: "Move down" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(/^Moved to Tue,? 6 Apr 2027, 0?9:00/).waitFor();
    await order("Place 2", "Place 1", "Place 3");
    expect(await times()).toEqual([AT[1], AT[0], AT[2]]);
    // The next key press moves the post further.
    const focused =
      'document.activeElement?.closest("[data-post]")?.dataset.post + " " + document.activeElement?.dataset.which';
    await eventually(async () => expect(await page.evaluate(focused)).toBe(`${posts[0]?.id} later`));
    await page.keyboard.press("Enter");
    await order("Place 2", "Place 3", "Place 1");
    await eventually(async () => expect(await page.evaluate(focused)).toBe(`${posts[0]?.id} earlier`));
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText("Both posts were moved back").waitFor();
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

    // If another user changes the second post meanwhile, the exchange is refused and the first post moves back.
    const [first, , third] = posts;
    await page.route(`**/v1/posts/${third?.id}`, async (route) => {
      if (route.request().method() === "PATCH") {
        await fetch(`${demo.run.url}/v1/posts/${third?.id}`, {
          method: "PATCH",
          headers: { authorization: `Bearer ${demo.key}`, "content-type": "application/json" },
          body: JSON.stringify({ metadata: { by: "somebody" } }),
        });
      }
      await route.continue();
    });
    await row("Place 1").getByRole("button", { name: "Move up" }).click();
    await page.getByRole("alert").filter({ hasText: "Someone changed one of the two" }).waitFor();
    expect(await times()).toEqual([AT[1], AT[2], AT[0]]);
    await expectAccessible(page);
    await page.unroute(`**/v1/posts/${third?.id}`);

    // The answer is lost, but the change was made.
    let lost = 0;
    await page.route(`**/v1/posts/${first?.id}`, async (route) => {
      if (route.request().method() !== "PATCH" || lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await row("Place 1").getByRole("button", { name: "Move up" }).click();
    await order("Place 1", "Place 3", "Place 2");
    expect(await times()).toEqual([AT[0], AT[2], AT[1]]);
    expect(faults.filter((words) => !words.includes("ERR_FAILED"))).toEqual([]);
    await close();
  });

  it("shows the slot that a draft would get, and schedules the draft for it", async () => {
    await fetch(`${demo.run.url}/v1/slots`, {
      method: "PUT",
      headers: { authorization: `Bearer ${demo.key}`, "content-type": "application/json" },
      body: JSON.stringify({ slots: [{ weekday: 2, time: "07:15", channels: null }] }),
    });
    const lost = await demo.makePost({ text: "Nowhere to go", channels: [], draft: true });
    const draft = await demo.makePost({
      text: "A draft that lands",
      channels: [demo.getChannelId("bluesky")],
      draft: true,
    });
    const { page, faults, close } = await demo.visit();
    await page.goto("/slots");
    const landing = page.getByRole("region", { name: "A draft's next slot" });
    await landing.getByText(/^Goes out Tue,? .*0?7:15/).waitFor();
    await page.getByRole("listitem").filter({ hasText: "the draft would go out here" }).waitFor();
    await landing.getByLabel("Draft").selectOption(lost.id);
    await landing.getByRole("alert").waitFor();
    await expectAccessible(page);
    await landing.getByLabel("Draft").selectOption(draft.id);
    await landing.getByRole("button", { name: /^Schedule for Tue/ }).click();
    await page.getByText(/^Scheduled for Tue,? .*, 0?7:15/).waitFor();
    const { status, publish_at } = await demo.getPost(draft.id);
    expect([status, publish_at?.slice(11, 16)]).toEqual(["scheduled", "07:15"]);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a new release", () => {
  it("makes an open page reload once if the release removes the page's files", async () => {
    const { page, close } = await demo.visit();
    // Pages that have not been opened yet were not loaded while the browser was idle.
    await page.addInitScript("window.requestIdleCallback = () => 0;");
    await page.goto("/");
    await page.getByRole("heading", { name: "Welcome, Demo" }).waitFor();
    let loads = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) loads++;
    });
    // A preload and an import may ask for the file, one after the other.
    await page.route("**/assets/analytics-*.js", (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole("link", { name: "Analytics" }).first().click();
    // The frame has the heading before the file of the page is requested.
    await eventually(async () =>
      expect(await page.evaluate("performance.getEntriesByType('navigation')[0].type")).toBe("reload"),
    );
    await page.getByRole("heading", { name: "Analytics" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/analytics");
    expect(loads).toBe(1);

    // If the files are still missing, the page says so, and the other pages work.
    await page.route("**/assets/inbox-*.js", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor({ timeout: 60_000 });
    await close();
  });
});

describe("the export of everything", () => {
  it("gives a file whose last line confirms that it is complete, and a table, and erasing the account is final", async () => {
    const account = { email: "leaving@example.com", password: "correct horse battery staple" };
    const { page, faults, close } = await signUpAs(demo, account);
    const exported = async (button: string) => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: button }).click();
      const file = await download;
      return { name: file.suggestedFilename(), lines: (await readFile(await file.path(), "utf8")).trim().split("\n") };
    };
    await page.goto("/import");
    const everything = await exported("Export everything");
    expect(everything.name).toBe("crier-export.ndjson");
    expect(JSON.parse(everything.lines.at(-1) ?? "")).toEqual({
      type: "end",
      lines: everything.lines.length - 1,
      next: null,
    });
    const table = await exported("Export posts as CSV");
    expect(table.name).toBe("crier-posts.csv");
    expect(table.lines).toHaveLength(1);

    await page.goto("/settings/account");
    const erase = page.getByRole("button", { name: "Erase permanently" });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel(/^Type your address/).fill(account.email);
    const form = page.getByRole("region", { name: "Erase your account" });
    await form.getByLabel("Your password").fill("another horse battery");
    await erase.click();
    await form.getByRole("alert").waitFor();
    await form.getByLabel("Your password").fill(account.password);
    await erase.click();
    await page.waitForURL(`${demo.run.url}/`);
    await page.goto("/auth");
    await page.getByLabel("Email").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the activity page", () => {
  it("shows a published post and its author within three seconds without a reload", async () => {
    const { page, faults, close } = await demo.visit();
    await page.clock.install();
    await page.goto("/activity?show=activity");
    const rows = page.getByRole("region", { name: "Events" }).getByRole("listitem");
    await rows.first().waitFor();
    // From here on, the test controls the page's clock.
    await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1_000);
    const post = await demo.makePost({ text: "News", channels: [demo.getChannelId("bluesky")] });
    await eventually(async () => {
      const feed = await demo.get<{ events: object[] }>(`/v1/events?post=${post.id}`);
      expect(feed.events).toHaveLength(1);
    });
    const look = page.waitForRequest(/\/v1\/events\?/, { timeout: 5_000 });
    await page.clock.runFor(3_000);
    await look;
    await page.clock.resume();
    const row = rows.filter({ has: page.locator(`a[href="/posts/${post.id}"]`) });
    await row.getByText("by Workspace key").waitFor();
    await expectAccessible(page);

    const authorFilter = page.getByRole("combobox", { name: "By" });
    await authorFilter.selectOption({ label: "Workspace key" });
    await page.getByRole("link", { name: "Their posts" }).click();
    await page.locator(`a[href="/posts/${post.id}"]`).first().waitFor();
    await page.getByRole("link", { name: "Their activity" }).click();
    await row.waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });
});
