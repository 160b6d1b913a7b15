// How many presses the usual journeys take. Typing and the Tab key are free; a field that has no focus costs a press.
import { type BrowserContextOptions, devices, type Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { json } from "../local/running.ts";
import { setApproval } from "./browsing.ts";
import { useDemo, type Visit } from "./demo.ts";
import { signUpAs } from "./people.ts";
import { countPresses } from "./presses.ts";

const demo = useDemo();

const getId = (page: Page) => new URL(page.url()).pathname.split("/").pop() ?? "";
const findText = (page: Page) => page.getByLabel("Text", { exact: true });
/** The composer of the demo, open and ready to write in. */
async function openComposer(options?: BrowserContextOptions): Promise<Visit> {
  const visit = await demo.visit(options);
  await visit.page.goto("/compose");
  await findText(visit.page).waitFor();
  return visit;
}

interface Connectable {
  platform: string;
  consent?: { handle: boolean };
  connect_ways?: object[];
}

describe("a new person", () => {
  it("signs up and has a first live post after 8 presses", async () => {
    const { page, faults, close } = await demo.open();
    await page.goto("/");
    const person = countPresses(page);
    await person.press(page.getByRole("link", { name: "Start free" }).first());
    await person.typeAtOnce(page.getByLabel("Name"), "Nora");
    await person.typeNext(page.getByLabel("Email"), "nora@example.com");
    await person.typeNext(page.getByLabel("Password"), "a harbour full of boats");
    await person.press(page.getByRole("button", { name: "Sign up" }));
    await person.press(page.getByRole("region", { name: "First steps" }).getByRole("link", { name: "Connect" }));
    await person.press(page.getByRole("button", { name: /^Connect Threads/ }));
    await page.waitForURL((url) => url.origin === demo.run.simulators);
    await person.press(page.getByRole("button").first());
    await page.waitForURL(/\/channels\?/);
    await person.press(page.getByRole("link", { name: "Compose" }).first());
    await person.typeAtOnce(findText(page), "The harbour opens.");
    await person.press(page.getByRole("button", { name: "Post now" }));
    await page.waitForURL(/\/posts\/post_/);
    await page
      .getByText(/^(Verified|Live)/)
      .first()
      .waitFor();
    expect(person.presses).toBeLessThanOrEqual(8);
    expect(faults).toEqual([]);
    await close();
  });

  it("connects all ten networks with 27 presses", async () => {
    const { page, faults, close } = await signUpAs(demo, {
      email: "ten@example.com",
      password: "a harbour full of boats",
    });
    const { accounts } = await json<{ accounts: { platform: string; credentials: Record<string, string> }[] }>(
      `${demo.run.simulators}/_sim/demo`,
    );
    const { platforms } = await demo.get<{ platforms: Connectable[] }>("/v1/platforms");
    const person = countPresses(page);
    await person.press(page.getByRole("region", { name: "First steps" }).getByRole("link", { name: "Connect" }));
    for (const { platform, consent, connect_ways: ways } of platforms) {
      await person.press(page.getByRole("button", { name: new RegExp(`^Connect ${platform}\\b`, "i") }));
      const { credentials = {} } = accounts.find((account) => account.platform === platform) ?? {};
      const dialog = page.getByRole("dialog");
      const fields = dialog.getByRole("textbox").or(dialog.locator("input[type=password]"));
      if (consent?.handle) {
        await person.typeAtOnce(fields.first(), credentials.identifier ?? "");
        await person.press(dialog.getByRole("button", { name: /^Sign in with/ }));
      }
      if (ways !== undefined) await person.press(dialog.getByRole("button", { name: /^Continue to/ }));
      if (consent !== undefined) {
        await page.waitForURL((url) => url.origin === demo.run.simulators);
        await person.press(page.getByRole("button").first());
        // A consent for one account connects it; of several, the user chooses.
        await page.waitForURL((url) => url.pathname.includes("callback") || url.search.includes("platform="));
        if (page.url().includes("callback")) await person.press(page.getByRole("button", { name: "Connect" }));
        await page.waitForURL(/\/channels\?/);
        continue;
      }
      const [first, second] = Object.values(credentials);
      await person.typeAtOnce(fields.first(), first ?? "");
      await person.typeNext(fields.nth(1), second ?? "");
      await person.press(dialog.getByRole("button", { name: "Connect", exact: true }));
      await dialog.waitFor({ state: "detached" });
    }
    await page.getByRole("region", { name: "Connected accounts" }).getByRole("listitem").nth(9).waitFor();
    expect(person.presses).toBeLessThanOrEqual(27);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("in the open composer", () => {
  it("a post for six networks, each with its own text, takes 12 presses", async () => {
    const names = ["Bluesky", "X", "Threads", "LinkedIn", "Facebook", "Telegram"];
    await json(`${demo.run.url}/v1/channel-groups`, demo.key, {
      name: "Launch",
      channels: names.map((name) => demo.getChannelId(name.toLowerCase())),
    });
    const { page, faults, close } = await openComposer();
    const person = countPresses(page);
    await person.press(page.getByRole("button", { name: "Groups" }));
    await person.press(page.getByRole("button", { name: /^Launch/ }));
    for (const name of names) {
      await person.press(page.getByRole("tab", { name: new RegExp(`^${name}`) }));
      await person.typeAtOnce(page.getByLabel(new RegExp(`^Text for ${name}`)), `In our words for ${name}`);
    }
    await person.press(page.getByRole("button", { name: "Post now" }));
    await page.waitForURL(/\/posts\/post_/);
    expect(person.presses).toBeLessThanOrEqual(12);
    const { overrides } = await demo.getPost(getId(page));
    expect(Object.values(overrides).map(({ text }) => text)).toEqual(names.map((name) => `In our words for ${name}`));
    expect(faults).toEqual([]);
    await close();
  });

  it("a video with a chosen cover frame takes 5 presses", async () => {
    const { page, faults, close } = await openComposer();
    const person = countPresses(page);
    await person.press(page.getByRole("checkbox", { name: /^Instagram/ }));
    await person.chooseFile(page.getByRole("button", { name: "Add files" }), "scripts/local/demo.mp4");
    await person.press(page.getByRole("tab", { name: /^Instagram/ }));
    await person.press(page.getByLabel(/^Cover frame/));
    await page.getByText("Ready for 1 channel").waitFor();
    await person.press(page.getByRole("button", { name: "Post now" }));
    await page.waitForURL(/\/posts\/post_/);
    expect(person.presses).toBeLessThanOrEqual(5);
    const { overrides } = await demo.getPost(getId(page));
    expect(overrides[demo.getChannelId("instagram")]?.thumb_offset_ms).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await close();
  });

  it("a pasted text becomes a thread of four and is posted with 3 presses", async () => {
    const { page, faults, close } = await openComposer();
    const person = countPresses(page);
    await person.typeAtOnce(
      findText(page),
      "The boats are new.\n\nSo are the blankets.\n\nThe guide is old.\n\nCome aboard.",
    );
    await person.press(page.getByRole("checkbox", { name: /^Bluesky/ }));
    await person.press(page.getByRole("button", { name: "Split" }));
    await person.press(page.getByRole("button", { name: "Post now" }));
    await page.waitForURL(/\/posts\/post_/);
    expect(person.presses).toBeLessThanOrEqual(3);
    expect((await demo.getPost(getId(page))).thread).toHaveLength(3);
    expect(faults).toEqual([]);
    await close();
  });

  it("a written post is scheduled with 2 presses", async () => {
    const { page, faults, close } = await openComposer();
    await page.getByRole("checkbox", { name: /^Bluesky/ }).check();
    await findText(page).fill("In the new year.");
    const person = countPresses(page);
    await person.setTime(page.getByLabel("When"), "2027-07-06T09:30");
    await person.press(page.getByRole("button", { name: /^Schedule/ }));
    await page.waitForURL(/\/posts\/post_/);
    expect(person.presses).toBeLessThanOrEqual(2);
    expect(await demo.getPost(getId(page))).toMatchObject({ status: "scheduled" });
    expect(faults).toEqual([]);
    await close();
  });
});

describe("on other pages", () => {
  it("a client approves a post on a phone with 2 presses", async () => {
    const owner = await demo.visit();
    await setApproval(owner.page, "All posts");
    const post = await demo.makePost({ text: "For Clara", channels: [demo.getChannelId("bluesky")] });
    const { url } = await json<{ url: string }>(`${demo.run.url}/v1/posts/${post.id}/review-link`, demo.key, {});
    const { page, faults, close } = await demo.open({ ...devices["Pixel 7"] });
    await page.goto(url);
    const person = countPresses(page);
    await person.type(page.getByLabel("Your name"), "Clara");
    await person.press(page.getByRole("button", { name: "Approve" }));
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect(person.presses).toBeLessThanOrEqual(2);
    await setApproval(owner.page, "None. Authors can only write drafts");
    expect([...faults, ...owner.faults]).toEqual([]);
    await Promise.all([close(), owner.close()]);
  });

  it("a failed post is fixed and sent with 2 presses", async () => {
    await json(`${demo.run.simulators}/_sim/faults`, undefined, {
      ...{ platform: "telegram", call: "sendMessage", count: 1, do: "status", status: 400 },
      body: { ok: false, error_code: 400, description: "Bad Request: chat not found" },
    });
    const post = await demo.makePost({ text: "Refused", channels: [demo.getChannelId("telegram")] });
    await eventually(async () => expect((await demo.getPost(post.id)).status).toBe("failed"));
    const { page, faults, close } = await demo.visit();
    await page.goto(`/posts/${post.id}`);
    const person = countPresses(page);
    await person.press(page.getByRole("link", { name: "Fix and repost" }));
    await person.typeAtOnce(findText(page), " no more");
    await person.press(page.getByRole("button", { name: "Post now" }));
    await page.waitForURL((address) => address.pathname !== `/posts/${post.id}` && /\/post_/.test(address.pathname));
    expect(person.presses).toBeLessThanOrEqual(2);
    await eventually(async () => expect((await demo.getPost(getId(page))).status).toBe("published"));
    expect(faults).toEqual([]);
    await close();
  });

  it("three bad rows of 60 are fixed in place and imported with 6 presses", async () => {
    const bad = new Map([
      [7, "Row 7,nobody,2027-02-07T09:00:00Z"],
      [30, `${"x".repeat(301)},bluesky,2027-03-02T09:00:00Z`],
      [58, "Row 58,bluesky,2020-01-01T09:00:00Z"],
    ]);
    const rows = Array.from(
      { length: 60 },
      (_, i) => bad.get(i + 1) ?? `Row ${i + 1},bluesky,${new Date(Date.UTC(2027, 1, 1 + i, 9)).toISOString()}`,
    );
    const buffer = Buffer.from(["text,channels,publish_at", ...rows, ""].join("\n"));
    const { page, faults, close } = await demo.visit();
    await page.goto("/import");
    const person = countPresses(page);
    await person.chooseFile(page.getByLabel("File to import"), { name: "posts.csv", mimeType: "text/csv", buffer });
    await person.replace(page.getByLabel("Channels, line 8"), "bluesky");
    await person.replace(page.getByLabel("Text, line 31"), "Shorter");
    await person.replace(page.getByLabel("Time, line 59"), "2027-04-01T09:00:00Z");
    await person.press(page.getByRole("button", { name: "Check again" }));
    await person.press(page.getByRole("button", { name: "Import all 60 rows" }));
    await page.getByText("60 posts imported, 0 rows left out").waitFor();
    expect(person.presses).toBeLessThanOrEqual(6);
    expect(faults).toEqual([]);
    await close();
  });

  it("ten weekly slots take 6 presses", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/slots");
    const week = page.getByRole("region", { name: "Weekly slots" });
    const person = countPresses(page);
    await person.press(week.getByRole("button", { name: "Weekdays" }));
    await week.getByRole("button", { name: "Friday, 09:00" }).waitFor();
    await person.press(week.getByRole("button", { name: "Weekdays" }));
    await week.getByRole("button", { name: "Friday, 17:00" }).waitFor();
    expect(await week.locator("[data-id]").count()).toBe(10);
    expect(person.presses).toBeLessThanOrEqual(6);
    expect(faults).toEqual([]);
    await close();
  });
});
