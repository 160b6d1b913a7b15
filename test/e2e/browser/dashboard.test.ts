// User journeys through the dashboard, in a real browser against a real local run.
import { devices } from "playwright-core";
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { json } from "../local/running.ts";
import { chooseFile, expectAccessible, tabTo, untilLoaded } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

const idIn = (url: string) => new URL(url).pathname.split("/").pop() ?? "";

describe("the composer", () => {
  it("publishes a post on ten networks after the user has fixed it by the displayed hints", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/compose");
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByLabel("Text", { exact: true }).fill("A post from the dashboard, with a film.");
    const missing = page.getByRole("alert").filter({ hasText: "needs a photo or video" });
    await missing.first().waitFor();
    await expectAccessible(page);
    // All networks that need a file share one button.
    const add = page.getByRole("list", { name: "Things to fix" }).getByRole("button", { name: "Add files" });
    await chooseFile(page, "scripts/local/demo.mp4", () => add.click());
    await page.getByLabel("Alt text").fill("A white circle that moves");
    await missing.first().waitFor({ state: "detached" });

    const card = (platform: string) => page.getByRole("region", { name: new RegExp(`^${platform} `, "i") });
    const pinterest = card("pinterest");
    await pinterest.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
    await pinterest.getByLabel("Link", { exact: true }).fill("https://example.com/film");
    await card("youtube").getByLabel("Title", { exact: true }).fill("A film");
    await card("youtube").getByLabel("Made for kids", { exact: true }).selectOption("false");
    await card("tiktok").getByLabel("Who can see this", { exact: true }).selectOption({ index: 1 });
    await page.getByText("Ready for 10 channels").waitFor();
    // The video that was just added is visible.
    await page.locator(".look .thumb.none").first().waitFor({ state: "detached" });
    expect(await page.locator(".look video.thumb").count()).toBe(1);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Post now" }).click();
    await page.waitForURL(/\/posts\/post_/);
    const id = idIn(page.url());
    await eventually(async () => expect((await demo.getPost(id)).status).toBe("published"));
    expect((await demo.getPost(id)).deliveries).toHaveLength(10);
    await page.getByText("Live", { exact: true }).first().waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });

  it("schedules in the workspace's time zone, and shows the time on its button", async () => {
    const { page, faults, close } = await demo.visit({ timezoneId: "Asia/Tokyo" });
    await page.goto("/compose");
    await page.getByRole("checkbox", { name: /^bluesky/i }).check();
    await page.getByLabel("Text", { exact: true }).fill("At its time");
    await page.getByLabel("When", { exact: true }).fill("2027-07-06T09:30");
    await page.getByRole("button", { name: /^Schedule for Tue,? 6 Jul 2027, 0?9:30$/ }).click();
    await page.waitForURL(/\/posts\/post_/);
    const post = await demo.getPost(idIn(page.url()));
    expect(post).toMatchObject({ status: "scheduled", publish_at_local: "2027-07-06T09:30:00+00:00" });
    expect(faults).toEqual([]);
    await close();
  });

  it("uses the next free slot of the weekly schedule", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/slots");
    await page.getByRole("combobox", { name: /^Day/ }).selectOption("Thursday");
    await page.getByLabel("Time", { exact: true }).fill("07:45");
    await page.getByRole("button", { name: "Add slot" }).click();
    await page.getByRole("button", { name: /^Thursday, 07:45/ }).waitFor();
    await page.getByRole("link", { name: "Compose" }).first().click();
    await page.getByRole("checkbox", { name: /^bluesky/i }).check();
    await page.getByLabel("Text", { exact: true }).fill("In a slot");
    await page.getByRole("button", { name: "Next free slot" }).click();
    await page.waitForURL(/\/posts\/post_/);
    const { publish_at_local: scheduledAt } = await demo.getPost(idIn(page.url()));
    expect(scheduledAt).toMatch(/T07:45:00\+00:00$/);
    expect(new Date(scheduledAt ?? "").getUTCDay()).toBe(4);
    expect(faults).toEqual([]);
    await close();
  });

  it("has ten weekly slots after a few clicks, of which one is moved and one removed", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/slots");
    const week = page.getByRole("region", { name: "Weekly slots" });
    const slots = week.locator("[data-id]");
    await week.getByRole("button", { name: "Weekdays" }).waitFor();
    const before = await slots.count();
    await week.getByRole("button", { name: "Weekdays" }).click();
    await week.getByRole("button", { name: "Friday, 09:00" }).waitFor();
    await week.getByRole("button", { name: "Weekdays" }).click();
    await week.getByRole("button", { name: "Friday, 17:00" }).waitFor();
    expect(await slots.count()).toBe(before + 10);
    await expectAccessible(page);
    await week.getByRole("button", { name: "Friday, 17:00" }).click();
    const dialog = page.getByRole("dialog", { name: "Friday, 17:00" });
    await dialog.getByLabel("Time of day").fill("18:30");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await week.getByRole("button", { name: "Friday, 18:30" }).click();
    await page.getByRole("dialog", { name: "Friday, 18:30" }).getByRole("button", { name: "Remove" }).click();
    await page.getByText("Slot removed").waitFor();
    expect(await slots.count()).toBe(before + 9);
    expect(faults).toEqual([]);
    await close();
  });

  it("can be used by keyboard alone", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/compose");
    const box = page.getByRole("checkbox", { name: /^bluesky/i });
    await box.waitFor();
    await tabTo(page, /^Skip to content/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^(bl)?bluesky/i);
    await page.keyboard.press("Space");
    await tabTo(page, /^Text/);
    await page.keyboard.type("By keyboard");
    await page.getByText("Ready for 1 channel").waitFor();
    await tabTo(page, /^Save draft/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/posts\/post_/);
    await eventually(async () => expect(await page.evaluate("document.activeElement?.tagName")).toBe("H1"));
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the calendar", () => {
  it("moves a post in its dialog, undoes the move, and says why a time is refused", async () => {
    const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const later = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const post = await demo.makePost({
      text: "Movable feast",
      channels: [demo.getChannelId("bluesky")],
      publish_at: `${soon}T09:30:00Z`,
    });
    // On a phone, the agenda shows every post of the month.
    const { page, faults, close } = await demo.visit({ ...devices["Pixel 7"] });
    await page.goto("/calendar");
    const entry = page.getByText("Movable feast");
    await untilLoaded(page);
    if ((await entry.count()) === 0) await page.getByRole("button", { name: /next/i }).click();
    await entry.first().click();
    const dialog = page.getByRole("dialog", { name: "Movable feast" });
    const move = async (time: string) => {
      await dialog.getByRole("button", { name: "Move to ..." }).click();
      await dialog.getByLabel("Date and time").fill(time);
      await dialog.getByRole("button", { name: "Move", exact: true }).click();
    };
    await move("2020-01-01T09:30");
    await dialog.getByRole("alert").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Keep time" }).click();
    await move(`${later}T10:15`);
    await page.getByText(/^Moved to/).waitFor();
    expect((await demo.getPost(post.id)).publish_at_local).toBe(`${later}T10:15:00+00:00`);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Moved back").waitFor();
    expect((await demo.getPost(post.id)).publish_at_local).toBe(`${soon}T09:30:00+00:00`);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("the channels page", () => {
  it("keeps the queue of a channel that is reconnected, even after a refused attempt whose reason is shown", async () => {
    const { page, faults, close } = await demo.visit();
    const to = ["bluesky", "telegram"].map(demo.getChannelId);
    const queued = await demo.makePost({ text: "Still to come", channels: to, publish_at: "2027-09-01T09:30:00Z" });
    await page.goto("/channels");
    await page.getByRole("button", { name: /^Actions for Bluesky/ }).click();
    await page.getByRole("menuitem", { name: "Reconnect" }).click();
    const dialog = page.getByRole("dialog", { name: "Reconnect bluesky" });
    await dialog.getByText("Use an app password instead").click();
    const form = dialog.locator("details form");
    await form.getByLabel("Handle").fill("crier.bsky.social");
    await form.getByLabel("App password").fill("wrong-wrong-wrong");
    await form.getByRole("button", { name: "Connect" }).click();
    await dialog.getByRole("alert").filter({ hasText: "Bluesky didn't accept this app password" }).waitFor();
    await expectAccessible(page);
    const { accounts } = await json<{ accounts: { platform: string; credentials: Record<string, string> }[] }>(
      `${demo.run.simulators}/_sim/demo`,
    );
    const password = accounts.find(({ platform }) => platform === "bluesky")?.credentials.app_password ?? "";
    await dialog.getByLabel("App password").fill(password);
    await dialog.getByRole("button", { name: "Connect" }).click();
    await page.getByText(/^Bluesky .+ is connected$/).waitFor();
    await page.getByRole("button", { name: /^Actions for Telegram/ }).click();
    await page.getByRole("menuitem", { name: "Reconnect" }).click();
    const otherDialog = page.getByRole("dialog", { name: "Reconnect telegram" });
    const bot = accounts.find(({ platform }) => platform === "telegram")?.credentials ?? {};
    await otherDialog.getByLabel("Bot token").fill(bot.bot_token ?? "");
    await otherDialog.getByLabel(/^Chat/).fill(bot.chat_id ?? "");
    await otherDialog.getByRole("button", { name: "Connect" }).click();
    await page.getByText(/^Telegram .+ is connected$/).waitFor();
    const { status, deliveries } = await demo.getPost(queued.id);
    expect({ status, to: deliveries.map(({ channel }) => channel).sort() }).toEqual({
      status: "scheduled",
      to: to.sort(),
    });
    const now = await demo.get<{ channels: { id: string }[] }>("/v1/channels");
    expect(now.channels.map(({ id }) => id).sort()).toEqual(demo.channels.map(({ id }) => id).sort());
    expect(faults).toEqual([]);
    await close();
  });

  it("connects the channels of all other networks by consent on the network, which leads back to the dashboard", async () => {
    const { page, faults, close } = await demo.visit();
    const { platforms } = await demo.get<{
      platforms: { platform: string; auth: string; connect_ways?: ({ name: string; site: string } | null)[] }[];
    }>("/v1/platforms");
    const oauth = platforms.filter(({ auth }) => auth === "oauth");
    // A network with several ways to connect is connected in each.
    const connections = oauth.flatMap(({ platform, connect_ways: ways = [null] }) =>
      ways.map((way) => ({ platform, way })),
    );
    for (const { platform, way } of connections) {
      await page.goto("/channels");
      await page.getByRole("button", { name: new RegExp(`^Connect ${platform}\\b`, "i") }).click();
      if (way !== null) {
        await page.getByRole("radio", { name: way.name }).check();
        await page.getByRole("button", { name: `Continue to ${way.site}` }).click();
      }
      await page.waitForURL((url) => url.origin === demo.run.simulators);
      await page.getByRole("button").first().click();
      // A consent for one account connects it; of several, the user chooses.
      await page.waitForURL((url) => url.pathname.includes("callback") || url.search.includes("platform="));
      if (page.url().includes("callback")) await page.getByRole("button", { name: "Connect" }).click();
      await page.waitForURL(/\/channels\?/);
      await page
        .getByRole("status")
        .filter({ hasText: new RegExp(`^${platform}\\b.* (is|are) connected`, "i") })
        .waitFor();
    }
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a failed delivery", () => {
  it("says what happened and what to do, and can be retried", async () => {
    const fault = { platform: "telegram", call: "sendMessage", count: 20, do: "status", status: 400 };
    await json(`${demo.run.simulators}/_sim/faults`, undefined, {
      ...fault,
      body: { ok: false, error_code: 400, description: "Bad Request: chat not found" },
    });
    const post = await demo.makePost({ text: "Refused at first", channels: [demo.getChannelId("telegram")] });
    await eventually(async () => expect((await demo.getPost(post.id)).status).toBe("failed"));
    await fetch(`${demo.run.simulators}/_sim/faults`, { method: "DELETE" });
    const { page, faults, close } = await demo.visit();
    await page.goto("/");
    const needs = page.getByRole("region", { name: "To do" });
    await needs.getByRole("link", { name: "Refused at first", exact: true }).click();
    await page.waitForURL(/\/posts\/post_/);
    await page.getByRole("alert").filter({ hasText: "chat not found" }).waitFor();
    await expectAccessible(page);
    // The inbox has it as well, with what helps.
    await page.goto("/activity");
    const problems = page.getByRole("region", { name: "Problems" });
    await problems.getByRole("link", { name: /: Refused at first$/ }).waitFor();
    await problems.getByRole("link", { name: "Refused at first", exact: true }).click();
    // The answer arrives after the page has reloaded the delivery, which removes the button.
    const button = page.getByRole("button", { name: "Send again" });
    await page.route(/\/retry$/, async (route) => {
      const response = await route.fetch();
      await button.waitFor({ state: "detached" });
      await route.fulfill({ response });
    });
    await button.click();
    await page.getByText("Sending to Telegram again").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe("signing out", () => {
  it("leads to the front page, even if calls were still in progress", async () => {
    const { page, close } = await demo.visit();
    let signedOut = () => {};
    const isSignedOut = new Promise<void>((resolve) => {
      signedOut = resolve;
    });
    await page.route("**/v1/posts?**", async (route) => {
      await isSignedOut;
      await route.continue();
    });
    await page.evaluate(`{
      const fetched = window.fetch;
      window.fetch = async (...call) => {
        const answer = await fetched(...call);
        if (answer.status === 401) setTimeout(() => console.log("refused"));
        return answer;
      };
    }`);
    const refused = page.waitForEvent("console", (message) => message.text() === "refused");
    // The front page stays when an earlier call is refused.
    await page.route(`${demo.run.url}/`, async (route) => {
      signedOut();
      await refused;
      await route.continue();
    });
    await page.getByRole("link", { name: "Posts" }).first().click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in as the demo" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    await close();
  });
});
