// Facebook's answers to a post, and what the connector makes of a lost answer.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { deadToken, fileFailure, publishFailure } from "../../src/networks/facebook/errors.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { account, faultCall, graphError, photo, posts, publish, ready, type TestPage } from "./facebook-page.ts";
import { mp4, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();
const reconcile = (publishKey: Json, { context }: TestPage) => facebook.reconcile?.(publishKey, context);

describe("a lost answer of Facebook", () => {
  const LOST = { do: "reset_after_accept" };

  it("to a text: the post is found by its exact text", async () => {
    const page = await account();
    const post = publication("once, and only once");
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", LOST);
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    const [entry] = await posts(page);
    expect(await reconcile(publishKey, page)).toEqual({
      is: "live",
      id: entry?.id,
      url: entry?.url,
      urlState: "none",
    });
  });

  it("to a text that was never accepted: the outcome is unknown, and an older duplicate is not mistaken for the post", async () => {
    const page = await account();
    const post = publication("good morning");
    await publish(simulators, post, page);
    await publishAnother(page);
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", { do: "reset_before" });
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "unknown" });
  });

  /** Facebook rejects the same text twice in a row, so this publishes another text in between. */
  async function publishAnother(page: TestPage): Promise<void> {
    const otherPost = publication("something else");
    expect(await facebook.publish(otherPost, await ready(otherPost, page.context), page.context)).toMatchObject({
      is: "live",
    });
  }

  it("to a text with a duplicate that was published at the same time: the outcome is unknown", async () => {
    const page = await account();
    const post = publication("duplicates");
    const publishKey = await ready(post, page.context);
    await facebook.publish(post, await ready(post, page.context), page.context);
    await publishAnother(page);
    await faultCall(simulators, page, "feed", LOST);
    await facebook.publish(post, publishKey, page.context);
    expect(await posts(page)).toHaveLength(3);
    expect(await reconcile(publishKey, page)).toMatchObject({
      is: "unknown",
      detail: expect.stringContaining("two posts"),
    });
  });

  it("to a text whose duplicates could not be read: the outcome is unknown", async () => {
    const page = await account();
    const post = publication("unread");
    await faultCall(simulators, page, "published_posts", { do: "status", status: 500 });
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", LOST);
    await facebook.publish(post, publishKey, page.context);
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "unknown" });
  });

  it("to a text that somebody publishes with a photo: that is a different post", async () => {
    const page = await account();
    const post = publication("the same words");
    const publishKey = await ready(post, page.context);
    const withPhoto = publication("the same words", { media: [await photo()] });
    await facebook.publish(withPhoto, await ready(withPhoto, page.context), page.context);
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "unknown" });
  });

  it.each([1, 3])("to a post with %i images: the post is found by its photo", async (count) => {
    const page = await account();
    const media = await Promise.all(Array.from({ length: count }, (_, i) => photo(i)));
    const post = publication("photos", { media });
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", LOST);
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    const [entry] = await posts(page);
    const expected = { is: "live", id: entry?.id, url: entry?.url, urlState: "none" };
    expect(await reconcile(publishKey, page)).toEqual(expected);
    // If the photo does not name its post, the post names its photo.
    await faultCall(simulators, page, "node", { do: "status", status: 200, body: { id: "1" } });
    expect(await reconcile(publishKey, page)).toEqual(expected);
  });

  it("to a post with an image that was never accepted: the outcome is unknown", async () => {
    const page = await account();
    const post = publication("photo", { media: [await photo()] });
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", { do: "reset_before" });
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "unknown" });
  });

  it.each([
    ["accepted", LOST, { is: "live", url: expect.stringContaining("/stories/"), urlState: "none" }],
    ["never accepted", { do: "reset_before" }, { is: "unknown" }],
  ])("to a story of an image that was %s: the outcome is correct", async (_, answer, outcome) => {
    const page = await account();
    const post = publication("", { media: [await photo()], postType: "story" });
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "photo_stories", answer);
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, page)).toMatchObject(outcome);
  });

  it("is reconciled again if the first attempt got no answer, with a new token if that was the reason", async () => {
    const page = await account();
    const publishKey = await ready(publication("x"), page.context);
    await faultCall(simulators, page, "published_posts", { do: "status", status: 503 });
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "retryable" });
    await faultCall(simulators, page, "published_posts", { do: "status", status: 401, body: graphError(190, 463) });
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "unauthorized" });
    await faultCall(simulators, page, "published_posts", { do: "status", status: 403, body: graphError(10) });
    expect(await reconcile(publishKey, page)).toMatchObject({ is: "unknown" });
  });
});

