// The behavior that every network must have, tested with its simulator.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Simulators } from "../../simulators/server.ts";
import type { Json } from "../../src/domain/json.ts";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { mediaCounts } from "../../src/domain/posts/post-target.ts";
import type { Network, Publication } from "../../src/networks/network.ts";
import { TAKEDOWN_CALLS } from "../support/takedown-calls.ts";
import {
  buildPost,
  disconnect,
  getPublishCall,
  PICTURE,
  prepareKey,
  rateLimit,
  readAccepted,
  type Session,
  startSession,
  takesAlt,
  toAccepted,
  VIDEO,
  waitUntilLive,
} from "./harness.ts";
import { fault } from "./network-io.ts";

/** Posts whose text the network does not show, so that they are not compared. */
const UNSEEN = ["x article", "facebook story", "examplenet feed"];

/** Runs the suite for `networks`. `start` starts their simulators. */
export function testEveryNetwork(networks: readonly Network[], start: () => Promise<Simulators>): void {
  let simulators: Simulators;
  beforeAll(async () => {
    simulators = await start();
  });
  afterAll(() => simulators.close());

  const shapes = networks.flatMap((network) =>
    network.rule.post_types.flatMap((type) => {
      const { images, videos, min } = mediaCounts({ rule: network.rule, postType: type });
      const counts: [MediaKind, number][] = [
        ...(min === 0 ? [["image", 0] as [MediaKind, number]] : []),
        ...(images > 0 && min <= 1 ? [["image", 1] as [MediaKind, number]] : []),
        ...(images > 1 ? [["image", Math.max(2, min)] as [MediaKind, number]] : []),
        ...(videos > 0 && min <= 1 ? [["video", 1] as [MediaKind, number]] : []),
        ...(videos > 1 && min > 1 ? [["video", min] as [MediaKind, number]] : []),
      ];
      return counts.map(([kind, count]) => ({ platform: network.rule.platform, type, kind, count, network }));
    }),
  );

  describe.each(shapes)("$platform $type with $count $kind", ({ network, type, kind, count }) => {
    it("is published once, exactly as written", async () => {
      const session = await startSession(simulators, network);
      const post = await buildPost(session, type, kind, count);
      const publishKey = await prepareKey(session, post);
      const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
      const [entry, ...otherEntries] = await readAccepted(session);
      expect(otherEntries).toEqual([]);
      expect(entry).toMatchObject({ platform: network.rule.platform, text: post.text });
      expect(entry?.id).toBe(live.id);
      const sums = (kind === "image" ? PICTURE : VIDEO).bytes;
      const sha256 = createHash("sha256").update(sums).digest("hex");
      const alt = takesAlt(network.rule, type, kind) ? "what it shows" : null;
      expect(entry?.media.map((file) => ({ sha256: file.sha256, alt: file.alt }))).toEqual(
        Array.from({ length: count }, () => ({ sha256, alt })),
      );
      if (live.urlState === "none") expect(live.url).toMatch(/^https:\/\//);
      const finding = await network.recheck(
        { id: live.id, publishKey: live.publishKey ?? publishKey },
        session.context,
        toAccepted(post),
      );
      // A text that the network does not show is not compared.
      if (finding.is === "there" && finding.altered !== undefined) expect(finding).toMatchObject({ altered: [] });
      else expect(UNSEEN).toContain(`${network.rule.platform} ${type}`);
    });
  });

  describe.each(networks.map((network) => ({ platform: network.rule.platform, network })))(
    "$platform",
    ({ network }) => {
      const { rule } = network;
      const type = rule.post_types[0] ?? "feed";
      const kind: MediaKind = rule.image === null ? "video" : "image";
      const buildSimplest = (session: Session) => buildPost(session, type, kind, rule.min_media);

      it("reconciles a post whose answer was lost, or reports that it cannot", async () => {
        const session = await startSession(simulators, network);
        const post = await buildSimplest(session);
        const publishKey = await prepareKey(session, post);
        await fault(simulators, {
          platform: rule.platform,
          call: getPublishCall(session, post),
          do: "reset_after_accept",
        });
        const outcome = await network.publish(post, publishKey, session.context);
        expect(outcome.is).toBe("unknown");
        const [entry, ...otherEntries] = await readAccepted(session);
        expect(otherEntries).toEqual([]);
        if (network.reconcile === undefined) {
          expect(rule.delivery_guarantee).toBe("at_most_once");
          expect(network.republishAfterMs).toBeNull();
          return;
        }
        const reconciliation = await network.reconcile(publishKey, session.context);
        if (rule.delivery_guarantee === "at_most_once" && reconciliation.is === "unknown") return;
        const live =
          reconciliation.is === "processing"
            ? await waitUntilLive(session, reconciliation, publishKey)
            : reconciliation;
        expect(live).toMatchObject({ is: "live", id: entry?.id });
      });

      it("never publishes a post twice that did not arrive at first", async () => {
        const session = await startSession(simulators, network);
        const post = await buildSimplest(session);
        const publishKey = await prepareKey(session, post);
        await fault(simulators, { platform: rule.platform, call: getPublishCall(session, post), do: "reset_before" });
        expect((await network.publish(post, publishKey, session.context)).is).toBe("unknown");
        expect(await readAccepted(session)).toEqual([]);
        const reconciliation = await network.reconcile?.(publishKey, session.context);
        if (rule.delivery_guarantee === "exactly_once") {
          expect(reconciliation?.is).toBe("not_published");
          expect(network.republishAfterMs).not.toBeNull();
          await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
          expect(await readAccepted(session)).toHaveLength(1);
        } else {
          // Only a post that is known to be absent may be sent again.
          expect(["unknown", undefined]).toContain(reconciliation?.is);
        }
      });

      it("reports a post as gone after its removal, but not after a failed request", async () => {
        const session = await startSession(simulators, network);
        const publishOne = async (post: Publication<Json>) => {
          const publishKey = await prepareKey(session, post);
          return {
            id: (await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey)).id,
            publishKey,
          };
        };
        // Some networks' report of a missing post counts only while another post can be read.
        await publishOne({ ...(await buildSimplest(session)), text: "an older post" });
        const published = await publishOne(await buildSimplest(session));
        expect((await network.recheck(published, session.context)).is).toBe("there");
        expect((await network.recheck(published, disconnect(session))).is).toBe("unknown");
        await fetch(`${simulators.url}/_sim/posts/${rule.platform}/${encodeURIComponent(published.id)}`, {
          method: "DELETE",
        });
        expect((await network.recheck(published, session.context)).is).toBe("gone");
      });

      it("takes a post down if the rule says so, and rechecks the post after a lost answer", async () => {
        const ofTiers = Object.values(rule.tiers ?? {}).some(({ takedown }) => takedown === true);
        expect(network.takeDown !== undefined).toBe(rule.takedown || ofTiers);
        if (network.takeDown === undefined || !rule.takedown) return;
        const session = await startSession(simulators, network);
        const publishText = async (text: string) => {
          const post = { ...(await buildSimplest(session)), text };
          const publishKey = await prepareKey(session, post);
          return {
            id: (await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey)).id,
            publishKey,
          };
        };
        const isDeleted = async (id: string) => (await readAccepted(session)).find((entry) => entry.id === id)?.deleted;
        const call = TAKEDOWN_CALLS[rule.platform] ?? expect.fail("no call");

        await publishText("an older post");
        const first = await publishText("the first");
        expect((await network.takeDown(first, disconnect(session))).is).toBe("unknown");
        expect(await isDeleted(first.id)).toBe(false);
        expect(await network.takeDown(first, session.context)).toEqual({ is: "taken_down" });
        expect(await isDeleted(first.id)).toBe(true);
        expect(["taken_down", "missing"]).toContain((await network.takeDown(first, session.context)).is);

        const second = await publishText("the second");
        await fault(simulators, { platform: rule.platform, call, do: "reset_before" });
        expect((await network.takeDown(second, session.context)).is).toBe("unknown");
        expect((await network.recheck(second, session.context)).is).toBe("there");
        await fault(simulators, { platform: rule.platform, call, do: "reset_after_accept" });
        expect((await network.takeDown(second, session.context)).is).toBe("unknown");
        expect(await isDeleted(second.id)).toBe(true);
        expect((await network.recheck(second, session.context)).is).toBe("gone");

        const third = await publishText("the third");
        await fault(simulators, { platform: rule.platform, call, do: "status", status: 200, body: "<p>Please wait" });
        expect((await network.takeDown(third, session.context)).is).toBe("unknown");
        expect(await isDeleted(third.id)).toBe(false);
      });

      it("reads metrics if the rule says so", async () => {
        if (network.readMetrics === undefined) return;
        const session = await startSession(simulators, network);
        const post = await buildSimplest(session);
        const publishKey = await prepareKey(session, post);
        const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
        const measured = await network.readMetrics({ id: live.id, publishKey }, session.context);
        expect(measured.is).toBe("read");
      });

      it("names the wait that the network asked for, in every step", async () => {
        const session = await startSession(simulators, network);
        const post = await buildSimplest(session);
        const publishKey = await prepareKey(session, post);
        const waits = rateLimit(session, 900);
        const expectedWait = { notBefore: waits.io.now() + 900_000 };
        const outcome = await network.publish(post, publishKey, waits);
        expect(outcome).toMatchObject(expectedWait);
        expect(["retryable", "unknown"]).toContain(outcome.is);
        const prepared = await network.prepare(post, waits, null, async () => {});
        if (prepared.is !== "prepared") expect(prepared).toMatchObject({ is: "retryable", ...expectedWait });
        const reconciliation = await network.reconcile?.(publishKey, waits);
        // If the network cannot be asked, no call was made.
        if (reconciliation?.is !== "unknown" || reconciliation.final !== true)
          expect(reconciliation ?? expectedWait).toMatchObject(expectedWait);
        const live = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
        const published = { id: live.id, publishKey };
        expect(await network.recheck(published, waits)).toMatchObject({ is: "unknown", ...expectedWait });
        const metrics = await network.readMetrics?.(published, waits);
        if (metrics !== undefined) expect(metrics).toMatchObject({ is: "unknown", ...expectedWait });
        const renewed = await network.refresh?.(waits);
        // A credential that cannot be renewed ends without a call.
        if (renewed?.is !== "rejected") expect(renewed ?? expectedWait).toMatchObject(expectedWait);
      });

      it("keeps a credential if its renewal gets no answer", async () => {
        if (network.refresh === undefined) return;
        const session = await startSession(simulators, network);
        const answer = await network.refresh(disconnect(session));
        expect(answer.is === "retryable" || (answer.is === "rejected" && answer.error === "token_expired")).toBe(true);
      });
    },
  );
}
