// TikTok's answers before a post is sent, and to the post itself.
import { describe, expect, it } from "vitest";
import { CODES, FAIL_REASONS } from "../../src/networks/tiktok/errors.ts";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { makeUnreadable, prepareOnce } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import {
  buildAnswer,
  connectChannel,
  faultCall,
  listNames,
  photo,
  post,
  publishOnce,
  readPublished,
  reconcile,
  video,
  waitUntilProcessed,
} from "./tiktok/support.ts";

withSimulators();

describe("TikTok before anything is sent", () => {
  it.each([
    ["a privacy level that the account does not offer", "private", {}, {}, "privacy_level"],
    [
      "a paid partnership in a private post",
      "ada",
      { privacy_level: "SELF_ONLY", brand_content: true },
      {},
      "brand_content",
    ],
    ["an option of photos", "ada", { photo_title: "x", auto_add_music: true }, {}, "`auto_add_music` can only be used"],
  ])("rejects %s", async (_, prefix, options, fields, detail) => {
    const { username, context, calls } = await connectChannel(prefix);
    const { prepared } = await publishOnce(post("no", [video(300_000, fields)], options), context);
    expect(prepared).toMatchObject({
      is: "rejected",
      error: "content_refused",
      detail: expect.stringContaining(detail),
    });
    expect(listNames(calls)).toEqual(["post/publish/creator_info/query/"]);
    expect(await readPublished(username)).toEqual([]);
  });

  it("rejects a video that is longer than this account may post, and names it", async () => {
    const { context } = await connectChannel("short");
    const long = video(300_000, { seconds: 61 });
    const { prepared } = await publishOnce(post("no", [long]), context);
    const detail = `file 1 (${long.id}) lasts 61 s; this account may post 60 s`;
    expect(prepared).toEqual({ is: "rejected", error: "media_refused", detail });
    expect((await publishOnce(post("yes", [video(300_000, { seconds: 60 })]), context)).publishOutcome?.is).toBe(
      "processing",
    );
  });

  it.each([
    [{ is_aigc: true, disable_duet: true }, "`is_aigc` can only be used"],
    [{ photo_cover_index: 1 }, "photo_cover_index"],
  ])("rejects photos with %j", async (options, detail) => {
    const { context } = await connectChannel();
    const { prepared } = await publishOnce(post("no", [await photo()], options), context);
    expect(prepared).toMatchObject({
      is: "rejected",
      error: "content_refused",
      detail: expect.stringContaining(detail),
    });
  });

  it("lets an account wait that has reached its cap, without further calls", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "post/publish/creator_info/query", buildAnswer(200, "spam_risk_too_many_posts"));
    const before = Date.now();
    const { prepared } = await publishOnce(post("x", [video()]), ada.context);
    if (prepared.is !== "retryable") throw new Error(prepared.is);
    expect(prepared.error).toBe("network_quota");
    expect(prepared.notBefore).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(listNames(ada.calls)).toEqual(["post/publish/creator_info/query/"]);
    expect((await publishOnce(post("x", [video()]), ada.context)).publishOutcome?.is).toBe("processing");
  });

  it.each([
    [true, "network_unavailable"],
    [false, "media_missing"],
  ])("sends nothing if a file cannot be read (retry %s)", async (retry, error) => {
    const { username, context } = await connectChannel();
    const readable = post("x", [video()]);
    const publishKey = await prepareOnce(tiktok, readable, context);
    const broken = { ...readable, media: [makeUnreadable(video(), retry)] };
    expect(await tiktok.publish(broken, publishKey, context)).toMatchObject({
      error,
      detail: "file 1 cannot be read",
    });
    expect(await readPublished(username)).toEqual([]);
  });
});

