// YouTube's answers to a session, and while it processes a video.
import { describe, expect, it } from "vitest";
import { youtube } from "../../src/networks/youtube/index.ts";
import { file, ledger, makeUnreadable, mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import {
  connectNew,
  faultCall,
  OPTIONS,
  prepare,
  prepareOnce,
  publish,
  rejection,
  video,
  waitUntilProcessed,
} from "./youtube-driver.ts";

withSimulators();

const LIST = "youtube#videoListResponse";

describe("starting a YouTube session", () => {
  it.each([
    [403, "quotaExceeded", { is: "retryable", error: "network_quota" }],
    [403, "dailyLimitExceeded", { is: "retryable", error: "network_quota" }],
    [403, "rateLimitExceeded", { is: "retryable", error: "network_quota" }],
    [429, "userRateLimitExceeded", { is: "retryable", error: "network_quota" }],
    [429, "somethingNew", { is: "retryable", error: "network_quota" }],
    [400, "uploadLimitExceeded", { is: "retryable", error: "network_quota" }],
    [401, "authError", { is: "unauthorized" }],
    [401, "somethingNew", { is: "unauthorized" }],
    [401, "youtubeSignupRequired", { is: "rejected", error: "permission_missing" }],
    [403, "authenticatedUserAccountSuspended", { is: "rejected", error: "permission_missing" }],
    [403, "authenticatedUserAccountClosed", { is: "rejected", error: "permission_missing" }],
    [403, "accountDelegationForbidden", { is: "rejected", error: "permission_missing" }],
    [403, "forbidden", { is: "rejected", error: "permission_missing" }],
    [403, "insufficientPermissions", { is: "rejected", error: "permission_missing" }],
    [403, "somethingNew", { is: "rejected", error: "permission_missing" }],
    [400, "invalidTitle", { is: "rejected", error: "content_refused" }],
    [400, "invalidDescription", { is: "rejected", error: "content_refused" }],
    [400, "invalidTags", { is: "rejected", error: "content_refused" }],
    [400, "invalidCategoryId", { is: "rejected", error: "content_refused" }],
    [400, "invalidPublishAt", { is: "rejected", error: "content_refused" }],
    [400, "invalidFilename", { is: "rejected", error: "content_refused" }],
    [400, "invalidVideoMetadata", { is: "rejected", error: "content_refused" }],
    [400, "defaultLanguageNotSet", { is: "rejected", error: "content_refused" }],
    [403, "forbiddenPrivacySetting", { is: "rejected", error: "content_refused" }],
    [403, "forbiddenLicenseSetting", { is: "rejected", error: "content_refused" }],
    [400, "somethingNew", { is: "rejected", error: "content_refused" }],
    [400, "mediaBodyRequired", { is: "rejected", error: "media_refused" }],
    [413, "uploadTooLarge", { is: "rejected", error: "media_refused" }],
    [413, "somethingNew", { is: "rejected", error: "media_refused" }],
    [500, "internalError", { is: "retryable", error: "network_unavailable" }],
    [503, "backendError", { is: "retryable", error: "network_unavailable" }],
    [404, "somethingNew", { is: "retryable", error: "network_unavailable" }],
  ])("is answered with %i %s and ends as %j", async (status, reason, outcome) => {
    const testChannel = await connectNew();
    await faultCall(simulators, testChannel, "videos.insert", rejection(status, reason));
    const post = video("x");
    const { answer, saved } = await prepare(post, testChannel.context);
    expect(answer).toMatchObject(outcome);
    if (status !== 404)
      expect(answer).toMatchObject({ networkMessage: expect.stringContaining(`said so (${reason})`) });
    if ("error" in outcome && outcome.error === "media_refused")
      expect(answer).toMatchObject({ detail: expect.stringContaining(`file 1 (${post.media[0]?.id})`) });
    expect(saved).toEqual([]);
  });

  it("understands the newer style of errors", async () => {
    const testChannel = await connectNew();
    const error = { code: 401, message: "Request had invalid credentials.", status: "UNAUTHENTICATED" };
    await faultCall(simulators, testChannel, "videos.insert", { do: "status", status: 401, body: { error } });
    expect((await prepare(video("x"), testChannel.context)).answer).toMatchObject({ is: "unauthorized" });
  });

  it("counts against a daily number that the rule names, whose day starts when the wait for it ends", async () => {
    const { limit, timezone } = youtube.rule.app_posts_per_day ?? expect.fail("no number");
    expect(limit).toBe(100);
    const testChannel = await connectNew();
    await faultCall(simulators, testChannel, "videos.insert", rejection(403, "quotaExceeded"));
    const { answer } = await prepare(video("x"), testChannel.context);
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota", notBefore: expect.any(Number) });
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, timeStyle: "medium" });
    expect(answer.is === "retryable" && clock.format(answer.notBefore)).toBe("00:00:00");
  });

  it("waits for midnight in California if the day's quota is used up", async () => {
    const testChannel = await connectNew();
    await faultCall(simulators, testChannel, "videos.insert", rejection(403, "quotaExceeded"));
    const { answer } = await prepare(video("x"), testChannel.context);
    if (answer.is !== "retryable") throw new Error(answer.is);
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "America/Los_Angeles", timeStyle: "medium" });
    expect(clock.format(answer.notBefore)).toBe("00:00:00");
    expect(answer.notBefore).toBeGreaterThan(Date.now());
    expect(answer.notBefore).toBeLessThanOrEqual(Date.now() + 25 * 3_600_000);
  });

  it("retries for a day if a channel has uploaded too much, and waits as long as the network asks", async () => {
    const testChannel = await connectNew();
    const now = 1_800_000_000_000;
    const context = { ...testChannel.context, io: { ...testChannel.context.io, now: () => now } };
    await faultCall(simulators, testChannel, "videos.insert", rejection(400, "uploadLimitExceeded"));
    expect((await prepare(video("x"), context)).answer).toMatchObject({ notBefore: now + 3_600_000, isOfDay: true });
    await faultCall(
      simulators,
      testChannel,
      "videos.insert",
      rejection(403, "rateLimitExceeded", { headers: { "retry-after": "90" } }),
    );
    expect((await prepare(video("x"), context)).answer).toMatchObject({ notBefore: now + 90_000 });
  });

  it.each([
    ["no answer", { do: "reset_before" }],
    ["a lost answer", { do: "reset_after_accept" }],
    ["a page", { do: "status", status: 502, body: "<h1>Bad Gateway</h1>" }],
    ["no address", { do: "status", status: 200, body: {} }],
    ["an address elsewhere", { do: "status", status: 200, body: {}, headers: { location: "https://evil.example/x" } }],
  ])("is retryable after %s, because nothing was published", async (_, answer) => {
    const testChannel = await connectNew();
    await faultCall(simulators, testChannel, "videos.insert", answer);
    expect((await prepare(video("x"), testChannel.context)).answer).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    await publish(video("x"), testChannel);
  });

  it("is rejected by the network itself for an account without permission", async () => {
    const testChannel = await connectNew("suspended_");
    expect((await prepare(video("x"), testChannel.context)).answer).toMatchObject({
      is: "rejected",
      error: "permission_missing",
    });
  });

  it("is rejected if the network would not accept the metadata", async () => {
    const testChannel = await connectNew();
    const options = { ...OPTIONS, category_id: "9999" };
    expect((await prepare(video("x", { options }), testChannel.context)).answer).toMatchObject({
      is: "rejected",
      error: "content_refused",
      networkMessage: expect.stringContaining("invalidCategoryId"),
    });
    expect((await prepare(video("ü".repeat(2_501)), testChannel.context)).answer).toMatchObject({
      error: "content_refused",
    });
  });
});

