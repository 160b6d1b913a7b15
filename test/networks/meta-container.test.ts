// What Instagram and Threads promise alike of a send: one container is published once, whatever is lost on the way.
import { describe, expect, it } from "vitest";
import { type ConnectedAccount, graphError, prepare, prepareKey } from "./containers.ts";
import { CASES, doing } from "./meta-cases.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe.each(CASES)("%s", (_, network, names) => {
  const { platform } = network.rule;
  const { account, fault, post, ready, made, state } = doing(network, names);

  describe("a send", () => {
    it("goes out once, under the address that the network names", async () => {
      const { signed, context, post, publishKey } = await ready("once");
      const outcome = await network.publish(post, publishKey, context);
      const [entry, ...others] = await ledger(simulators, signed.handle);
      expect(others).toEqual([]);
      expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    });

    it("whose address cannot be read is live all the same", async () => {
      const { signed, context, post, publishKey } = await ready("no address");
      await fault(signed, names.post, { do: "status", status: 500, body: "" });
      const outcome = await network.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: "live", url: null, urlState: "pending" });
      const id = outcome.is === "live" ? outcome.id : "";
      const [entry] = await ledger(simulators, signed.handle);
      expect(await network.verify({ id, publishKey }, context)).toEqual({ is: "there", url: entry?.url });
    });

    it("whose address or id is not told, because the network asks to wait, is live and keeps the wait", async () => {
      const { signed, context, post, publishKey } = await ready("live, and a wait");
      const busy = { do: "status", status: 429, headers: { "retry-after": "600" }, body: "" };
      const until = { notBefore: expect.any(Number) };
      await fault(signed, names.post, busy);
      const sent = await network.publish(post, publishKey, context);
      expect(sent).toEqual({ is: "live", id: expect.any(String), url: null, urlState: "pending", ...until });
      await fault(signed, names.list, busy);
      const found = await network.reconcile?.(publishKey, context);
      expect(found).toEqual({ is: "live", id: expect.any(String), url: null, urlState: "pending", ...until });
    });

    it("whose answer is lost is found by its text, and nothing is sent again", async () => {
      const { signed, context, post, publishKey } = await ready("lost & found");
      await fault(signed, names.publish, { do: "reset_after_accept" });
      expect(await network.publish(post, publishKey, context)).toMatchObject({ is: "unknown" });
      const [entry] = await ledger(simulators, signed.handle);
      expect(await network.reconcile?.(publishKey, context)).toEqual({
        is: "live",
        id: entry?.id,
        url: entry?.url,
        urlState: "none",
      });
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("that never arrived is not published, and the same container may go again", async () => {
      const { signed, context, post, publishKey } = await ready("never");
      await fault(signed, names.publish, { do: "reset_before" });
      expect(await network.publish(post, publishKey, context)).toMatchObject({ is: "unknown" });
      expect(await network.reconcile?.(publishKey, context)).toEqual({ is: "not_published" });
      expect(await network.publish(post, publishKey, context)).toMatchObject({ is: "live" });
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("of a container that is out already is live, whatever the network answers to it", async () => {
      const { signed, context, post, publishKey } = await ready("twice");
      const first = await network.publish(post, publishKey, context);
      expect(await network.publish(post, publishKey, context)).toEqual(first);
      await fault(signed, names.publish, graphError(10));
      expect(await network.publish(post, publishKey, context)).toEqual(first);
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("of a container that is not visible yet goes out a little later, as the same one", async () => {
      const { signed, context, post, publishKey } = await ready("soon");
      await fault(signed, names.publish, { ...names.notVisible, count: 2 });
      let at = publishKey;
      let outcome = await network.publish(post, at, context);
      for (let i = 0; i < 2; i++) {
        expect(outcome).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
        const again = await prepare(network, post, signed, at);
        if (again.is !== "prepared") throw new Error(JSON.stringify(again));
        at = again.publishKey;
        outcome = await network.publish(post, at, context);
      }
      expect(outcome).toMatchObject({ is: "live" });
      expect(made(signed)).toHaveLength(1);
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("of a container that is not visible yet waits as long as the network asks for, and asks nothing meanwhile", async () => {
      const { signed, context, post, publishKey } = await ready("soon, and a wait");
      await fault(signed, names.publish, { ...names.notVisible, headers: { "retry-after": "600" } });
      await fault(signed, names.container, { do: "status", status: 500, body: "" });
      const before = context.io.now();
      const outcome = await network.publish(post, publishKey, context);
      expect(outcome).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
      expect((outcome.is === "retryable" ? (outcome.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(600_000);
      // What the next question is answered with has not been used up.
      expect(await network.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown" });
    });

    it("of a container that never becomes visible gets a new one, but only once the old one is not out", async () => {
      const { signed, context, post, publishKey } = await ready("never visible");
      await fault(signed, names.publish, { ...names.notVisible, count: 50 });
      let at = publishKey;
      for (let i = 0; i < 8 && made(signed).length === 1; i++) {
        expect(await network.publish(post, at, context)).toMatchObject({
          is: "retryable",
          error: "network_unavailable",
        });
        const again = await prepare(network, post, signed, at);
        if (again.is !== "prepared") throw new Error(JSON.stringify(again));
        at = again.publishKey;
      }
      expect(made(signed)).toHaveLength(2);
      await fault(signed, names.publish, { ...names.notVisible });
      // The other way: the container is out though the network said that it cannot be found.
      const misreported = await ready("told wrongly");
      await fault(misreported.signed, names.publish, { ...names.notVisible, do: "status_after_accept" });
      expect(await network.publish(misreported.post, misreported.publishKey, misreported.context)).toMatchObject({
        is: "live",
        urlState: "none",
      });
    });
  });

  describe("reconciling a container that is out, without its post's id", () => {
    const lost = async (signed: ConnectedAccount, text: string) => {
      const publication = await post(text);
      const publishKey = await prepareKey(network, publication, signed);
      await fault(signed, names.publish, { do: "reset_after_accept" });
      expect(await network.publish(publication, publishKey, signed.context)).toMatchObject({ is: "unknown" });
      return publishKey;
    };

    it("is not that of a post that was there before, with the same text", async () => {
      const signed = await account();
      const before = await lost(signed, "same");
      const old = await network.reconcile?.(before, signed.context);
      const publishKey = await lost(signed, "same");
      const [first, second] = await ledger(simulators, signed.handle);
      expect(old).toMatchObject({ id: first?.id });
      expect(await network.reconcile?.(publishKey, signed.context)).toMatchObject({ is: "live", id: second?.id });
    });

    it("is never that of the newest post: another text, no text, or two of the same are not ours", async () => {
      const signed = await account();
      const publishKey = await lost(signed, "ours");
      const [entry] = await ledger(simulators, signed.handle);
      await fetch(`${simulators.url}/_sim/posts/${platform}/${entry?.id}`, { method: "DELETE" });
      const other = await lost(signed, "another");
      const answer = await network.reconcile?.(publishKey, signed.context);
      expect(answer).toMatchObject({
        is: "live",
        id: expect.stringMatching(/^container:\d+$/),
        url: null,
        urlState: "pending",
      });
      const id = answer?.is === "live" ? answer.id : "";
      expect(await network.verify({ id, publishKey }, signed.context)).toMatchObject({ is: "unknown" });
      expect(await network.readMetrics?.({ id, publishKey }, signed.context)).toMatchObject({
        is: "unknown",
      });
      expect(await network.reconcile?.(other, signed.context)).toMatchObject({ urlState: "none" });

      const silent = await lost(signed, "");
      expect(await network.reconcile?.(silent, signed.context)).toMatchObject({ is: "live", urlState: "not_reported" });
    });

    it("is found later, when the list shows it later", async () => {
      const signed = await account();
      const publishKey = await lost(signed, "late");
      await fault(signed, names.list, { do: "status", status: 200, body: { data: [] } });
      const answer = await network.reconcile?.(publishKey, signed.context);
      expect(answer).toMatchObject({ is: "live", urlState: "pending" });
      const id = answer?.is === "live" ? answer.id : "";
      const [entry] = await ledger(simulators, signed.handle);
      expect(await network.verify({ id, publishKey }, signed.context)).toEqual({
        is: "there",
        url: entry?.url,
      });
    });
  });

  describe("reconciled, a container", () => {
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
    ])("that answers %j is %j", async (what, reconciliation) => {
      const { signed, context, publishKey } = await ready("fate");
      await fault(signed, names.container, what);
      expect(await network.reconcile?.(publishKey, context)).toMatchObject(reconciliation);
    });
  });

  it("verifying tells what is there, what is gone, and when nobody knows", async () => {
    const { signed, context, post, publishKey } = await ready("looked at");
    const outcome = await network.publish(post, publishKey, context);
    if (outcome.is !== "live") throw new Error(outcome.is);
    const { id, url } = outcome;
    expect(await network.verify({ id, publishKey }, context)).toEqual({ is: "there", url });
    for (const what of [
      graphError(4),
      graphError(190),
      { do: "status", status: 500, body: "" },
      { do: "reset_before" },
    ]) {
      await fault(signed, names.post, what);
      expect(await network.verify({ id, publishKey }, context)).toMatchObject({ is: "unknown" });
    }
    await fetch(`${simulators.url}/_sim/posts/${platform}/${id}`, { method: "DELETE" });
    expect(await network.verify({ id, publishKey: null }, context), "no other post can be asked").toMatchObject({
      is: "unknown",
    });
    const older = { ...post, text: "another one" };
    await network.publish(older, await prepareKey(network, older, signed), context);
    const gone = { is: "gone", confirmAfterMs: 86_400_000 };
    expect(await network.verify({ id, publishKey: null }, context)).toEqual(gone);
    await fault(signed, names.post, { ...graphError(100, 33), count: 2 });
    expect(await network.verify({ id, publishKey: null }, context), "the other one is missing too").toMatchObject({
      is: "unknown",
    });
  });
});
