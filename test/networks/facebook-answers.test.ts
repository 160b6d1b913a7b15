// What Facebook answers to a post, and what is made of an answer that is lost.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { deadToken, fileFailure, publishFailure } from "../../src/networks/facebook/errors.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { account, graphError, onCall, photo, posts, publish, ready, type TestPage } from "./facebook-page.ts";
import { mp4, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();
const reconcile = (publishKey: Json, { context }: TestPage) => facebook.reconcile?.(publishKey, context);

describe("an answer that was lost", () => {
  const LOST = { do: "reset_after_accept" };

  it("to a text: the post is found by its exact text", async () => {
    const at = await account();
    const post = publication("once, and only once");
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", LOST);
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    const [entry] = await posts(at);
    expect(await reconcile(publishKey, at)).toEqual({
      is: "live",
      id: entry?.id,
      url: entry?.url,
      urlState: "none",
    });
  });

  it("to a text that was never taken: nobody knows, and an older duplicate is not taken for it", async () => {
    const at = await account();
    const post = publication("good morning");
    await publish(simulators, post, at);
    await publishAnother(at);
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "reset_before" });
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "unknown" });
  });

  /** The network refuses the same text twice in a row. */
  async function publishAnother(at: TestPage): Promise<void> {
    const other = publication("something else");
    expect(await facebook.publish(other, await ready(other, at.context), at.context)).toMatchObject({ is: "live" });
  }

  it("to a text that went out beside another of the same words: a person must look", async () => {
    const at = await account();
    const post = publication("duplicates");
    const publishKey = await ready(post, at.context);
    await facebook.publish(post, await ready(post, at.context), at.context);
    await publishAnother(at);
    await onCall(simulators, at, "feed", LOST);
    await facebook.publish(post, publishKey, at.context);
    expect(await posts(at)).toHaveLength(3);
    expect(await reconcile(publishKey, at)).toMatchObject({
      is: "unknown",
      detail: expect.stringContaining("two posts"),
    });
  });

  it("to a text whose duplicates could not be read: nobody knows", async () => {
    const at = await account();
    const post = publication("unread");
    await onCall(simulators, at, "published_posts", { do: "status", status: 500 });
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", LOST);
    await facebook.publish(post, publishKey, at.context);
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "unknown" });
  });

  it("to a text that somebody posts with a photo: that is another post", async () => {
    const at = await account();
    const post = publication("the same words");
    const publishKey = await ready(post, at.context);
    const withPhoto = publication("the same words", { media: [await photo()] });
    await facebook.publish(withPhoto, await ready(withPhoto, at.context), at.context);
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "unknown" });
  });

  it.each([1, 3])("to a post with %i images: it is found by its photo", async (count) => {
    const at = await account();
    const media = await Promise.all(Array.from({ length: count }, (_, i) => photo(i)));
    const post = publication("photos", { media });
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", LOST);
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    const [entry] = await posts(at);
    const found = { is: "live", id: entry?.id, url: entry?.url, urlState: "none" };
    expect(await reconcile(publishKey, at)).toEqual(found);
    // Where the photo does not name its post, the post names its photo.
    await onCall(simulators, at, "node", { do: "status", status: 200, body: { id: "1" } });
    expect(await reconcile(publishKey, at)).toEqual(found);
  });

  it("to a post with an image that was never taken: nobody knows", async () => {
    const at = await account();
    const post = publication("photo", { media: [await photo()] });
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "reset_before" });
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "unknown" });
  });

  it.each([
    ["taken", LOST, { is: "live", url: expect.stringContaining("/stories/"), urlState: "none" }],
    ["never taken", { do: "reset_before" }, { is: "unknown" }],
  ])("to a story of an image that was %s", async (_, what, outcome) => {
    const at = await account();
    const post = publication("", { media: [await photo()], postType: "story" });
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "photo_stories", what);
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, at)).toMatchObject(outcome);
  });

  it("and a question about it that is not answered is asked again, with a new token if that is why", async () => {
    const at = await account();
    const publishKey = await ready(publication("x"), at.context);
    await onCall(simulators, at, "published_posts", { do: "status", status: 503 });
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "retryable" });
    await onCall(simulators, at, "published_posts", { do: "status", status: 401, body: graphError(190, 463) });
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "unauthorized" });
    await onCall(simulators, at, "published_posts", { do: "status", status: 403, body: graphError(10) });
    expect(await reconcile(publishKey, at)).toMatchObject({ is: "unknown" });
  });
});

