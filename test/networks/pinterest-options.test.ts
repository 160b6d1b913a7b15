// Pinterest: carousels of images, and the cover image of a video.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { pinterest } from "../../src/networks/pinterest/index.ts";
import { computeSum, fault, hostFile, ledger, mp4, png, publication } from "./network-io.ts";
import { account, OPTIONS } from "./pinterest-account.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const host = (positions: number[]) => Promise.all(positions.map((i) => hostFile(simulators, png(i))));

describe("a carousel on Pinterest", () => {
  it("has its images in order, and is found again after a lost answer", async () => {
    const { name, context } = await account();
    const media = await host([0, 1, 2]);
    const post = publication("Three", { media, options: OPTIONS, postType: "carousel" });
    const prepared = await pinterest.prepare(post, context, null, async () => {});
    const publishKey = prepared.is === "prepared" ? prepared.publishKey : expect.fail(prepared.is);
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_after_accept" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, name);
    expect(entry?.media.map(({ sha256 }) => sha256)).toEqual(
      await Promise.all(media.map(async (file) => (await computeSum(file)).sha256)),
    );
    expect(await pinterest.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: entry?.id });
    const published = { id: entry?.id ?? "", publishKey };
    const recheck = (files: number) => pinterest.recheck(published, context, { text: "Three", files, options: {} });
    expect(await recheck(3)).toMatchObject({ is: "there", altered: [] });
    expect(await recheck(4)).toMatchObject({ is: "there", altered: ["media_count"] });
  });

  it("is refused by Pinterest with more than 5 images, and nothing is published", async () => {
    const { name, context } = await account();
    const post = publication("Six", { media: await host([0, 1, 2, 3, 4, 5]), options: OPTIONS, postType: "carousel" });
    const prepared = await pinterest.prepare(post, context, null, async () => {});
    const publishKey = prepared.is === "prepared" ? prepared.publishKey : expect.fail(prepared.is);
    // Code 1 may also pass by itself, so the delivery is retried before it fails.
    expect(await pinterest.publish(post, publishKey, context)).toMatchObject({
      is: "retryable",
      networkMessage: expect.stringContaining("2 to 5 images"),
    });
    expect(await ledger(simulators, name)).toEqual([]);
  });
});

describe("the cover of a video on Pinterest", () => {
  it("is an image of its own instead of a frame", async () => {
    const { name, context } = await account();
    const [cover] = await host([4]);
    const post = publication("Moving", { media: [mp4(2_000)], options: OPTIONS, ...(cover && { thumbnail: cover }) });
    let saved: Json | null = null;
    for (let i = 0; i < 4; i++) {
      const prepared = await pinterest.prepare(post, context, saved, async (publishKey) => {
        saved = publishKey;
      });
      if (prepared.is === "prepared") saved = prepared.publishKey;
    }
    if (saved === null) return expect.fail("never ready");
    expect((await pinterest.publish(post, saved, context)).is).toBe("live");
    const [entry] = await ledger(simulators, name);
    expect(entry?.shown.cover).toBe(cover && (await computeSum(cover)).sha256);
    expect(entry?.detail.source).toMatchObject({ cover: cover?.url });
  });

  it("cannot be combined with a frame", () => {
    const cover_media = `med_${"0".repeat(26)}`;
    const fields = (extra: object) =>
      pinterest.options
        .safeParse({ ...OPTIONS, cover_media, ...extra })
        .error?.issues.map(({ path }) => path.join("/"));
    expect(fields({})).toBeUndefined();
    expect(fields({ cover_frame_seconds: 3 })).toEqual(["cover_frame_seconds"]);
  });

  it("does not change the rule that a pin without `link` is refused, and `null` says that it has none", () => {
    expect(pinterest.options.safeParse({ board: "101" }).success).toBe(false);
    expect(pinterest.options.safeParse({ board: "101", link: null }).success).toBe(true);
  });
});
