// The TikTok connector with its simulator, over HTTP: every kind of post, and what it knows afterwards.
import { describe, expect, it } from "vitest";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { withSimulators } from "./simulators.ts";
import {
  buildAnswer,
  computeSums,
  connectChannel,
  faultCall,
  listNames,
  photo,
  post,
  publish,
  publishOnce,
  remove,
  video,
} from "./tiktok/support.ts";

withSimulators();

describe("a TikTok post", () => {
  it("with a video is uploaded byte for byte, with its caption exactly as written", async () => {
    const text = 'Grüße 👩‍👩‍👧 #crier @ada "quoted" \\ \n  indented';
    const media = [video()];
    const { live, entry } = await publish(post(text, media), await connectChannel());
    expect(entry).toMatchObject({ text, media: await computeSums(media), detail: { kind: "video" } });
    expect(live).toEqual({ is: "live", id: entry.id, url: entry.url, urlState: "none" });
    expect(Number.isSafeInteger(Number(entry.id))).toBe(false);
    expect(entry.url).toMatch(/^https:\/\/www\.tiktok\.com\/@ada_\d+\/video\/\d{19}$/);
  });

  it("with a video of several chunks arrives completely and in order", async () => {
    const media = [video(35_000_001)];
    const ada = await connectChannel();
    const { entry } = await publish(post("large", media), ada);
    expect(entry.media).toMatchObject(await computeSums(media));
    expect(listNames(ada.calls).filter((name) => name === "video/")).toHaveLength(3);
    const init = JSON.parse(ada.calls.find(({ url }) => url.includes("video/init"))?.body ?? "");
    expect(init.source_info).toEqual({
      source: "FILE_UPLOAD",
      video_size: 35_000_001,
      chunk_size: 10_000_000,
      total_chunk_count: 3,
    });
  });

  it.each([4_999_999, 5_000_000, 9_999_999, 10_000_000, 19_999_999])(
    "with a video of %i bytes is sent as one chunk",
    async (bytes) => {
      const ada = await connectChannel();
      await publish(post("one", [video(bytes)]), ada);
      const init = JSON.parse(ada.calls.find(({ url }) => url.includes("video/init"))?.body ?? "");
      expect(init.source_info).toMatchObject({ chunk_size: bytes, total_chunk_count: 1 });
    },
  );

  it("with photos is fetched by the network in order, with title and cover", async () => {
    const media = [await photo(0), await photo(1, "image/webp"), await photo(2)];
    const options = { photo_title: "Three", photo_cover_index: 2, auto_add_music: true };
    const { live, entry } = await publish(post("Größe", media, options), await connectChannel());
    expect(entry).toMatchObject({ text: "Größe", media: await computeSums(media) });
    expect(entry.detail).toMatchObject({ kind: "photo", cover: 2, info: { title: "Three", auto_add_music: true } });
    expect(live).toMatchObject({ is: "live", id: entry.id, url: expect.stringContaining("/photo/"), urlState: "none" });
  });

  it("turns off every setting that was not requested", async () => {
    const { entry } = await publish(post("", [video()]), await connectChannel());
    expect(entry.detail.info).toEqual({
      privacy_level: "PUBLIC_TO_EVERYONE",
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
      brand_content_toggle: false,
      brand_organic_toggle: false,
      is_aigc: false,
    });
    const photos = await publish(post("", [await photo()]), await connectChannel());
    expect(photos.entry.detail.info).toEqual({
      privacy_level: "PUBLIC_TO_EVERYONE",
      disable_comment: true,
      brand_content_toggle: false,
      brand_organic_toggle: false,
      auto_add_music: false,
    });
  });

  it("has every requested option of a video, except for those that the account does not allow", async () => {
    const options = {
      privacy_level: "FOLLOWER_OF_CREATOR",
      disable_comment: false,
      disable_duet: false,
      disable_stitch: false,
      brand_content: true,
      brand_organic: true,
      is_aigc: true,
      cover_timestamp_ms: 1_500,
    };
    const { entry } = await publish(post("all", [video()], options), await connectChannel("private"));
    expect(entry.detail.info).toEqual({
      title: "all",
      privacy_level: "FOLLOWER_OF_CREATOR",
      disable_comment: false,
      disable_duet: false,
      // The account does not allow it.
      disable_stitch: true,
      brand_content_toggle: true,
      brand_organic_toggle: true,
      is_aigc: true,
      video_cover_timestamp_ms: 1_500,
    });
  });

  it("never gets a URL if it is not public", async () => {
    const { live, publishKey } = await publish(
      post("me", [video()], { privacy_level: "SELF_ONLY" }),
      await connectChannel(),
    );
    expect(live).toEqual({
      is: "live",
      id: expect.stringMatching(/^v_pub_file~/),
      url: null,
      urlState: "not_reported",
    });
    const { context } = await connectChannel();
    if (live.is !== "live") throw new Error(live.is);
    expect(await tiktok.recheck({ id: live.id, publishKey }, context)).toMatchObject({ is: "unknown" });
    expect(await tiktok.readMetrics?.({ id: live.id, publishKey }, context)).toMatchObject({
      is: "unknown",
    });
  });

  it("is live during moderation, and gets its URL later", async () => {
    const ada = await connectChannel("slow");
    const { live, publishKey, entry } = await publish(post("patience", [video()]), ada);
    if (live.is !== "live") throw new Error(live.is);
    expect(live).toMatchObject({ url: null, urlState: "pending" });
    expect(await tiktok.recheck({ id: live.id, publishKey }, ada.context)).toEqual({
      is: "there",
      url: null,
    });
    expect(await tiktok.readMetrics?.({ id: live.id, publishKey }, ada.context)).toMatchObject({
      is: "read",
    });
    expect(await tiktok.recheck({ id: live.id, publishKey }, ada.context)).toEqual({
      is: "there",
      url: entry.url,
    });
    expect(await tiktok.recheck({ id: live.id, publishKey: null }, ada.context)).toEqual({
      is: "there",
      url: entry.url,
    });
  });
});

