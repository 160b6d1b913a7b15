// What the composer promises of a post before it goes out, held against what the networks show of it afterwards.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
import { eventually } from "../../support/eventually.ts";
import { json, type Run, stopAll } from "../local/running.ts";
import { expectAccessible, startDemo, visit } from "./browsing.ts";

interface Channel {
  id: string;
  platform: string;
}
interface Post {
  id: string;
  status: string;
  thread: { text: string; media: string[] }[] | null;
  overrides: Record<string, { media?: string[]; thread?: object[] }>;
  deliveries: { platform: string; status: string; url: string | null; parts: { status: string }[] | null }[];
}

let run: Run;
let browser: Browser;
let key: string;
let channels: Channel[];

beforeAll(async () => {
  ({ run, key, browser } = await startDemo());
  ({ channels } = await json<{ channels: Channel[] }>(`${run.url}/v1/channels`, key));
});
afterAll(async () => {
  await browser?.close();
  await stopAll();
});

const idOf = (platform: string) => channels.find((channel) => channel.platform === platform)?.id ?? "";
const postOf = (id: string) => json<Post>(`${run.url}/v1/posts/${id}`, key);
const makePost = (body: object) => json<Post>(`${run.url}/v1/posts`, key, body);
const cardOf = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name} `) });

async function upload(bytes: Uint8Array<ArrayBuffer>, type: string, alt?: string): Promise<string> {
  const file = { content_type: type, bytes: bytes.byteLength, ...(alt === undefined ? {} : { alt }) };
  const { upload_url, media } = await json<{ upload_url: string; media: { id: string } }>(
    `${run.url}/v1/media/upload-url`,
    key,
    file,
  );
  expect((await fetch(upload_url, { method: "PUT", headers: { "content-type": type }, body: bytes })).ok).toBe(true);
  return media.id;
}

/** What a reader sees of a post, wherever it is shown. */
interface Seen {
  title: string | null;
  text: string | null;
  marks: string[];
  files: { sha256: string; alt: string }[];
  card: string | null;
}
const textIn = async (parts: Locator) => ((await parts.count()) === 0 ? null : await parts.first().textContent());

/** As the composer shows it before. A file is known by its bytes. */
async function seenBefore(card: Locator): Promise<Seen> {
  const part = card.locator('[data-part="0"]');
  const figures = await part.locator("figure").all();
  return {
    title: await textIn(part.locator(".title")),
    text: await textIn(part.locator(".exact")),
    marks: await part.locator("mark").allTextContents(),
    files: await Promise.all(
      figures.map(async (figure) => {
        const address = await figure.locator("img, video").getAttribute("src");
        const bytes = new Uint8Array(await (await fetch(address ?? "")).arrayBuffer());
        const alt = (await figure.locator("figcaption").textContent()) ?? "";
        return {
          sha256: createHash("sha256").update(bytes).digest("hex"),
          alt: alt === "takes no alt text" ? "no alt text" : alt,
        };
      }),
    ),
    card: await textIn(part.locator(".link-card small")),
  };
}

/** As the network's page shows it afterwards. */
async function seenAfter(article: Locator): Promise<Seen> {
  const figures = await article.locator("figure").all();
  return {
    title: await textIn(article.locator("h3")),
    text: await textIn(article.locator("p.text")),
    marks: await article.locator("mark").allTextContents(),
    files: await Promise.all(
      figures.map(async (figure) => {
        const address = (await figure.locator("img, video").getAttribute("src")) ?? "";
        const alt = await figure.locator("figcaption > i, figcaption").first().innerText();
        return { sha256: address.split("/").pop() ?? "", alt: alt.split("\n")[0] ?? "" };
      }),
    ),
    card: await textIn(article.locator(".card small")),
  };
}

describe("a preview", () => {
  it("of each of ten networks is what that network shows afterwards", async () => {
    const text = "Read https://example.com/a, then (https://example.com/b) #crier\n\nA second line: ünïcödé 👩‍👩‍👧";
    const first = await upload(makeJpeg(1080, 1080, 10), "image/jpeg", "A dark square");
    const second = await upload(makeJpeg(1080, 1080, 200), "image/jpeg", "A light square");
    const film = await upload(new Uint8Array(await readFile("scripts/local/demo.mp4")), "video/mp4", "A film");
    const link = "https://example.com/a";
    const to = (names: string[], overrides: Record<string, object> = {}) => ({
      channels: names.map(idOf),
      overrides: Object.fromEntries(Object.entries(overrides).map(([name, own]) => [idOf(name), own])),
    });
    const words = ["bluesky", "facebook", "linkedin", "telegram", "threads", "x"];
    const drafts = [
      {
        text,
        ...to(words, {
          facebook: { link },
          threads: { link_attachment: link },
          bluesky: { link_card: { url: link, title: "A page", description: "Of words" } },
        }),
      },
      {
        text,
        media: [second, first],
        ...to([...words, "instagram", "pinterest", "tiktok"], {
          pinterest: { title: "A pin", link, media: [first] },
          tiktok: { privacy_level: "PUBLIC_TO_EVERYONE", photo_title: "Two squares" },
          x: { media: [first, second] },
        }),
      },
      { text, media: [film], ...to(["youtube"], { youtube: { title: "A film", made_for_kids: false } }) },
      {
        text,
        post_type: "article",
        ...to(["linkedin"], { linkedin: { article: { source: link, title: "An article", description: "Of words" } } }),
      },
    ];
    const { page, faults, close } = await visit(browser, run);
    const shown = await page.context().newPage();
    for (const draft of drafts) {
      const { id } = await makePost({ ...draft, draft: true });
      await page.goto(`/compose?post=${id}`);
      if (draft.channels.includes(idOf("pinterest")))
        await cardOf(page, "Pinterest").getByLabel("Board", { exact: true }).selectOption({ index: 1 });
      const count = draft.channels.length;
      await page.getByText(`Fits ${count} of ${count} channels`).waitFor();
      await eventually(async () =>
        expect(await page.locator(".previews .thumb.none").count(), "files that are not shown yet").toBe(0),
      );
      const before = new Map<string, Seen>();
      for (const platform of channels.filter((one) => draft.channels.includes(one.id)).map((one) => one.platform))
        before.set(platform, await seenBefore(cardOf(page, NAMES[platform] ?? platform)));
      await page.getByRole("button", { name: "Post now" }).click();
      await page.waitForURL(/\/posts\/post_/);
      await eventually(async () => expect((await postOf(id)).status).toBe("published"));
      await shown.goto(run.simulators);
      for (const { platform, url } of (await postOf(id)).deliveries) {
        const article = shown.locator("article").filter({ has: shown.getByText(url ?? "", { exact: true }) });
        expect({ platform, ...(await seenAfter(article)) }).toEqual({ platform, ...before.get(platform) });
      }
    }
    expect(faults).toEqual([]);
    await close();
  });
});

const NAMES: Record<string, string> = {
  bluesky: "Bluesky",
  facebook: "Facebook",
  instagram: "Instagram",
  linkedin: "LinkedIn",
  pinterest: "Pinterest",
  telegram: "Telegram",
  threads: "Threads",
  tiktok: "TikTok",
  x: "X",
  youtube: "YouTube",
};

describe("a thread", () => {
  it("is written in parts, each judged by itself, and goes where threads are", async () => {
    const { page, faults, close } = await visit(browser, run);
    await page.goto("/compose");
    await page.getByRole("checkbox", { name: /^telegram/ }).check();
    await page.getByLabel("Text", { exact: true }).fill("one");
    await page.getByText("Fits 1 of 1 channels").waitFor();
    const thread = page.getByRole("region", { name: "Thread" });
    expect(await thread.count()).toBe(0);
    await page.getByRole("checkbox", { name: /^bluesky/ }).check();
    for (const [i, text] of ["three", "x".repeat(301)].entries()) {
      await thread.getByRole("button", { name: "Add a part" }).click();
      const part = thread.getByLabel(`Text of part ${i + 2}`);
      await part.and(page.locator(":focus")).waitFor();
      await part.fill(text);
    }
    const second = thread.getByRole("listitem").filter({ has: page.getByLabel("Text of part 3") });
    await second.getByRole("alert").filter({ hasText: "301" }).waitFor();
    await thread.getByRole("alert").filter({ hasText: "Telegram" }).waitFor();
    await expectAccessible(page);
    await thread.getByRole("button", { name: /^First part alone for Telegram/ }).click();
    await thread.getByLabel("Text of part 3").fill("two");
    await page.getByText("Fits 2 of 2 channels").waitFor();
    await thread.getByRole("button", { name: "Move part 3 up" }).click();
    expect(await thread.getByLabel("Text of part 2").inputValue()).toBe("two");
    const chooser = page.waitForEvent("filechooser");
    await thread.getByRole("button", { name: "Add files to part 2" }).click();
    await (await chooser).setFiles({ name: "a.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(600, 400)) });
    await thread.getByLabel("Alt text of file 1 of 1 of part 2").fill("A picture");

    const bluesky = cardOf(page, "Bluesky");
    await bluesky.getByText("Change for Bluesky").click();
    await bluesky.getByLabel("Other files here").check();
    const other = page.waitForEvent("filechooser");
    await bluesky.getByRole("button", { name: /^Add files/ }).click();
    await (await other).setFiles({ name: "b.jpg", mimeType: "image/jpeg", buffer: Buffer.from(makeJpeg(400, 600)) });
    await bluesky.getByLabel(/^Alt text of file 1 of 1 of Bluesky/).fill("Only here");
    await page.getByText("Fits 2 of 2 channels").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Post now" }).click();
    await page.waitForURL(/\/posts\/post_/);
    const id = page.url().split("/").pop() ?? "";
    await eventually(async () => expect((await postOf(id)).status).toBe("published"));
    const post = await postOf(id);
    expect(post.thread?.map(({ text, media }) => [text, media.length])).toEqual([
      ["two", 1],
      ["three", 0],
    ]);
    expect(post.overrides[idOf("telegram")]).toEqual({ thread: [] });
    expect(post.overrides[idOf("bluesky")]?.media).toHaveLength(1);
    expect(post.deliveries.map(({ platform, parts }) => [platform, parts?.length ?? 1]).sort()).toEqual([
      ["bluesky", 3],
      ["telegram", 1],
    ]);
    expect(faults).toEqual([]);
    await close();
  });

  it("of five parts of which the third fails says how far it is, and goes on from there", async () => {
    await json(`${run.simulators}/_sim/faults`, undefined, {
      ...{ platform: "x", call: "tweets/create", skip: 2, count: 1 },
      ...{ do: "status", status: 403, body: { title: "Forbidden", detail: "You are not permitted to do this." } },
    });
    const thread = ["two", "three", "four", "five"].map((text) => ({ text }));
    const { id } = await makePost({ text: "Five in all", channels: [idOf("x")], thread });
    const states = async () => (await postOf(id)).deliveries[0]?.parts?.map(({ status }) => status);
    await eventually(async () => expect((await postOf(id)).status).toBe("partially_published"));
    expect(await states()).toEqual(["live", "live", "failed", "pending", "pending"]);
    const { page, faults, close } = await visit(browser, run);
    await page.goto(`/posts/${id}`);
    const parts = page.getByRole("list", { name: "Parts of the thread" }).getByRole("listitem");
    await parts.nth(2).getByText("failed").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send again" }).click();
    await eventually(async () => expect(await states()).toEqual(Array.from({ length: 5 }, () => "live")));
    await parts.nth(4).getByText("live").waitFor();
    // The first part went live before the rest was sent again, and is not early by that.
    const steps = page.getByRole("article").locator(".timeline li");
    await steps.filter({ hasText: "Sent again" }).waitFor();
    await steps.filter({ hasText: "Failed" }).waitFor();
    expect(await steps.filter({ hasText: /-\d/ }).count()).toBe(0);
    const { ledger } = await json<{ ledger: { text: string }[] }>(`${run.simulators}/_sim/ledger?platform=x`);
    expect(ledger.map(({ text }) => text).slice(-5)).toEqual(["Five in all", "two", "three", "four", "five"]);
    expect(faults).toEqual([]);
    await close();
  });
});
