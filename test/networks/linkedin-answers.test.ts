// What LinkedIn answers, and what is made of an answer that is lost.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { CATALOGUE } from "../../src/networks/linkedin/errors.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { account, refuse } from "./linkedin-account.ts";
import { fault, ledger, png, prepared, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();
const expired = (account: string) => fault(simulators, { platform: "linkedin", account, expire_token: true });

describe("a lost answer", () => {
  const lose = (account: string, how: string, more = {}) =>
    fault(simulators, { platform: "linkedin", account, call: "posts/create", do: how, ...more });

  it.each([
    ["reset_after_accept", {}],
    ["status_after_accept", { status: 502 }],
  ])("(%s) is found among the page's posts", async (how, more) => {
    const { handle, context } = await account("page");
    const post = publication("Lost & #found (once)", { media: [png()] });
    const publishKey = await prepared(linkedin, post, context);
    await lose(handle, how, more);
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, handle);
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({
      is: "live",
      id: entry?.id,
      url: entry?.url,
    });
  });

  it("stays unknown when nothing was made, and no other post is taken for it", async () => {
    const { handle, context } = await account("page");
    const publishKey = await prepared(linkedin, publication("the same text", { media: [png(0)] }), context);
    const others = [publication("another text"), publication("the same text", { media: [png(1)] })];
    for (const other of others) await linkedin.publish(other, await prepared(linkedin, other, context), context);
    await lose(handle, "reset_before");
    const post = publication("the same text", { media: [png(0)] });
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await linkedin.reconcile?.(publishKey, context))?.is).toBe("unknown");
    expect(linkedin.republishAfterMs).toBeNull();
  });

  it("is not an older post with the same text", async () => {
    const { context, io } = await account("page");
    const old = publication("every monday");
    await linkedin.publish(old, await prepared(linkedin, old, context), context);
    const nextWeek: ConnectorContext<Json> = { ...context, io: { ...io, now: () => Date.now() + 7 * 86_400_000 } };
    const publishKey = await prepared(linkedin, old, nextWeek);
    expect((await linkedin.reconcile?.(publishKey, nextWeek))?.is).toBe("unknown");
  });

  it("of a member stays unknown: nobody may read their posts", async () => {
    const { handle, context, io } = await account("member");
    const post = publication("mine");
    const publishKey = await prepared(linkedin, post, context);
    await lose(handle, "reset_after_accept");
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("unknown");
    const before = io.calls.length;
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown", final: true });
    expect(io.calls).toHaveLength(before);
  });

  it("waits when the search itself is refused for now, and takes a refused token for what it is", async () => {
    const { name, handle, context } = await account("page");
    const publishKey = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/finder", 429, { status: 429, code: "TOO_MANY_REQUESTS", message: "slow down" });
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await expired(name);
    expect((await linkedin.reconcile?.(publishKey, context))?.is).toBe("unauthorized");
  });
});

describe("the catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status, entry.code ?? "OTHER", entry.means] as const))(
    "%i %s",
    async (status, code, means) => {
      const { handle, context } = await account("page");
      const post = publication("x");
      const publishKey = await prepared(linkedin, post, context);
      await refuse(handle, "posts/create", status, { status, code, message: "the network's words" });
      const outcome = await linkedin.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: means.is, networkMessage: `the network's words (${code})` });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it("a repeat is refused, and the network names the post that is there", async () => {
    const { handle, context } = await account("page");
    const post = publication("twice");
    await linkedin.publish(post, await prepared(linkedin, post, context), context);
    const [entry] = await ledger(simulators, handle);
    const again = await linkedin.publish(post, await prepared(linkedin, post, context), context);
    expect(again).toEqual({
      is: "rejected",
      error: "duplicate_content",
      networkMessage: `Content is a duplicate of ${entry?.id} (DUPLICATE_POST)`,
    });
  });

  it("the day's quota begins anew at midnight UTC", async () => {
    const { handle, context } = await account("page");
    const publishKey = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", 429, { status: 429, code: "TOO_MANY_REQUESTS", message: "enough" });
    const outcome = await linkedin.publish(publication("x"), publishKey, context);
    if (outcome.is !== "retryable") return expect.fail(outcome.is);
    const { notBefore = 0 } = outcome;
    expect(notBefore % 86_400_000).toBe(0);
    expect(notBefore).toBeGreaterThan(Date.now() - 60_000);
    expect(notBefore - Date.now()).toBeLessThanOrEqual(86_400_000);
  });

  it("a version that is over holds the channel, and uses up no tries", async () => {
    const { handle, context } = await account("page");
    const publishKey = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", 426, { status: 426, code: "NONEXISTENT_VERSION", message: "not active" });
    expect(await linkedin.publish(publication("x"), publishKey, context)).toMatchObject({
      error: "service_misconfigured",
      notBefore: expect.any(Number),
    });
  });

  it.each([500, 503, 404])("a %i leaves open whether the post is out", async (status) => {
    const { handle, context } = await account("page");
    const publishKey = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", status, {});
    expect((await linkedin.publish(publication("x"), publishKey, context)).is).toBe("unknown");
  });

  it("an expired token is unauthorized wherever it is met", async () => {
    const { name, context } = await account("page");
    const publishKey = await prepared(linkedin, publication("x"), context);
    await expired(name);
    expect((await linkedin.publish(publication("x"), publishKey, context)).is).toBe("unauthorized");
    expect((await linkedin.prepare(publication("x", { media: [png()] }), context, null, async () => {})).is).toBe(
      "unauthorized",
    );
  });
});
