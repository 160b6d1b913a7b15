// Compares the preview of a post with what the networks show after it is published.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { makeJpeg } from "../../../scripts/local/jpeg.ts";
import { eventually } from "../../support/eventually.ts";
import { json } from "../local/running.ts";
import { useDemo } from "./demo.ts";

interface Draft {
  text: string;
  media?: string[];
  post_type?: string;
  channels: string[];
  overrides: Record<string, object>;
}

const demo = useDemo();

/** Opens the tab of a network, whose preview is then shown. */
async function showPreview(page: Page, name: string): Promise<Locator> {
  await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  return page.getByRole("region", { name: "Preview" }).getByRole("region", { name: new RegExp(`^${name} `) });
}

async function upload(bytes: Uint8Array<ArrayBuffer>, type: string, alt?: string): Promise<string> {
  const file = { content_type: type, bytes: bytes.byteLength, ...(alt === undefined ? {} : { alt }) };
  const { upload_url, media } = await json<{ upload_url: string; media: { id: string } }>(
    `${demo.run.url}/v1/media/upload-url`,
    demo.key,
    file,
  );
  expect((await fetch(upload_url, { method: "PUT", headers: { "content-type": type }, body: bytes })).ok).toBe(true);
  return media.id;
}

/** The parts of a post that its readers see. */
interface VisiblePost {
  title: string | null;
  text: string | null;
  marks: string[];
  files: { sha256: string; alt: string }[];
  card: string | null;
}
const textIn = async (parts: Locator) => ((await parts.count()) === 0 ? null : await parts.first().textContent());

/** Reads the composer's preview. Files are identified by their bytes. */
async function readPreview(card: Locator): Promise<VisiblePost> {
  const partPreview = card.locator('[data-part="0"]');
  const figures = await partPreview.locator("figure").all();
  return {
    title: await textIn(partPreview.locator(".title")),
    text: await textIn(partPreview.locator(".exact")),
    marks: await partPreview.locator("mark").allTextContents(),
    files: await Promise.all(
      figures.map(async (figure) => {
        const address = await figure.locator("img, video").getAttribute("src");
        const bytes = new Uint8Array(await (await fetch(address ?? "")).arrayBuffer());
        const alt = (await figure.locator("figcaption").textContent()) ?? "";
        return {
          sha256: createHash("sha256").update(bytes).digest("hex"),
          alt: ["Alt text isn't shown here", "No alt text"].includes(alt) ? "no alt text" : alt,
        };
      }),
    ),
    card: await textIn(partPreview.locator(".link-card small")),
  };
}

/** Reads the post on the network's page. */
async function readPublished(article: Locator): Promise<VisiblePost> {
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

describe("the preview", () => {
  it("equals what each network shows afterwards for each of its post types", async () => {
    const text = "Read https://example.com/a, then (https://example.com/b) #crier\n\nA second line: ünïcödé 👩‍👩‍👧";
    const first = await upload(makeJpeg(1080, 1080, 10), "image/jpeg", "A dark square");
    const second = await upload(makeJpeg(1080, 1080, 200), "image/jpeg", "A light square");
    const film = await upload(new Uint8Array(await readFile("scripts/local/demo.mp4")), "video/mp4", "A film");
    const link = "https://example.com/a";
    const to = (names: string[], overrides: Record<string, object> = {}) => ({
      channels: names.map(demo.getChannelId),
      overrides: Object.fromEntries(
        Object.entries(overrides).map(([name, override]) => [demo.getChannelId(name), override]),
      ),
    });
    const words = ["bluesky", "facebook", "linkedin", "telegram", "threads", "x"];
    const anybody = { privacy_level: "PUBLIC_TO_EVERYONE" };
    const youtube = { title: "A film", made_for_kids: false };
    const drafts: Draft[] = [
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
          tiktok: { ...anybody, photo_title: "Two squares" },
          x: { media: [first, second] },
        }),
      },
      {
        text,
        media: [film],
        ...to([...words, "instagram", "pinterest", "tiktok", "youtube"], {
          pinterest: { title: "A moving pin", link },
          tiktok: anybody,
          youtube,
        }),
      },
      {
        text,
        media: [second, first],
        post_type: "carousel",
        ...to(["bluesky", "facebook", "instagram", "pinterest", "telegram", "threads", "tiktok"], {
          pinterest: { title: "Two pins", link },
          tiktok: anybody,
        }),
      },
      { text, media: [film], post_type: "reel", ...to(["facebook", "instagram", "tiktok"], { tiktok: anybody }) },
      { text: "", media: [first], post_type: "story", ...to(["facebook", "instagram"]) },
      { text, media: [film], post_type: "short", ...to(["youtube"], { youtube }) },
      {
        text,
        post_type: "article",
        ...to(["linkedin", "x"], {
          linkedin: { article: { source: link, title: "An article", description: "Of words" } },
          x: { title: "An article" },
        }),
      },
    ];
    const { page, faults, close } = await demo.visit();
    const networkPage = await page.context().newPage();
    const checkedTypes: string[] = [];
    for (const draft of drafts) {
      const { id } = await demo.makePost({ ...draft, draft: true });
      await page.goto(`/compose?post=${id}`);
      if (draft.channels.includes(demo.getChannelId("pinterest")))
        await page
          .getByRole("region", { name: /^Pinterest .*required/ })
          .getByLabel("Board", { exact: true })
          .selectOption({ index: 1 });
      const count = draft.channels.length;
      await page.getByText(`Ready for ${count} ${count === 1 ? "channel" : "channels"}`).waitFor();
      const before = new Map<string, VisiblePost>();
      for (const platform of demo.channels
        .filter((channel) => draft.channels.includes(channel.id))
        .map((channel) => channel.platform)) {
        const card = await showPreview(page, NAMES[platform] ?? platform);
        await card.waitFor();
        await eventually(async () =>
          expect(await card.locator(".thumb.none").count(), "files that are not shown yet").toBe(0),
        );
        before.set(platform, await readPreview(card));
      }
      await page.getByRole("button", { name: "Post now" }).click();
      await page.waitForURL(/\/posts\/post_/);
      await eventually(async () => expect((await demo.getPost(id)).status).toBe("published"));
      await networkPage.goto(demo.run.simulators);
      for (const { platform, url } of (await demo.getPost(id)).deliveries) {
        // The network shows a short at the address of a video.
        const address = url?.replace("/shorts/", "/watch?v=") ?? "";
        const article = networkPage.locator("article").filter({ has: networkPage.getByText(address, { exact: true }) });
        const label = { platform, type: draft.post_type ?? "feed" };
        expect({ ...label, ...(await readPublished(article)) }).toEqual({ ...label, ...before.get(platform) });
        checkedTypes.push(`${platform} ${label.type}`);
      }
    }
    const { platforms } = await demo.get<{ platforms: { platform: string; post_types: string[] }[] }>("/v1/platforms");
    const allTypes = platforms.flatMap(({ platform, post_types }) => post_types.map((type) => `${platform} ${type}`));
    expect([...new Set(checkedTypes)].sort()).toEqual(allTypes.sort());
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
