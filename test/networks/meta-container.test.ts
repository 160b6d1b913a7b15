// What Instagram and Threads guarantee for each send: one container is published once, whatever is lost on the way.
import { describe, expect, it } from "vitest";
import { type ConnectedAccount, graphError, prepare, prepareKey } from "./containers.ts";
import { bindCase, CASES } from "./meta-cases.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe.each(CASES)("publishing a container on %s", (_, network, names) => {
  const { platform } = network.rule;
  const { account, fault, post, ready, listCreations, state } = bindCase(network, names);

  describe("a send", () => {
    it("publishes once, under the URL that the network names", async () => {
      const { connection, context, post, publishKey } = await ready("once");
      const outcome = await network.publish(post, publishKey, context);
      const [entry, ...otherEntries] = await ledger(simulators, connection.handle);
      expect(otherEntries).toEqual([]);
      expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    });

    it("is live even if its URL cannot be read", async () => {
      const { connection, context, post, publishKey } = await ready("no address");
      await fault(connection, names.post, { do: "status", status: 500, body: "" });
      const outcome = await network.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: "live", url: null, urlState: "pending" });
      const id = outcome.is === "live" ? outcome.id : "";
      const [entry] = await ledger(simulators, connection.handle);
      expect(await network.recheck({ id, publishKey }, context)).toEqual({ is: "there", url: entry?.url });
    });

    it("is live and keeps the wait if the network asks to wait instead of naming the URL or id", async () => {
      const { connection, context, post, publishKey } = await ready("live, and a wait");
      const busy = { do: "status", status: 429, headers: { "retry-after": "600" }, body: "" };
      const until = { notBefore: expect.any(Number) };
      await fault(connection, names.post, busy);
      const outcome = await network.publish(post, publishKey, context);
      expect(outcome).toEqual({ is: "live", id: expect.any(String), url: null, urlState: "pending", ...until });
      await fault(connection, names.list, busy);
      const reconciled = await network.reconcile?.(publishKey, context);
      expect(reconciled).toEqual({ is: "live", id: expect.any(String), url: null, urlState: "pending", ...until });
    });

    it("is found by its text after a lost answer, and nothing is sent again", async () => {
      const { connection, context, post, publishKey } = await ready("lost & found");
      await fault(connection, names.publish, { do: "reset_after_accept" });
      expect(await network.publish(post, publishKey, context)).toMatchObject({ is: "unknown" });
      const [entry] = await ledger(simulators, connection.handle);
      expect(await network.reconcile?.(publishKey, context)).toEqual({
        is: "live",
        id: entry?.id,
        url: entry?.url,
        urlState: "none",
      });
      expect(await ledger(simulators, connection.handle)).toHaveLength(1);
    });

    it("is not_published if it never arrived, and the same container may be sent again", async () => {
      const { connection, context, post, publishKey } = await ready("never");
      await fault(connection, names.publish, { do: "reset_before" });
      expect(await network.publish(post, publishKey, context)).toMatchObject({ is: "unknown" });
      expect(await network.reconcile?.(publishKey, context)).toEqual({ is: "not_published" });
      expect(await network.publish(post, publishKey, context)).toMatchObject({ is: "live" });
      expect(await ledger(simulators, connection.handle)).toHaveLength(1);
    });

    it("is live if its container was already published, whatever the network answers", async () => {
      const { connection, context, post, publishKey } = await ready("twice");
      const first = await network.publish(post, publishKey, context);
      expect(await network.publish(post, publishKey, context)).toEqual(first);
      await fault(connection, names.publish, graphError(10));
      expect(await network.publish(post, publishKey, context)).toEqual(first);
      expect(await ledger(simulators, connection.handle)).toHaveLength(1);
    });

    it("publishes the same container a little later if it is not visible yet", async () => {
      const { connection, context, post, publishKey } = await ready("soon");
      await fault(connection, names.publish, { ...names.notVisible, count: 2 });
      let currentKey = publishKey;
      let outcome = await network.publish(post, currentKey, context);
      for (let i = 0; i < 2; i++) {
        expect(outcome).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
        const again = await prepare(network, post, connection, currentKey);
        if (again.is !== "prepared") throw new Error(JSON.stringify(again));
        currentKey = again.publishKey;
        outcome = await network.publish(post, currentKey, context);
      }
      expect(outcome).toMatchObject({ is: "live" });
      expect(listCreations(connection)).toHaveLength(1);
      expect(await ledger(simulators, connection.handle)).toHaveLength(1);
    });

    it("waits as long as the network asks for if its container is not visible yet, without any call meanwhile", async () => {
      const { connection, context, post, publishKey } = await ready("soon, and a wait");
      await fault(connection, names.publish, { ...names.notVisible, headers: { "retry-after": "600" } });
      await fault(connection, names.container, { do: "status", status: 500, body: "" });
      const before = context.io.now();
      const outcome = await network.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
      expect((outcome.is === "retryable" ? (outcome.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(600_000);
      // The scripted answer to the next check has not been used up.
      expect(await network.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown" });
    });

    it("gets a new container if the old one never becomes visible, but only if the old one is not published", async () => {
      const { connection, context, post, publishKey } = await ready("never visible");
      await fault(connection, names.publish, { ...names.notVisible, count: 50 });
      let currentKey = publishKey;
      for (let i = 0; i < 8 && listCreations(connection).length === 1; i++) {
        expect(await network.publish(post, currentKey, context)).toMatchObject({
          is: "retryable",
          error: "network_unavailable",
        });
        const again = await prepare(network, post, connection, currentKey);
        if (again.is !== "prepared") throw new Error(JSON.stringify(again));
        currentKey = again.publishKey;
      }
      expect(listCreations(connection)).toHaveLength(2);
      await fault(connection, names.publish, { ...names.notVisible });
      // The opposite case: the container was published although the network said that it cannot be found.
      const misreported = await ready("told wrongly");
      await fault(misreported.connection, names.publish, { ...names.notVisible, do: "status_after_accept" });
      expect(await network.publish(misreported.post, misreported.publishKey, misreported.context)).toMatchObject({
        is: "live",
        urlState: "none",
      });
    });
  });

  describe("reconciling a published container without its post's id", () => {
    const publishLost = async (connection: ConnectedAccount, text: string) => {
      const publication = await post(text);
      const publishKey = await prepareKey(network, publication, connection);
      await fault(connection, names.publish, { do: "reset_after_accept" });
      expect(await network.publish(publication, publishKey, connection.context)).toMatchObject({ is: "unknown" });
      return publishKey;
    };

    it("does not find an older post with the same text", async () => {
      const connection = await account();
      const before = await publishLost(connection, "same");
      const old = await network.reconcile?.(before, connection.context);
      const publishKey = await publishLost(connection, "same");
      const [first, second] = await ledger(simulators, connection.handle);
      expect(old).toMatchObject({ id: first?.id });
      expect(await network.reconcile?.(publishKey, connection.context)).toMatchObject({ is: "live", id: second?.id });
    });

    it("does not find another text, no text, or one of two posts with the same text", async () => {
      const connection = await account();
      const publishKey = await publishLost(connection, "ours");
      const [entry] = await ledger(simulators, connection.handle);
      await fetch(`${simulators.url}/_sim/posts/${platform}/${entry?.id}`, { method: "DELETE" });
      const otherKey = await publishLost(connection, "another");
      const answer = await network.reconcile?.(publishKey, connection.context);
      expect(answer).toMatchObject({
        is: "live",
        id: expect.stringMatching(/^container:\d+$/),
        url: null,
        urlState: "pending",
      });
      const id = answer?.is === "live" ? answer.id : "";
      expect(await network.recheck({ id, publishKey }, connection.context)).toMatchObject({ is: "unknown" });
      expect(await network.readMetrics?.({ id, publishKey }, connection.context)).toMatchObject({
        is: "unknown",
      });
      expect(await network.reconcile?.(otherKey, connection.context)).toMatchObject({ urlState: "none" });

      const silent = await publishLost(connection, "");
      expect(await network.reconcile?.(silent, connection.context)).toMatchObject({
        is: "live",
        urlState: "not_reported",
      });
    });

    it("finds the post when the list shows it later", async () => {
      const connection = await account();
      const publishKey = await publishLost(connection, "late");
      await fault(connection, names.list, { do: "status", status: 200, body: { data: [] } });
      const answer = await network.reconcile?.(publishKey, connection.context);
      expect(answer).toMatchObject({ is: "live", urlState: "pending" });
      const id = answer?.is === "live" ? answer.id : "";
      const [entry] = await ledger(simulators, connection.handle);
      expect(await network.recheck({ id, publishKey }, connection.context)).toEqual({
        is: "there",
        url: entry?.url,
      });
    });
  });

  describe("reconciling a container", () => {
    it.each([
      [state("ERROR"), { is: "void" }],
      [state("EXPIRED"), { is: "void" }],
      [state("IN_PROGRESS"), { is: "unknown" }],
      [state("NEVER_SEEN_BEFORE"), { is: "unknown" }],
      [graphError(100, 33), { is: "unknown" }],
      [graphError(4), { is: "unknown" }],
      [graphError(190, 463, {}, 401), { is: "unauthorized" }],
      [{ do: "reset_before" }, { is: "unknown" }],
      [{ do: "status", status: 500, body: "" }, { is: "unknown" }],
      [{ do: "status", status: 200, body: "<h1>Welcome</h1>" }, { is: "unknown" }],
    ])("that answers %j ends as %j", async (answer, reconciliation) => {
      const { connection, context, publishKey } = await ready("fate");
      await fault(connection, names.container, answer);
      expect(await network.reconcile?.(publishKey, context)).toMatchObject(reconciliation);
    });
  });

  it("recheck reports an existing post, a removed post, and an unknown state", async () => {
    const { connection, context, post, publishKey } = await ready("looked at");
    const outcome = await network.publish(post, publishKey, context);
    if (outcome.is !== "live") throw new Error(outcome.is);
    const { id, url } = outcome;
    expect(await network.recheck({ id, publishKey }, context)).toEqual({ is: "there", url });
    for (const answer of [
      graphError(4),
      graphError(190),
      { do: "status", status: 500, body: "" },
      { do: "reset_before" },
    ]) {
      await fault(connection, names.post, answer);
      expect(await network.recheck({ id, publishKey }, context)).toMatchObject({ is: "unknown" });
    }
    await fetch(`${simulators.url}/_sim/posts/${platform}/${id}`, { method: "DELETE" });
    expect(await network.recheck({ id, publishKey: null }, context), "no other post can be asked").toMatchObject({
      is: "unknown",
    });
    const older = { ...post, text: "another one" };
    await network.publish(older, await prepareKey(network, older, connection), context);
    const goneFinding = { is: "gone", confirmAfterMs: 86_400_000 };
    expect(await network.recheck({ id, publishKey: null }, context)).toEqual(goneFinding);
    await fault(connection, names.post, { ...graphError(100, 33), count: 2 });
    expect(await network.recheck({ id, publishKey: null }, context), "the other one is missing too").toMatchObject({
      is: "unknown",
    });
  });
});