describe("rechecking a TikTok post", () => {
  it("finds the post and its URL until it is removed, and reports if it could not check", async () => {
    const ada = await connectChannel();
    const { live, publishKey, entry } = await publish(post("seen", [video()]), ada);
    if (live.is !== "live") throw new Error(live.is);
    const { id } = live;
    expect(await tiktok.recheck({ id, publishKey }, ada.context)).toEqual({ is: "there", url: entry.url });
    await faultCall(ada.username, "video/query", { do: "reset_before" });
    expect(await tiktok.recheck({ id, publishKey }, ada.context)).toMatchObject({ is: "unknown" });
    await faultCall(ada.username, "video/query", buildAnswer(401, "scope_not_authorized"));
    expect(await tiktok.recheck({ id, publishKey }, ada.context)).toMatchObject({ is: "unknown" });
    await remove(id);
    expect(await tiktok.recheck({ id, publishKey }, ada.context)).toEqual({ is: "gone" });
    expect(await tiktok.readMetrics?.({ id, publishKey }, ada.context)).toMatchObject({ is: "unknown" });
  });

  it("reads the metrics of a public post", async () => {
    const ada = await connectChannel();
    const { live, publishKey, entry } = await publish(post("counted", [video()]), ada);
    if (live.is !== "live") throw new Error(live.is);
    const seed = Number(entry.id.slice(-4));
    expect(await tiktok.readMetrics?.({ id: live.id, publishKey }, ada.context)).toEqual({
      is: "read",
      metrics: { views: 100 + (seed % 900), likes: seed % 97, comments: seed % 13, shares: seed % 7 },
    });
  });
});

it("sends the account's token only to the network", async () => {
  const { username, context } = await connectChannel();
  const answers: unknown[] = [];
  for (const answer of [
    { do: "reset_before" },
    buildAnswer(401, "access_token_invalid"),
    { do: "status", status: 502, body: "x" },
  ]) {
    for (const call of ["post/publish/creator_info/query", "post/publish/video/init", "post/publish/content/init"]) {
      await faultCall(username, call, answer);
      const { prepared, publishOutcome } = await publishOnce(
        post("x", [call.includes("content") ? await photo() : video()]),
        context,
      );
      answers.push(prepared.is === "prepared" ? publishOutcome : prepared);
    }
  }
  expect(answers).toHaveLength(9);
  expect(JSON.stringify(answers)).not.toContain(`act.${username}`);
});