describe("Facebook's answer to the publish call", () => {
  const quota = { is: "retryable", error: "network_quota", notBefore: expect.any(Number) };
  const dayQuota = { ...quota, isOfDay: true };
  const permission = { is: "rejected", error: "permission_missing" };
  const content = { is: "rejected", error: "content_refused" };
  const media = { is: "rejected", error: "media_refused" };
  const duplicate = { is: "rejected", error: "duplicate_content" };
  const unknown = { is: "unknown" };
  const unauthorized = { is: "unauthorized" };

  it.each([
    [400, 1, undefined, unknown],
    [400, 2, undefined, unknown],
    [500, 1, 99, unknown],
    [503, 100, undefined, unknown],
    [400, 100, 1363047, unknown],
    [400, 1609010, undefined, unknown],
    [400, 4, undefined, quota],
    [400, 17, undefined, quota],
    [400, 32, undefined, dayQuota],
    [400, 341, undefined, quota],
    [400, 613, undefined, dayQuota],
    [400, 80001, undefined, dayQuota],
    [400, 368, undefined, quota],
    [400, 1390008, undefined, quota],
    [400, 368, 1390008, quota],
    [401, 190, undefined, unauthorized],
    [401, 190, 458, unauthorized],
    [401, 190, 460, unauthorized],
    [401, 190, 463, unauthorized],
    [401, 190, 467, unauthorized],
    [401, 190, 492, unauthorized],
    [401, 102, undefined, unauthorized],
    [403, 3, undefined, permission],
    [403, 10, undefined, permission],
    [403, 200, undefined, permission],
    [403, 299, undefined, permission],
    [400, 100, 33, permission],
    [400, 200, 1404078, permission],
    [400, 4854002, undefined, permission],
    [400, 100, 1404112, permission],
    [400, 1404006, undefined, permission],
    [400, 506, 1455006, duplicate],
    [400, 100, 1366051, duplicate],
    [400, 100, undefined, content],
    [400, 1346003, undefined, content],
    [400, 368, 1404102, content],
    [400, 100, 1609008, content],
    [400, 100, 1609005, content],
    [400, 100, 2061006, content],
    [400, 1, 1366046, media],
    [400, 100, 1349125, media],
    [400, 324, 2069019, media],
    [400, 99999, undefined, content],
  ])("HTTP %i with code %i/%s ends as %j", async (status, code, subcode, outcome) => {
    const page = await account();
    const post = publication("x");
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", { do: "status", status, body: graphError(code, subcode) });
    const answer = await facebook.publish(post, publishKey, page.context);
    expect(answer).toMatchObject({
      ...outcome,
      networkMessage: expect.stringContaining(subcode === undefined ? `(${code})` : `${code}/${subcode}`),
    });
    expect(await posts(page)).toEqual([]);
  });

  it.each([
    ["that the network calls temporary", 400, graphError(100, undefined, { is_transient: true }), {}, unknown],
    ["of a gateway", 502, "<h1>Bad gateway</h1>", {}, unknown],
    ["of a gateway that limits the rate", 429, "slow down", { "retry-after": "60" }, quota],
    ["of a success without a body", 200, "", {}, unknown],
    ["of a success without an id", 200, { ok: true }, {}, unknown],
  ])("an answer %s with HTTP %i has the right outcome", async (_, status, body, headers, outcome) => {
    const page = await account();
    const post = publication("x");
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", { do: "status", status, body, headers });
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject(outcome);
  });

  it("names the time of the next attempt if the network names it", async () => {
    const page = await account();
    const post = publication("x");
    const publishKey = await ready(post, page.context);
    const usage = { [page.id]: [{ type: "pages", call_count: 100, estimated_time_to_regain_access: 12 }] };
    const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
    await faultCall(simulators, page, "feed", { do: "status", status: 400, body: graphError(80001), headers });
    const before = Date.now();
    const answer = await facebook.publish(post, publishKey, page.context);
    const notBefore = answer.is === "retryable" ? (answer.notBefore ?? 0) : 0;
    expect(notBefore).toBeGreaterThanOrEqual(before + 12 * 60_000);
    expect(notBefore).toBeLessThanOrEqual(Date.now() + 12 * 60_000);
  });

  it("is retryable before the publish call, because nothing is public yet", async () => {
    const page = await account();
    for (const [status, body] of [
      [400, graphError(1)],
      [500, graphError(2)],
      [400, graphError(100, undefined, { is_transient: true })],
      [502, "x"],
    ] as const) {
      await faultCall(simulators, page, "photos", { do: "status", status, body });
      const answer = await facebook.prepare(
        publication("x", { media: [await photo()] }),
        page.context,
        null,
        async () => {},
      );
      expect(answer).toMatchObject({ is: "retryable", error: "network_unavailable" });
    }
  });

  it("is a duplicate if the same text is published twice in a row", async () => {
    const page = await account();
    const post = publication("again");
    await publish(simulators, post, page);
    expect(await facebook.publish(post, await ready(post, page.context), page.context)).toMatchObject(duplicate);
  });
});

describe("a refusal that only the person behind the token can resolve", () => {
  const ROLE =
    "Any of the pages_read_engagement, pages_manage_metadata permission(s) must be granted before impersonating a user's page.";
  const expectedOutcome = {
    is: "rejected",
    error: "permission_missing",
    detail: expect.stringContaining("Log in at facebook.com"),
  };
  const buildAnswer = (body: object, status = 400) => ({ is: "answer" as const, status, headers: new Headers(), body });

  it.each([
    ["a checkpoint", { message: "The user must log in", code: 190, error_subcode: 459 }],
    ["another checkpoint", { message: "Sessions are not allowed", code: 190, error_subcode: 464 }],
    ["a role on the Page", { message: ROLE, code: 190 }],
  ])("keeps the token after %s, when publishing and when renewing", (_, error) => {
    expect(publishFailure(buildAnswer({ error }), Date.now())).toMatchObject(expectedOutcome);
    expect(deadToken(buildAnswer({ error }))).toMatchObject(expectedOutcome);
  });

  it("ends a token that the network calls invalid", () => {
    const error = { message: "Error validating access token", code: 190, error_subcode: 460 };
    expect(publishFailure(buildAnswer({ error }), Date.now())).toMatchObject({ is: "unauthorized" });
    expect(deadToken(buildAnswer({ error }))).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it("reports a missing permission for a video that may not be published, and blames no file", () => {
    const error = { message: "(#100) No permission to publish the video", type: "OAuthException", code: 100 };
    const refused = { is: "rejected", error: "permission_missing" };
    expect(publishFailure(buildAnswer({ error }), Date.now())).toMatchObject(refused);
    expect(fileFailure(mp4(100), buildAnswer({ error }), Date.now())).toMatchObject(refused);
  });
});
