// Drafts for the inbox of a TikTok account: nothing is published, and nothing is reported as published.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { publication, unique } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import {
  buildAnswer,
  type Channel,
  computeSums,
  connectChannel,
  expireToken,
  faultCall,
  io,
  listNames,
  photo,
  publish,
  publishOnce,
  readPublished,
  reconcile,
  video,
} from "./tiktok/support.ts";

withSimulators();

const draft = (text: string, media: Parameters<typeof computeSums>[0], options: Record<string, Json> = {}) =>
  publication(text, { media, options: { post_mode: "inbox", ...options } });
const findIssues = (options: Json) =>
  tiktok.options.safeParse(options).error?.issues.map(({ path }) => path.join("/")) ?? [];

async function connectDraftsOnly(): Promise<Channel> {
  const username = unique("drafts_");
  const connected = await tiktok.connect({ access_token: `act.${username}` }, io());
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  expect(connected.missingPermissions?.toSorted()).toEqual(["video.list", "video.publish"]);
  const ownIO = io();
  return { username, context: { credential: connected.credential, io: ownIO }, calls: ownIO.calls };
}

describe("a TikTok draft", () => {
  it("with a video is uploaded byte for byte, without text or settings, and ends as handed_over", async () => {
    const ada = await connectChannel();
    const media = [video(25_000_000)];
    const { live: outcome, entry, publishKey } = await publish(draft("for the owner to paste", media), ada);
    expect(entry).toMatchObject({
      text: "",
      media: await computeSums(media),
      url: null,
      detail: { draft: true, info: {} },
    });
    expect(outcome).toEqual({ is: "handed_over", id: entry.token, note: expect.stringContaining("must be pasted") });
    expect(listNames(ada.calls)).toContain("post/publish/inbox/video/init/");
    expect(listNames(ada.calls)).not.toContain("post/publish/creator_info/query/");
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "handed_over", id: entry.token });
  });

  it("with photos keeps its title, text and order, and leaves the settings to its owner", async () => {
    const media = [await photo(0), await photo(1)];
    const options = { photo_title: "Two", photo_cover_index: 1 };
    const ada = await connectChannel();
    const { live: outcome, entry } = await publish(draft("Größe", media, options), ada);
    expect(entry).toMatchObject({ text: "Größe", media: await computeSums(media), url: null });
    expect(entry.detail).toMatchObject({ draft: true, cover: 1, info: { title: "Two", description: "Größe" } });
    expect(entry.detail.info).not.toHaveProperty("privacy_level");
    expect(outcome).toEqual({ is: "handed_over", id: entry.token, note: expect.not.stringContaining("pasted") });
  });

  it("remains handed_over after its owner has published it", async () => {
    const ada = await connectChannel();
    const { publishKey } = await publish(draft("", [video()]), ada);
    const complete = { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7500000000000000001"] };
    await faultCall(ada.username, "post/publish/status/fetch", buildAnswer(200, "ok", complete));
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "handed_over" });
  });

  it("is possible for an account of an unaudited app, and for an account that may only send drafts", async () => {
    expect((await publish(draft("", [video()]), await connectChannel("unaudited"))).live).toMatchObject({
      is: "handed_over",
    });
    expect((await publish(draft("", [video()]), await connectDraftsOnly())).live).toMatchObject({ is: "handed_over" });
  });

  it("waits for up to a day if five drafts are waiting in the inbox", async () => {
    const ada = await connectChannel();
    for (let i = 0; i < 5; i++) await publishOnce(draft(`${i}`, [await photo()]), ada.context);
    const before = Date.now();
    const { publishOutcome } = await publishOnce(draft("sixth", [await photo()]), ada.context);
    if (publishOutcome?.is !== "retryable") return expect.fail(JSON.stringify(publishOutcome));
    expect(publishOutcome.notBefore).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(publishOutcome).toMatchObject({
      isOfDay: true,
      is: "retryable",
      error: "network_quota",
      detail: expect.stringContaining("5 in 24 hours"),
      networkMessage: expect.stringContaining("spam_risk_too_many_pending_share"),
    });
    expect(await readPublished(ada.username)).toHaveLength(5);
  });

  it("is not searched for among posts if the answer to its photos was lost", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "post/publish/content/init", { do: "reset_after_accept" });
    const { publishOutcome, publishKey } = await publishOnce(draft("lost", [await photo()]), ada.context);
    expect(publishOutcome).toMatchObject({ is: "unknown" });
    const before = ada.calls.length;
    expect(await reconcile(publishKey ?? expect.fail("none"), ada.context)).toMatchObject({ is: "unknown" });
    expect(listNames(ada.calls.slice(before))).not.toContain("video/list/");
  });

  it("fails with the remedy if the app on the phone is too old", async () => {
    const ada = await connectChannel();
    const { publishKey } = await publish(draft("", [video()]), ada);
    const old = { status: "FAILED", fail_reason: "app_version_check_failed" };
    await faultCall(ada.username, "post/publish/status/fetch", buildAnswer(200, "ok", old));
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "rejected", error: "permission_missing" });
  });
});

