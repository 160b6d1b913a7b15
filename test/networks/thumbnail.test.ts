// The picture of a video: sent as it is, refused in the network's words, and never claimed without an answer.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { findNetwork } from "../../src/networks/index.ts";
import type { Publication } from "../../src/networks/network.ts";
import {
  attempt,
  buildPost,
  disconnect,
  media,
  PICTURE,
  prepareKey,
  rateLimit,
  readAccepted,
  startSession,
  waitUntilLive,
} from "./harness.ts";
import { fault, file } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const OPTION = "thumbnail_media";
const CALLS: Record<string, string> = { youtube: "thumbnails.set", facebook: "thumbnails" };

const noPicture = () => {
  const { bytes: _, ...facts } = PICTURE;
  return file(new Uint8Array([110, 111]), { ...facts, position: 0, alt: null });
};

async function published(platform: string, postType: "feed" | "reel" = "feed") {
  const network = findNetwork(platform) ?? expect.fail("no such network");
  const at = await startSession(simulators, network);
  const post = await buildPost(at, postType, "video", 1);
  const publishKey = await prepareKey(at, post);
  const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
  const addition = network.additions?.[OPTION] ?? expect.fail("no thumbnail");
  const picture = await media(at, "image", 0, null);
  const of = { id: live.id, publishKey: live.publishKey ?? publishKey };
  return {
    at,
    live,
    set: (wanted = picture, context = at.context) => addition.add(of, { value: wanted.id, file: wanted }, context),
    thumbnails: async () => (await readAccepted(at)).flatMap(({ detail }) => detail.thumbnails ?? []),
  };
}

describe.each(Object.keys(CALLS))("on %s", (platform) => {
  it("is set for the video that is out, byte by byte", async () => {
    const { set, thumbnails } = await published(platform);
    expect(await set()).toEqual({ is: "added" });
    expect(await thumbnails()).toMatchObject([{ bytes: PICTURE.bytes.byteLength, type: "image/jpeg" }]);
  });

  it("is unknown when its answer is lost, and waits when the network says so", async () => {
    const { at, set, thumbnails } = await published(platform);
    await fault(simulators, { platform, call: CALLS[platform], do: "reset_after_accept" });
    expect((await set()).is).toBe("unknown");
    expect(await thumbnails()).toHaveLength(1);
    expect((await set(undefined, disconnect(at))).is).toBe("unknown");
    expect(await set(undefined, rateLimit(at, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
  });

  it("is refused where it is no picture, or the video is gone", async () => {
    const { live, set, thumbnails } = await published(platform);
    const text = noPicture();
    expect((await set(text)).is).toBe("rejected");
    expect(await thumbnails()).toEqual([]);
    await fetch(`${simulators.url}/_sim/posts/${platform}/${encodeURIComponent(live.id)}`, { method: "DELETE" });
    expect((await set()).is).toBe("rejected");
  });
});

it("is set for a reel too", async () => {
  const { set, thumbnails } = await published("facebook", "reel");
  expect(await set()).toEqual({ is: "added" });
  expect(await thumbnails()).toMatchObject([{ type: "image/jpeg", preferred: true }]);
});

describe("on linkedin", () => {
  const withPicture = async () => {
    const at = await startSession(simulators, findNetwork("linkedin") ?? expect.fail("no such network"));
    const post = await buildPost(at, "feed", "video", 1);
    return { at, post: { ...post, thumbnail: await media(at, "image", 0, null) } };
  };

  it("goes up before the video is closed, and the post has it", async () => {
    const { at, post } = await withPicture();
    await waitUntilLive(at, await attempt(at, post), null);
    const [{ detail } = expect.fail("nothing was posted")] = await readAccepted(at);
    expect(detail.thumbnail).toMatchObject({ bytes: PICTURE.bytes.byteLength, type: "image/jpeg" });
  });

  it("is sent again when its answer is lost: nothing is published yet", async () => {
    const { at, post } = await withPicture();
    await fault(simulators, { platform: "linkedin", call: "upload.thumbnail", do: "reset_after_accept" });
    expect((await attempt(at, post)).is).toBe("retryable");
    await waitUntilLive(at, await attempt(at, post), null);
    expect((await readAccepted(at)).map(({ detail }) => detail.thumbnail)).toMatchObject([{ type: "image/jpeg" }]);
  });

  it.each([
    [403, "permission_missing"],
    [404, "media_refused"],
  ])("is refused with %i: that is said, and the video does not go up again", async (status, error) => {
    const { at, post } = await withPicture();
    await fault(simulators, { platform: "linkedin", call: "upload.thumbnail", do: "status", status, body: {} });
    const detail = expect.stringContaining("the thumbnail (`thumbnail_media`, ");
    expect(await attempt(at, post)).toMatchObject({ is: "rejected", error, detail });
    expect(await readAccepted(at)).toEqual([]);
  });

  it("is sent again after a fault that passes, and the video is not", async () => {
    const { at, post } = await withPicture();
    await fault(simulators, { platform: "linkedin", call: "upload.thumbnail", do: "status", status: 503, body: {} });
    let saved: Json = null;
    const prepare = (one: Publication<Json>) =>
      at.network.prepare(one, at.context, saved, async (publishKey) => {
        saved = publishKey;
      });
    expect(await prepare(post)).toMatchObject({ is: "retryable" });
    const [video = expect.fail("no video")] = post.media;
    const unread = { ...video, open: () => expect.fail("the video goes up again") };
    await prepare({ ...post, media: [unread] });
    // All that is left is to wait for the network.
    expect(saved).toMatchObject({ media: [expect.any(String)], video: null });
  });

  it("is refused before anything is published, and named", async () => {
    const { at, post } = await withPicture();
    const thumbnail = noPicture();
    expect(await attempt(at, { ...post, thumbnail })).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("the thumbnail"),
    });
    expect(await readAccepted(at)).toEqual([]);
  });
});