describe("a YouTube video file that cannot be read", () => {
  it.each([
    [false, { is: "rejected", error: "media_missing" }],
    [true, { is: "retryable", error: "network_unavailable" }],
  ])("sends nothing and reports it (retry %s)", async (retry, outcome) => {
    const { context, handle } = await connectNew();
    const post = video("x", { media: [makeUnreadable(mp4(1_000), retry)] });
    expect(await youtube.publish(post, await prepareOnce(post, context), context)).toMatchObject(outcome);
    expect(await ledger(simulators, handle)).toEqual([]);
  });
});

describe("YouTube's processing", () => {
  it("rejects a broken file by its name", async () => {
    const { context } = await connectNew();
    const post = video("x", { media: [file(new Uint8Array(5_000), { contentType: "video/mp4" })] });
    const outcome = await youtube.publish(post, await prepareOnce(post, context), context);
    expect(await waitUntilProcessed(outcome, context)).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringMatching(
        new RegExp(`^file 1 \\(${post.media[0]?.id}\\): video \\S+ could not be processed \\(invalidFile\\)`),
      ),
    });
  });

  it("names the reason of a rejection", async () => {
    const { context } = await connectNew("rejected_");
    const outcome = await youtube.publish(video("x"), await prepareOnce(video("x"), context), context);
    expect(await waitUntilProcessed(outcome, context)).toMatchObject({
      is: "rejected",
      error: "duplicate_content",
      detail: expect.stringContaining("rejected (duplicate)"),
    });
  });

  const answers: [string, object, object][] = [
    ["uploadStatus failed", { status: { uploadStatus: "failed", failureReason: "codec" } }, { error: "media_refused" }],
    ["length", { status: { uploadStatus: "rejected", rejectionReason: "length" } }, { error: "media_refused" }],
    ["copyright", { status: { uploadStatus: "rejected", rejectionReason: "copyright" } }, { error: "content_refused" }],
    [
      "suspended",
      { status: { uploadStatus: "rejected", rejectionReason: "uploaderAccountSuspended" } },
      { error: "permission_missing" },
    ],
    ["deleted", { status: { uploadStatus: "deleted" } }, { error: "content_refused" }],
    [
      "terminated",
      { status: { uploadStatus: "uploaded" }, processingDetails: { processingStatus: "terminated" } },
      { error: "media_refused" },
    ],
  ];
  it.each(answers)("ends for %s with %j as %j", async (_, item, outcome) => {
    const testChannel = await connectNew();
    const started = await youtube.publish(
      video("x"),
      await prepareOnce(video("x"), testChannel.context),
      testChannel.context,
    );
    if (started.is !== "processing") throw new Error(started.is);
    await faultCall(simulators, testChannel, "videos.list", { do: "status", status: 200, body: { items: [item] } });
    expect(await youtube.reconcile?.(started.publishKey, testChannel.context)).toMatchObject({
      is: "rejected",
      ...outcome,
    });
  });

  it.each([
    ["no answer", { do: "reset_before" }, { is: "unknown" }],
    ["a page", { do: "status", status: 200, body: "<h1>" }, { is: "unknown" }],
    ["a refusal of the read", rejection(403, "forbidden"), { is: "unknown" }],
    ["a quota", rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    ["an old token", rejection(401, "authError"), { is: "unauthorized" }],
    ["an answer without it", { do: "status", status: 200, body: {} }, { is: "unknown" }],
    ["a list without members", { do: "status", status: 200, body: { kind: LIST } }, { is: "processing" }],
  ])("is polled again after %s", async (_, answer, outcome) => {
    const testChannel = await connectNew();
    const started = await youtube.publish(
      video("x"),
      await prepareOnce(video("x"), testChannel.context),
      testChannel.context,
    );
    if (started.is !== "processing") throw new Error(started.is);
    await faultCall(simulators, testChannel, "videos.list", answer);
    expect(await youtube.reconcile?.(started.publishKey, testChannel.context)).toMatchObject(outcome);
    expect(await waitUntilProcessed(started, testChannel.context)).toMatchObject({ is: "live" });
  });

  it("is polled less and less often, and a video that remains missing was deleted", async () => {
    const testChannel = await connectNew();
    const started = await youtube.publish(
      video("x"),
      await prepareOnce(video("x"), testChannel.context),
      testChannel.context,
    );
    if (started.is !== "processing") throw new Error(started.is);
    const since = Number(Object(started.publishKey).since);
    const askAfter = async (minutes: number, body?: object) => {
      await faultCall(simulators, testChannel, "videos.list", {
        do: "status",
        status: 200,
        body: body ?? { items: [] },
      });
      const now = since + minutes * 60_000;
      const answer = await youtube.reconcile?.(started.publishKey, {
        ...testChannel.context,
        io: { ...testChannel.context.io, now: () => now },
      });
      return answer?.is === "processing" ? answer.askAt - now : answer;
    };
    const busy = { items: [{ status: { uploadStatus: "uploaded" } }] };
    expect(await askAfter(0)).toBe(1_000);
    expect(await askAfter(4, busy)).toBe(60_000);
    expect(await askAfter(600, busy)).toBe(300_000);
    expect(await askAfter(9)).toBe(9 * 15_000);
    expect(await askAfter(11)).toMatchObject({ is: "rejected", error: "content_refused" });
  });
});
