// LinkedIn's answers, and what the connector makes of a lost answer.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { CATALOGUE } from "../../src/networks/linkedin/errors.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { account, refuse } from "./linkedin-account.ts";
import { fault, ledger, png, prepareOnce, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();
const expireToken = (account: string) => fault(simulators, { platform: "linkedin", account, expire_token: true });

describe("a lost answer of LinkedIn", () => {
  const loseAnswer = (account: string, faultKind: string, fields = {}) =>
    fault(simulators, { platform: "linkedin", account, call: "posts/create", do: faultKind, ...fields });

  it.each([
    ["reset_after_accept", {}],
    ["status_after_accept", { status: 502 }],
  ])("(%s) is found among the page's posts", async (faultKind, fields) => {
    const { handle, context } = await account("page");
    const post = publication("Lost & #found (once)", { media: [png()] });
    const publishKey = await prepareOnce(linkedin, post, context);
    await loseAnswer(handle, faultKind, fields);
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, handle);
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({
      is: "live",
      id: entry?.id,
      url: entry?.url,
    });
  });

  it("stays unknown if nothing was created, and no other post is mistaken for it", async () => {
    const { handle, context } = await account("page");
    const publishKey = await prepareOnce(linkedin, publication("the same text", { media: [png(0)] }), context);
    const otherPosts = [publication("another text"), publication("the same text", { media: [png(1)] })];
    for (const otherPost of otherPosts)
      await linkedin.publish(otherPost, await prepareOnce(linkedin, otherPost, context), context);
    await loseAnswer(handle, "reset_before");
    const post = publication("the same text", { media: [png(0)] });
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await linkedin.reconcile?.(publishKey, context))?.is).toBe("unknown");
    expect(linkedin.republishAfterMs).toBeNull();
  });

  it("is not confused with an older post with the same text", async () => {
    const { context, io } = await account("page");
    const old = publication("every monday");
    await linkedin.publish(old, await prepareOnce(linkedin, old, context), context);
    const nextWeek: ConnectorContext<Json> = { ...context, io: { ...io, now: () => Date.now() + 7 * 86_400_000 } };
    const publishKey = await prepareOnce(linkedin, old, nextWeek);
    expect((await linkedin.reconcile?.(publishKey, nextWeek))?.is).toBe("unknown");
  });

  it("of a member stays unknown, because a member's posts cannot be read", async () => {
    const { handle, context, io } = await account("member");
    const post = publication("mine");
    const publishKey = await prepareOnce(linkedin, post, context);
    await loseAnswer(handle, "reset_after_accept");
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("unknown");
    const before = io.calls.length;
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown", final: true });
    expect(io.calls).toHaveLength(before);
  });

  it("waits if the search itself is temporarily refused, and reports a rejected token as unauthorized", async () => {
    const { name, handle, context } = await account("page");
    const publishKey = await prepareOnce(linkedin, publication("x"), context);
    await refuse(handle, "posts/finder", 429, { status: 429, code: "TOO_MANY_REQUESTS", message: "slow down" });
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await expireToken(name);
    expect((await linkedin.reconcile?.(publishKey, context))?.is).toBe("unauthorized");
  });
});

describe("LinkedIn's error catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status, entry.code ?? "OTHER", entry.means] as const))(
    "gives the documented meaning to %i %s",
    async (status, code, means) => {
      const { handle, context } = await account("page");
      const post = publication("x");
      const publishKey = await prepareOnce(linkedin, post, context);
      await refuse(handle, "posts/create", status, { status, code, message: "the network's words" });
      const outcome = await linkedin.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: means.is, networkMessage: `the network's words (${code})` });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it("rejects a repeated post, and the network names the existing post", async () => {
    const { handle, context } = await account("page");
    const post = publication("twice");
    await linkedin.publish(post, await prepareOnce(linkedin, post, context), context);
    const [entry] = await ledger(simulators, handle);
    const again = await linkedin.publish(post, await prepareOnce(linkedin, post, context), context);
    expect(again).toEqual({
      is: "rejected",
      error: "duplicate_content",
      networkMessage: `Content is a duplicate of ${entry?.id} (DUPLICATE_POST)`,
    });
  });

  it("waits until midnight UTC if the day's quota is used up", async () => {
    const { handle, context } = await account("page");
    const publishKey = await prepareOnce(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", 429, { status: 429, code: "TOO_MANY_REQUESTS", message: "enough" });
    const outcome = await linkedin.publish(publication("x"), publishKey, context);
    if (outcome.is !== "retryable") return expect.fail(outcome.is);
    const { notBefore = 0 } = outcome;
    expect(notBefore % 86_400_000).toBe(0);
    expect(notBefore).toBeGreaterThan(Date.now() - 60_000);
    expect(notBefore - Date.now()).toBeLessThanOrEqual(86_400_000);
  });

  it("delays the channel without using up tries if the API version has ended", async () => {
    const { handle, context } = await account("page");
    const publishKey = await prepareOnce(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", 426, { status: 426, code: "NONEXISTENT_VERSION", message: "not active" });
    expect(await linkedin.publish(publication("x"), publishKey, context)).toMatchObject({
      error: "service_misconfigured",
      notBefore: expect.any(Number),
    });
  });

  it.each([500, 503, 404])("leaves the outcome unknown after a %i", async (status) => {
    const { handle, context } = await account("page");
    const publishKey = await prepareOnce(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", status, {});
    expect((await linkedin.publish(publication("x"), publishKey, context)).is).toBe("unknown");
  });

  it("reports an expired token as unauthorized in every call", async () => {
    const { name, context } = await account("page");
    const publishKey = await prepareOnce(linkedin, publication("x"), context);
    await expireToken(name);
    expect((await linkedin.publish(publication("x"), publishKey, context)).is).toBe("unauthorized");
    expect((await linkedin.prepare(publication("x", { media: [png()] }), context, null, async () => {})).is).toBe(
      "unauthorized",
    );
  });
});