describe("the options of TikTok", () => {
  it("are checked against the files and each other before a post is accepted", () => {
    const check = (options: Json, photos: number) =>
      tiktok
        .checkOptions?.(options, { postType: "feed", media: Array(photos).fill({ kind: "image" }) }, 0)
        .map(({ path }) => path.join("/"));
    expect(check({ privacy_level: "SELF_ONLY", photo_cover_index: 2, brand_content: true }, 2)).toEqual([
      "photo_cover_index",
      "brand_content",
    ]);
    expect(check({ privacy_level: "SELF_ONLY", photo_cover_index: 1 }, 2)).toEqual([]);
    expect(check({ post_mode: "inbox", photo_cover_index: 2 }, 0)).toEqual([]);
  });

  it("require no privacy level for a draft, and reject the settings that its owner chooses", () => {
    expect(findIssues({ post_mode: "inbox" })).toEqual([]);
    expect(findIssues({ post_mode: "inbox", photo_title: "t", photo_description: "d", photo_cover_index: 1 })).toEqual(
      [],
    );
    const chosen = ["privacy_level", "disable_comment", "is_aigc", "cover_timestamp_ms", "auto_add_music"];
    const values = { privacy_level: "SELF_ONLY", disable_comment: true, is_aigc: true, cover_timestamp_ms: 0 };
    expect(findIssues({ post_mode: "inbox", ...values, auto_add_music: true })).toEqual(chosen);
  });

  it.each<Record<string, Json>>([{}, { post_mode: "direct" }])(
    "require a privacy level for a direct post: %j",
    (options) => {
      expect(findIssues(options)).toEqual(["privacy_level"]);
      expect(findIssues({ ...options, privacy_level: "SELF_ONLY" })).toEqual([]);
    },
  );

  it("name the permission that each post mode needs, and whether the text is sent", () => {
    const inbox = tiktok.modeOf?.({ post_mode: "inbox" });
    expect([inbox?.permission, inbox?.takesTextWith("video"), inbox?.takesTextWith("image")]).toEqual([
      "video.upload",
      false,
      true,
    ]);
    const direct = tiktok.modeOf?.({ privacy_level: "SELF_ONLY" });
    expect([direct?.permission, direct?.takesTextWith("video")]).toEqual(["video.publish", true]);
  });
});

describe("a TikTok token with unknown permissions", () => {
  it("is tested for drafts if it may not publish", async () => {
    const withoutRights = unique("none_");
    expect(await tiktok.connect({ access_token: `act.${withoutRights}~user.info.basic` }, io())).toMatchObject({
      is: "credentials_refused",
      message: "The token lacks video.publish.",
    });
    const busy = unique("drafts_");
    await faultCall(busy, "post/publish/status/fetch", buildAnswer(429, "rate_limit_exceeded"));
    expect(await tiktok.connect({ access_token: `act.${busy}` }, io())).toMatchObject({ is: "retryable" });
    await expireToken(busy);
  });

  it("is assumed to allow drafts if it may publish, and missing permissions are reported if scopes are given", async () => {
    const access_token = `act.${unique("ada_")}`;
    expect(await tiktok.connect({ access_token }, io())).toMatchObject({ missingPermissions: [] });
    const scopes = ["user.info.basic", "video.publish"];
    expect(await tiktok.connect({ access_token, scopes }, io())).toMatchObject({
      missingPermissions: ["video.upload", "video.list"],
    });
  });
});
