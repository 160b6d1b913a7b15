// What YouTube answers to a session, and while it works on a video.
import { describe, expect, it } from "vitest";
import { youtube } from "../../src/networks/youtube/index.ts";
import { file, ledger, makeUnreadable, mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { fresh, OPTIONS, onCall, prepare, prepared, processed, publish, rejection, video } from "./youtube-driver.ts";

withSimulators();

const LIST = "youtube#videoListResponse";

describe("beginning a session", () => {
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
  ])("answered %i %s is %j", async (status, reason, outcome) => {
    const at = await fresh();
    await onCall(simulators, at, "videos.insert", rejection(status, reason));
    const post = video("x");
    const { answer, saved } = await prepare(post, at.context);
    expect(answer).toMatchObject(outcome);
    if (status !== 404)
      expect(answer).toMatchObject({ networkMessage: expect.stringContaining(`said so (${reason})`) });
    if ("error" in outcome && outcome.error === "media_refused")
      expect(answer).toMatchObject({ detail: expect.stringContaining(`file 1 (${post.media[0]?.id})`) });
    expect(saved).toEqual([]);
  });

  it("is read in the newer style of errors too", async () => {
    const at = await fresh();
    const error = { code: 401, message: "Request had invalid credentials.", status: "UNAUTHENTICATED" };
    await onCall(simulators, at, "videos.insert", { do: "status", status: 401, body: { error } });
    expect((await prepare(video("x"), at.context)).answer).toMatchObject({ is: "unauthorized" });
  });

  it("is one of a number that the rule names, of a day that begins when the wait for it ends", async () => {
    const { limit, timezone } = youtube.rule.app_posts_per_day ?? expect.fail("no number");
    expect(limit).toBe(100);
    const at = await fresh();
    await onCall(simulators, at, "videos.insert", rejection(403, "quotaExceeded"));
    const { answer } = await prepare(video("x"), at.context);
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota", notBefore: expect.any(Number) });
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, timeStyle: "medium" });
    expect(answer.is === "retryable" && clock.format(answer.notBefore)).toBe("00:00:00");
  });

  it("waits for midnight in California when the day's quota is used up", async () => {
    const at = await fresh();
    await onCall(simulators, at, "videos.insert", rejection(403, "quotaExceeded"));
    const { answer } = await prepare(video("x"), at.context);
    if (answer.is !== "retryable") throw new Error(answer.is);
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "America/Los_Angeles", timeStyle: "medium" });
    expect(clock.format(answer.notBefore)).toBe("00:00:00");
    expect(answer.notBefore).toBeGreaterThan(Date.now());
    expect(answer.notBefore).toBeLessThanOrEqual(Date.now() + 25 * 3_600_000);
  });

  it("tries for a day where a channel has uploaded too much, and waits as long as the network asks", async () => {
    const at = await fresh();
    const now = 1_800_000_000_000;
    const context = { ...at.context, io: { ...at.context.io, now: () => now } };
    await onCall(simulators, at, "videos.insert", rejection(400, "uploadLimitExceeded"));
    expect((await prepare(video("x"), context)).answer).toMatchObject({ notBefore: now + 3_600_000, isOfDay: true });
    await onCall(
      simulators,
      at,
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
  ])("with %s is tried again, and nothing was published", async (_, what) => {
    const at = await fresh();
    await onCall(simulators, at, "videos.insert", what);
    expect((await prepare(video("x"), at.context)).answer).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    await publish(video("x"), at);
  });

  it("by an account that may not is refused by the network itself", async () => {
    const at = await fresh("suspended_");
    expect((await prepare(video("x"), at.context)).answer).toMatchObject({
      is: "rejected",
      error: "permission_missing",
    });
  });

  it("that the network would not take as it is, is refused", async () => {
    const at = await fresh();
    const options = { ...OPTIONS, category_id: "9999" };
    expect((await prepare(video("x", { options }), at.context)).answer).toMatchObject({
      is: "rejected",
      error: "content_refused",
      networkMessage: expect.stringContaining("invalidCategoryId"),
    });
    expect((await prepare(video("ü".repeat(2_501)), at.context)).answer).toMatchObject({ error: "content_refused" });
  });
});

describe("a file that cannot be read", () => {
  it.each([
    [false, { is: "rejected", error: "media_missing" }],
    [true, { is: "retryable", error: "network_unavailable" }],
  ])("sent nothing, and says so (retry %s)", async (retry, outcome) => {
    const { context, handle } = await fresh();
    const post = video("x", { media: [makeUnreadable(mp4(1_000), retry)] });
    expect(await youtube.publish(post, await prepared(post, context), context)).toMatchObject(outcome);
    expect(await ledger(simulators, handle)).toEqual([]);
  });
});

describe("processing", () => {
  it("that fails is a refusal of the file, by its name", async () => {
    const { context } = await fresh();
    const post = video("x", { media: [file(new Uint8Array(5_000), { contentType: "video/mp4" })] });
    const sent = await youtube.publish(post, await prepared(post, context), context);
    expect(await processed(sent, context)).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringMatching(
        new RegExp(`^file 1 \\(${post.media[0]?.id}\\): video \\S+ could not be processed \\(invalidFile\\)`),
      ),
    });
  });

  it("that ends in a rejection says why", async () => {
    const { context } = await fresh("rejected_");
    const sent = await youtube.publish(video("x"), await prepared(video("x"), context), context);
    expect(await processed(sent, context)).toMatchObject({
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
  it.each(answers)("%s: %j is %j", async (_, item, outcome) => {
    const at = await fresh();
    const sent = await youtube.publish(video("x"), await prepared(video("x"), at.context), at.context);
    if (sent.is !== "processing") throw new Error(sent.is);
    await onCall(simulators, at, "videos.list", { do: "status", status: 200, body: { items: [item] } });
    expect(await youtube.reconcile?.(sent.publishKey, at.context)).toMatchObject({ is: "rejected", ...outcome });
  });

  it.each([
    ["no answer", { do: "reset_before" }, { is: "unknown" }],
    ["a page", { do: "status", status: 200, body: "<h1>" }, { is: "unknown" }],
    ["a refusal of the read", rejection(403, "forbidden"), { is: "unknown" }],
    ["a quota", rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    ["an old token", rejection(401, "authError"), { is: "unauthorized" }],
    ["an answer without it", { do: "status", status: 200, body: {} }, { is: "unknown" }],
    ["a list without members", { do: "status", status: 200, body: { kind: LIST } }, { is: "processing" }],
  ])("with %s is asked for again", async (_, what, outcome) => {
    const at = await fresh();
    const sent = await youtube.publish(video("x"), await prepared(video("x"), at.context), at.context);
    if (sent.is !== "processing") throw new Error(sent.is);
    await onCall(simulators, at, "videos.list", what);
    expect(await youtube.reconcile?.(sent.publishKey, at.context)).toMatchObject(outcome);
    expect(await processed(sent, at.context)).toMatchObject({ is: "live" });
  });

  it("is looked at less and less often, and a video that stays away was deleted", async () => {
    const at = await fresh();
    const sent = await youtube.publish(video("x"), await prepared(video("x"), at.context), at.context);
    if (sent.is !== "processing") throw new Error(sent.is);
    const since = Number(Object(sent.publishKey).since);
    const askAfter = async (minutes: number, what?: object) => {
      await onCall(simulators, at, "videos.list", { do: "status", status: 200, body: what ?? { items: [] } });
      const now = since + minutes * 60_000;
      const answer = await youtube.reconcile?.(sent.publishKey, {
        ...at.context,
        io: { ...at.context.io, now: () => now },
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