describe("the network's answer to the call that publishes", () => {
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
  ])("HTTP %i with %i/%s is %j", async (status, code, subcode, outcome) => {
    const at = await account();
    const post = publication("x");
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "status", status, body: graphError(code, subcode) });
    const answer = await facebook.publish(post, publishKey, at.context);
    expect(answer).toMatchObject({
      ...outcome,
      networkMessage: expect.stringContaining(subcode === undefined ? `(${code})` : `${code}/${subcode}`),
    });
    expect(await posts(at)).toEqual([]);
  });

  it.each([
    ["that the network calls passing", 400, graphError(100, undefined, { is_transient: true }), {}, unknown],
    ["of a gateway", 502, "<h1>Bad gateway</h1>", {}, unknown],
    ["of a gateway that limits", 429, "slow down", { "retry-after": "60" }, quota],
    ["of a success that says nothing", 200, "", {}, unknown],
    ["of a success without an id", 200, { ok: true }, {}, unknown],
  ])("an answer %s: HTTP %i", async (_, status, body, headers, outcome) => {
    const at = await account();
    const post = publication("x");
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "status", status, body, headers });
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject(outcome);
  });

  it("says when it may be asked again where the network says so", async () => {
    const at = await account();
    const post = publication("x");
    const publishKey = await ready(post, at.context);
    const usage = { [at.id]: [{ type: "pages", call_count: 100, estimated_time_to_regain_access: 12 }] };
    const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
    await onCall(simulators, at, "feed", { do: "status", status: 400, body: graphError(80001), headers });
    const before = Date.now();
    const answer = await facebook.publish(post, publishKey, at.context);
    const notBefore = answer.is === "retryable" ? (answer.notBefore ?? 0) : 0;
    expect(notBefore).toBeGreaterThanOrEqual(before + 12 * 60_000);
    expect(notBefore).toBeLessThanOrEqual(Date.now() + 12 * 60_000);
  });

  it("is tried later when it happens before: nothing is public yet", async () => {
    const at = await account();
    for (const [status, body] of [
      [400, graphError(1)],
      [500, graphError(2)],
      [400, graphError(100, undefined, { is_transient: true })],
      [502, "x"],
    ] as const) {
      await onCall(simulators, at, "photos", { do: "status", status, body });
      const answer = await facebook.prepare(
        publication("x", { media: [await photo()] }),
        at.context,
        null,
        async () => {},
      );
      expect(answer).toMatchObject({ is: "retryable", error: "network_unavailable" });
    }
  });

  it("is a duplicate when the same text is posted twice in a row", async () => {
    const at = await account();
    const post = publication("again");
    await publish(simulators, post, at);
    expect(await facebook.publish(post, await ready(post, at.context), at.context)).toMatchObject(duplicate);
  });
});

describe("a refusal that the person behind a token has to settle", () => {
  const ROLE =
    "Any of the pages_read_engagement, pages_manage_metadata permission(s) must be granted before impersonating a user's page.";
  const needed = {
    is: "rejected",
    error: "permission_missing",
    detail: expect.stringContaining("Log in at facebook.com"),
  };
  const asked = (body: object, status = 400) => ({ is: "answer" as const, status, headers: new Headers(), body });

  it.each([
    ["a checkpoint", { message: "The user must log in", code: 190, error_subcode: 459 }],
    ["another checkpoint", { message: "Sessions are not allowed", code: 190, error_subcode: 464 }],
    ["a role on the Page", { message: ROLE, code: 190 }],
  ])("keeps the token that met %s, at publishing and at renewing", (_, error) => {
    expect(publishFailure(asked({ error }), Date.now())).toMatchObject(needed);
    expect(deadToken(asked({ error }))).toMatchObject(needed);
  });

  it("ends a token that the network calls dead", () => {
    const error = { message: "Error validating access token", code: 190, error_subcode: 460 };
    expect(publishFailure(asked({ error }), Date.now())).toMatchObject({ is: "unauthorized" });
    expect(deadToken(asked({ error }))).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it("says of a video that may not be published that a permission is missing, and blames no file", () => {
    const error = { message: "(#100) No permission to publish the video", type: "OAuthException", code: 100 };
    const refused = { is: "rejected", error: "permission_missing" };
    expect(publishFailure(asked({ error }), Date.now())).toMatchObject(refused);
    expect(fileFailure(mp4(100), asked({ error }), Date.now())).toMatchObject(refused);
  });
});
