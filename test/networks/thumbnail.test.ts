// The thumbnail of a video: sent unchanged, rejected in the network's words, and never claimed without an answer.
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

const buildBrokenPicture = () => {
  const { bytes: _, ...facts } = PICTURE;
  return file(new Uint8Array([110, 111]), { ...facts, position: 0, alt: null });
};

async function publishVideo(platform: string, postType: "feed" | "reel" = "feed") {
  const network = findNetwork(platform) ?? expect.fail("no such network");
  const session = await startSession(simulators, network);
  const post = await buildPost(session, postType, "video", 1);
  const publishKey = await prepareKey(session, post);
  const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
  const addition = network.additions?.[OPTION] ?? expect.fail("no thumbnail");
  const picture = await media(session, "image", 0, null);
  const publishedPost = { id: live.id, publishKey: live.publishKey ?? publishKey };
  return {
    session,
    live,
    set: (chosen = picture, context = session.context) =>
      addition.add(publishedPost, { value: chosen.id, file: chosen }, context),
    thumbnails: async () => (await readAccepted(session)).flatMap(({ detail }) => detail.thumbnails ?? []),
  };
}

describe.each(Object.keys(CALLS))("a thumbnail on %s", (platform) => {
  it("is set for the live video, byte for byte", async () => {
    const { set, thumbnails } = await publishVideo(platform);
    expect(await set()).toEqual({ is: "added" });
    expect(await thumbnails()).toMatchObject([{ bytes: PICTURE.bytes.byteLength, type: "image/jpeg" }]);
  });

  it("is unknown if its answer is lost, and waits if the network asks to wait", async () => {
    const { session, set, thumbnails } = await publishVideo(platform);
    await fault(simulators, { platform, call: CALLS[platform], do: "reset_after_accept" });
    expect((await set()).is).toBe("unknown");
    expect(await thumbnails()).toHaveLength(1);
    expect((await set(undefined, disconnect(session))).is).toBe("unknown");
    expect(await set(undefined, rateLimit(session, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
  });

  it("is rejected if it is no picture, or if the video no longer exists", async () => {
    const { live, set, thumbnails } = await publishVideo(platform);
    const text = buildBrokenPicture();
    expect((await set(text)).is).toBe("rejected");
    expect(await thumbnails()).toEqual([]);
    await fetch(`${simulators.url}/_sim/posts/${platform}/${encodeURIComponent(live.id)}`, { method: "DELETE" });
    expect((await set()).is).toBe("rejected");
  });
});

it("sets a thumbnail for a Facebook reel", async () => {
  const { set, thumbnails } = await publishVideo("facebook", "reel");
  expect(await set()).toEqual({ is: "added" });
  expect(await thumbnails()).toMatchObject([{ type: "image/jpeg", preferred: true }]);
});

describe("a thumbnail on linkedin", () => {
  const buildWithPicture = async () => {
    const session = await startSession(simulators, findNetwork("linkedin") ?? expect.fail("no such network"));
    const post = await buildPost(session, "feed", "video", 1);
    return { session, post: { ...post, thumbnail: await media(session, "image", 0, null) } };
  };

  it("is uploaded before the video is finished, and the post has it", async () => {
    const { session, post } = await buildWithPicture();
    await waitUntilLive(session, await attempt(session, post), null);
    const [{ detail } = expect.fail("nothing was posted")] = await readAccepted(session);
    expect(detail.thumbnail).toMatchObject({ bytes: PICTURE.bytes.byteLength, type: "image/jpeg" });
  });

  it("is sent again after a lost answer, because nothing is published yet", async () => {
    const { session, post } = await buildWithPicture();
    await fault(simulators, { platform: "linkedin", call: "upload.thumbnail", do: "reset_after_accept" });
    expect((await attempt(session, post)).is).toBe("retryable");
    await waitUntilLive(session, await attempt(session, post), null);
    expect((await readAccepted(session)).map(({ detail }) => detail.thumbnail)).toMatchObject([{ type: "image/jpeg" }]);
  });

  it.each([
    [403, "permission_missing"],
    [404, "media_refused"],
  ])("is rejected after %i, without another upload of the video", async (status, error) => {
    const { session, post } = await buildWithPicture();
    await fault(simulators, { platform: "linkedin", call: "upload.thumbnail", do: "status", status, body: {} });
    const detail = expect.stringContaining("the thumbnail (`thumbnail_media`, ");
    expect(await attempt(session, post)).toMatchObject({ is: "rejected", error, detail });
    expect(await readAccepted(session)).toEqual([]);
  });

  it("is sent again after a temporary fault, without another upload of the video", async () => {
    const { session, post } = await buildWithPicture();
    await fault(simulators, { platform: "linkedin", call: "upload.thumbnail", do: "status", status: 503, body: {} });
    let saved: Json = null;
    const prepare = (newPost: Publication<Json>) =>
      session.network.prepare(newPost, session.context, saved, async (publishKey) => {
        saved = publishKey;
      });
    expect(await prepare(post)).toMatchObject({ is: "retryable" });
    const [video = expect.fail("no video")] = post.media;
    const unread = { ...video, open: () => expect.fail("the video goes up again") };
    await prepare({ ...post, media: [unread] });
    // The only remaining step is to wait for the network.
    expect(saved).toMatchObject({ media: [expect.any(String)], video: null });
  });

  it("is rejected with its name before anything is published", async () => {
    const { session, post } = await buildWithPicture();
    const thumbnail = buildBrokenPicture();
    expect(await attempt(session, { ...post, thumbnail })).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("the thumbnail"),
    });
    expect(await readAccepted(session)).toEqual([]);
  });
});
