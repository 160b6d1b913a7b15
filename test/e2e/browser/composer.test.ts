// Threads and files in the composer: validation, failures, and the published result.
import { describe, expect, it } from "vitest";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
import { eventually } from "../../support/eventually.ts";
import { json } from "../local/running.ts";
import { chooseFile, expectAccessible } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

describe("a thread in the composer", () => {
  it("is written in parts that are validated separately, and is published on the networks that have threads", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/compose");
    await page.getByRole("checkbox", { name: /^telegram/i }).check();
    await page.getByLabel("Text", { exact: true }).fill("one");
    await page.getByText("Ready for 1 channel").waitFor();
    const thread = page.getByRole("region", { name: "Thread" });
    expect(await thread.count()).toBe(0);
    await page.getByRole("checkbox", { name: /^bluesky/i }).check();
    for (const [i, text] of ["three", "x".repeat(301)].entries()) {
      await page.getByRole("button", { name: "Add part" }).click();
      const partText = thread.getByLabel(`Text of part ${i + 2}`);
      await partText.and(page.locator(":focus")).waitFor();
      await partText.fill(text);
    }
    const second = thread.getByRole("listitem").filter({ has: page.getByLabel("Text of part 3") });
    await second.getByRole("alert").filter({ hasText: "1 character too long" }).waitFor();
    await thread.getByRole("alert").filter({ hasText: "Telegram" }).waitFor();
    await expectAccessible(page);
    await thread.getByRole("button", { name: /^Only post the first part for Telegram/ }).click();
    await thread.getByLabel("Text of part 3").fill("two");
    await page.getByText("Ready for 2 channels").waitFor();
    await thread.getByRole("button", { name: "Move part 3 up" }).click();
    expect(await thread.getByLabel("Text of part 2").inputValue()).toBe("two");
    await chooseFile(page, { name: "a.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(600, 400)) }, () =>
      thread.getByRole("button", { name: "Add files to part 2" }).click(),
    );
    await thread.getByLabel("Alt text of file 1 of 1 of part 2").fill("A picture");

    await page.getByRole("tab", { name: /^Bluesky/ }).click();
    const bluesky = page.getByRole("tabpanel");
    await bluesky.getByLabel("Different media").check();
    await chooseFile(page, { name: "b.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(400, 600)) }, () =>
      bluesky.getByRole("button", { name: /^Add files/ }).click(),
    );
    await bluesky.getByLabel(/^Alt text of file 1 of 1 of Bluesky/).fill("Only here");
    await page.getByText("Ready for 2 channels").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Post now" }).click();
    await page.waitForURL(/\/posts\/post_/);
    const id = page.url().split("/").pop() ?? "";
    await eventually(async () => expect((await demo.getPost(id)).status).toBe("published"));
    const post = await demo.getPost(id);
    expect(post.thread?.map(({ text, media }) => [text, media.length])).toEqual([
      ["two", 1],
      ["three", 0],
    ]);
    expect(post.overrides[demo.getChannelId("telegram")]).toEqual({ thread: [] });
    expect(post.overrides[demo.getChannelId("bluesky")]?.media).toHaveLength(1);
    expect(post.deliveries.map(({ platform, parts }) => [platform, parts?.length ?? 1]).sort()).toEqual([
      ["bluesky", 3],
      ["telegram", 1],
    ]);
    expect(faults).toEqual([]);
    await close();
  });

  it("shows how many of its five parts are live if the third fails, and continues from there", async () => {
    await json(`${demo.run.simulators}/_sim/faults`, undefined, {
      ...{ platform: "x", call: "tweets/create", skip: 2, count: 1 },
      ...{ do: "status", status: 403, body: { title: "Forbidden", detail: "You are not permitted to do this." } },
    });
    const thread = ["two", "three", "four", "five"].map((text) => ({ text }));
    const { id } = await demo.makePost({ text: "Five in all", channels: [demo.getChannelId("x")], thread });
    const states = async () => (await demo.getPost(id)).deliveries[0]?.parts?.map(({ status }) => status);
    await eventually(async () => expect((await demo.getPost(id)).status).toBe("partially_published"));
    expect(await states()).toEqual(["live", "live", "failed", "pending", "pending"]);
    const { page, faults, close } = await demo.visit();
    await page.goto(`/posts/${id}`);
    const parts = page.getByRole("list", { name: "Parts of the thread" }).getByRole("listitem");
    await parts.nth(2).getByText("Failed").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send again" }).click();
    await eventually(async () => expect(await states()).toEqual(Array.from({ length: 5 }, () => "live")));
    await parts.nth(4).getByText("Live").waitFor();
    // The first part went live before the remaining ones were sent again, which does not make it early.
    await page.getByRole("button", { name: /^Details of X/ }).click();
    const steps = page.getByRole("article").locator(".timeline li");
    await steps.filter({ hasText: "Sent again" }).waitFor();
    await steps.filter({ hasText: "Failed" }).waitFor();
    expect(await steps.filter({ hasText: /-\d/ }).count()).toBe(0);
    const { ledger } = await json<{ ledger: { text: string }[] }>(`${demo.run.simulators}/_sim/ledger?platform=x`);
    expect(ledger.map(({ text }) => text).slice(-5)).toEqual(["Five in all", "two", "three", "four", "five"]);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a mention", () => {
  it("is looked up on the network while it is typed, and chosen with the keys or the pointer", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/compose");
    await page.getByRole("checkbox", { name: /^bluesky/i }).check();
    const text = page.getByLabel("Text", { exact: true });
    await text.focus();
    await page.keyboard.type("Thanks @ali");
    await page.getByRole("option", { name: /^Alice/, selected: true }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    expect(await text.inputValue()).toBe("Thanks @alice.bsky.social ");
    await page.keyboard.type("and @nobody-at-all");
    await page.getByText("No accounts found on Bluesky").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("No accounts found on Bluesky").waitFor({ state: "detached" });
    await text.fill("With ");
    await page.keyboard.type("@bo");
    await page.getByRole("option", { name: /^Bob/ }).click();
    expect(await text.inputValue()).toBe("With @bob.bsky.social ");
    // Other networks would show a Bluesky handle as plain text, so a text for several networks has no look-up.
    await page.getByRole("checkbox", { name: /^x /i }).check();
    await page.keyboard.press("Control+End");
    await text.focus();
    await page.keyboard.type("and @ali");
    await page.getByText("Ready for 2 channels").waitFor();
    expect(await page.getByRole("option", { name: /^Alice/ }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a partially published post", () => {
  it("is fixed and reposted only where it failed, with a note of the channels where it is already live", async () => {
    await json(`${demo.run.simulators}/_sim/faults`, undefined, {
      ...{ platform: "telegram", call: "sendMessage", count: 1, do: "status", status: 400 },
      body: { ok: false, error_code: 400, description: "Bad Request: chat not found" },
    });
    const channels = [demo.getChannelId("bluesky"), demo.getChannelId("telegram")];
    const { id } = await demo.makePost({ text: "Half of it arrived", channels });
    await eventually(async () => expect((await demo.getPost(id)).status).toBe("partially_published"));
    const { page, faults, close } = await demo.visit();
    await page.goto(`/posts/${id}`);
    await page.getByRole("link", { name: "Fix and repost" }).click();
    await page.getByRole("checkbox", { name: /^telegram/i }).waitFor();
    const chosen = await page.getByRole("checkbox", { checked: true }).all();
    expect(await Promise.all(chosen.map((box) => box.getAttribute("aria-label")))).toEqual([
      expect.stringMatching(/^Telegram/),
    ]);
    const note = page.getByRole("status").filter({ hasText: "This goes only where the post is missing" });
    expect(await note.innerText()).toMatch(/missing: Telegram \(.+\)\.\s+It's already live on Bluesky \(.+\)\./);
    await expectAccessible(page);
    await page.getByLabel("Text", { exact: true }).fill("The other half arrived");
    await page.getByRole("button", { name: "Post now" }).click();
    await page.waitForURL(/\/posts\/post_/);
    const fixed = await demo.getPost(new URL(page.url()).pathname.split("/").pop() ?? "");
    expect(fixed.channels).toEqual([demo.getChannelId("telegram")]);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a file in the composer", () => {
  it("is uploaded again after a broken upload, retried or removed after a refusal, and can be reordered", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/compose");
    await page.getByRole("checkbox", { name: /^bluesky/i }).check();
    const picture = (name: string, shade: number) => ({
      name,
      mimeType: "image/jpeg",
      buffer: Buffer.from(makeJpeg(400, 400, shade)),
    });
    const add = async (file: ReturnType<typeof picture>) => {
      await chooseFile(page, file, () => page.getByRole("button", { name: "Add files" }).click());
    };
    const uploads = (answer: "broken" | number) =>
      page.route("**/*", (route) => {
        if (route.request().method() !== "PUT") return route.fallback();
        return answer === "broken" ? route.abort("connectionreset") : route.fulfill({ status: answer });
      });
    const uploading = page.locator(".uploading");
    await uploads("broken");
    await add(picture("first.jpg", 10));
    await uploading.getByText("Connection lost. Trying again in 1 second.").waitFor();
    await page.unrouteAll();
    await page.getByLabel("Alt text of file 1 of 1").fill("First");
    await uploading.waitFor({ state: "detached" });

    await uploads(400);
    await add(picture("second.jpg", 200));
    await uploading.getByRole("alert").filter({ hasText: "couldn't be uploaded" }).waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await uploading.getByRole("button", { name: "Try again" }).click();
    await page.getByLabel("Alt text of file 2 of 2").fill("Second");

    await uploads(400);
    await add(picture("third.jpg", 100));
    await uploading.getByRole("alert").waitFor();
    await uploading.getByRole("button", { name: "Cancel" }).click();
    await uploading.waitFor({ state: "detached" });
    await page.unrouteAll();

    const files = page.locator(".file-list > li");
    const order = (alts: string[]) =>
      eventually(async () => {
        const fields = await page.getByLabel(/^Alt text of file/).all();
        expect(await Promise.all(fields.map((field) => field.inputValue()))).toEqual(alts);
      });
    await order(["First", "Second"]);
    await page.getByRole("button", { name: /^File 2 of 2: press the arrow keys/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await order(["Second", "First"]);
    await files.first().dragTo(files.nth(1));
    await order(["First", "Second"]);
    expect(faults.filter((fault) => !fault.includes("ERR_CONNECTION_RESET"))).toEqual([]);
    await close();
  });
});

it("shows the whole reason if a network refuses it, and is converted for that network if the user chooses so", async () => {
  const { page, faults, close } = await demo.visit();
  await page.goto("/compose");
  await page.getByRole("checkbox", { name: /^tiktok/i }).check();
  const photo = { name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(2_400, 1_800, 30)) };
  await chooseFile(page, photo, () => page.getByRole("button", { name: "Add files" }).click());
  const refusal = page.locator(".file-list").getByRole("alert");
  await refusal.getByText("on the longer side").waitFor();
  const [rule, place] = [await refusal.getByRole("listitem").first().boundingBox(), await refusal.boundingBox()];
  expect((rule?.width ?? 0) / (place?.width ?? 1)).toBeGreaterThan(0.8);
  const adapt = page.getByRole("checkbox", { name: /^Adapt images to each network/ });
  await adapt.check();
  await page
    .getByRole("region", { name: /^TikTok .*required/ })
    .getByLabel("Who can see this")
    .selectOption("SELF_ONLY");
  await page.locator(".files").getByText("Adapted for TikTok: JPEG, 1440 × 1080 px").waitFor();
  await refusal.waitFor({ state: "detached" });
  await expectAccessible(page);
  expect(faults).toEqual([]);
  await close();
});

it("a post repeats and has a time of its own on one network, as its page and the calendar say", async () => {
  const { page, faults, close } = await demo.visit();
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  await page.goto(`/compose?at=${day}T09:30`);
  for (const name of ["bluesky", "x"]) await page.getByRole("checkbox", { name: new RegExp(`^${name} `, "i") }).check();
  await page.getByLabel("Text", { exact: true }).fill("Repeated");
  await page.getByRole("button", { name: "Repeat", exact: true }).click();
  await page.getByRole("button", { name: "Every day", exact: true }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("tab", { name: /^X/ }).click();
  await page.getByLabel("Different time").check();
  await page.getByLabel(/^Time for X/).fill(`${day}T18:00`);
  await page.getByText("Ready for 2 channels").waitFor();
  await page.getByRole("button", { name: /^Schedule/ }).click();
  await page.waitForURL(/\/posts\/post_/);
  const id = page.url().split("/").pop() ?? "";
  await page.getByText("Repeats every day.").waitFor();
  const { repeat, overrides, deliveries } = await demo.getPost(id);
  expect(repeat).toMatchObject({ every: "day", interval: 1 });
  expect(overrides[demo.getChannelId("x")]).toEqual({ publish_at: `${day}T18:00:00.000Z` });
  expect(deliveries.map(({ scheduled_for }) => scheduled_for).sort()).toEqual([
    `${day}T09:30:00.000Z`,
    `${day}T18:00:00.000Z`,
  ]);
  await page.goto(`/calendar?date=${day}`);
  await page
    .getByRole("button", { name: /Repeats.*Repeated/ })
    .nth(1)
    .waitFor();
  await page.goto(`/posts/${id}`);
  await page.getByRole("button", { name: "Stop repeating" }).click();
  await page.getByText("Repeated every day. Stopped.").waitFor();
  expect((await demo.getPost(id)).repeat_status).toMatchObject({ state: "stopped" });
  expect(faults).toEqual([]);
  await close();
});