describe("TikTok's error codes", () => {
  const outcome = (code: string) => {
    const meaning = CODES[code];
    return meaning?.is === "unauthorized"
      ? { is: "unauthorized" }
      : { is: meaning?.is, error: meaning && "error" in meaning && meaning.error };
  };
  const STATUS: Record<string, number> = {
    invalid_param: 400,
    invalid_params: 400,
    access_token_invalid: 401,
    rate_limit_exceeded: 429,
  };

  it.each(Object.keys(CODES))("give the documented outcome for %s in answer to a video", async (code) => {
    const { username, context } = await connectChannel();
    await faultCall(username, "post/publish/video/init", buildAnswer(STATUS[code] ?? 403, code));
    const { prepared } = await publishOnce(post("x", [video()]), context);
    expect(prepared).toMatchObject({ ...outcome(code), networkMessage: `about ${code} (${code})` });
    expect(await readPublished(username)).toEqual([]);
  });

  it.each(Object.keys(CODES))("give the documented outcome for %s in answer to photos", async (code) => {
    const { username, context } = await connectChannel();
    await faultCall(username, "post/publish/content/init", buildAnswer(STATUS[code] ?? 403, code));
    const { publishOutcome } = await publishOnce(post("x", [await photo()]), context);
    expect(publishOutcome).toMatchObject({ ...outcome(code), networkMessage: `about ${code} (${code})` });
    expect(await readPublished(username)).toEqual([]);
  });

  it("count without data in the answer, and name the wait", async () => {
    const { username, context } = await connectChannel();
    const now = Date.now();
    const still = { ...context, io: { ...context.io, now: () => now } };
    const body = { error: { code: "rate_limit_exceeded", message: "slow down", log_id: "1" } };
    await faultCall(username, "post/publish/content/init", {
      do: "status",
      status: 429,
      body,
      headers: { "retry-after": "900" },
    });
    const { publishOutcome } = await publishOnce(post("x", [await photo()]), still);
    expect(publishOutcome).toMatchObject({ is: "retryable", error: "network_quota", notBefore: now + 900_000 });
  });

  it("are judged by the status if the code is unknown", async () => {
    const { username, context } = await connectChannel();
    const x = post("x", [await photo()]);
    const answers: [number, object][] = [
      [403, { is: "rejected", error: "content_refused" }],
      [401, { is: "unauthorized" }],
      [429, { is: "retryable", error: "network_quota" }],
      [500, { is: "unknown" }],
      [200, { is: "unknown" }],
    ];
    for (const [status, expected] of answers) {
      await faultCall(username, "post/publish/content/init", buildAnswer(status, "constructor"));
      expect((await publishOnce(x, context)).publishOutcome).toMatchObject(expected);
    }
  });

  it.each(Object.entries(FAIL_REASONS))(
    "give the documented outcome if a post failed because of %s",
    async (reason, { error, again }) => {
      const { username, context } = await connectChannel();
      const { publishOutcome } = await publishOnce(post("x", [video()]), context);
      if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
      await faultCall(
        username,
        "post/publish/status/fetch",
        buildAnswer(200, "ok", { status: "FAILED", fail_reason: reason }),
      );
      expect(await reconcile(publishOutcome.publishKey, context)).toEqual({
        is: again ? "void" : "rejected",
        error,
        networkMessage: reason,
      });
    },
  );

  it("lead to a rejection if a post failed for an unknown reason", async () => {
    const { username, context } = await connectChannel();
    const { publishOutcome } = await publishOnce(post("x", [video()]), context);
    if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
    for (const reason of [{ fail_reason: "constructor" }, {}]) {
      await faultCall(username, "post/publish/status/fetch", buildAnswer(200, "ok", { status: "FAILED", ...reason }));
      expect(await reconcile(publishOutcome.publishKey, context)).toMatchObject({
        is: "rejected",
        error: "content_refused",
      });
    }
  });

  it("report a file that is no video, or an unsupported picture, after processing it", async () => {
    for (const media of [video(300_000), await photo(0, "image/png")]) {
      const { username, context } = await connectChannel();
      const broken =
        media.kind === "video" ? { ...media, open: async () => new Blob([new Uint8Array(300_000)]).stream() } : media;
      const { publishOutcome } = await publishOnce(post("x", [broken]), context);
      if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
      expect(await waitUntilProcessed(publishOutcome.publishKey, context)).toMatchObject({
        is: "rejected",
        error: "media_refused",
      });
      expect(await readPublished(username)).toEqual([]);
    }
  });
});
