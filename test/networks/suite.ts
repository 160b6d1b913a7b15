// What every network must do, against its simulator, whatever its class.
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

/** Posts whose text a network does not show: nothing is said of them. */
const UNSEEN = ["x article", "facebook story", "examplenet feed"];

/** The suite over `networks`, whose simulators `start` starts. */
export function everyNetwork(networks: readonly Network[], start: () => Promise<Simulators>): void {
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
    it("goes out once, exactly as written", async () => {
      const at = await startSession(simulators, network);
      const post = await buildPost(at, type, kind, count);
      const publishKey = await prepareKey(at, post);
      const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
      const [entry, ...others] = await readAccepted(at);
      expect(others).toEqual([]);
      expect(entry).toMatchObject({ platform: network.rule.platform, text: post.text });
      expect(entry?.id).toBe(live.id);
      const sums = (kind === "image" ? PICTURE : VIDEO).bytes;
      const sha256 = createHash("sha256").update(sums).digest("hex");
      const alt = takesAlt(network.rule, type, kind) ? "what it shows" : null;
      expect(entry?.media.map((file) => ({ sha256: file.sha256, alt: file.alt }))).toEqual(
        Array.from({ length: count }, () => ({ sha256, alt })),
      );
      if (live.urlState === "none") expect(live.url).toMatch(/^https:\/\//);
      const seen = await network.verify(
        { id: live.id, publishKey: live.publishKey ?? publishKey },
        at.context,
        toAccepted(post),
      );
      // What a network does not show is not compared.
      if (seen.is === "there" && seen.altered !== undefined) expect(seen).toMatchObject({ altered: [] });
      else expect(UNSEEN).toContain(`${network.rule.platform} ${type}`);
    });
  });

  describe.each(networks.map((network) => ({ platform: network.rule.platform, network })))(
    "$platform",
    ({ network }) => {
      const { rule } = network;
      const type = rule.post_types[0] ?? "feed";
      const kind: MediaKind = rule.image === null ? "video" : "image";
      const simplest = (at: Session) => buildPost(at, type, kind, rule.min_media);

      it("finds out, or says that it cannot, what became of a post whose answer was lost", async () => {
        const at = await startSession(simulators, network);
        const post = await simplest(at);
        const publishKey = await prepareKey(at, post);
        await fault(simulators, { platform: rule.platform, call: getPublishCall(at, post), do: "reset_after_accept" });
        const outcome = await network.publish(post, publishKey, at.context);
        expect(outcome.is).toBe("unknown");
        const [entry, ...others] = await readAccepted(at);
        expect(others).toEqual([]);
        if (network.reconcile === undefined) {
          expect(rule.delivery_guarantee).toBe("at_most_once");
          expect(network.republishAfterMs).toBeNull();
          return;
        }
        const reconciliation = await network.reconcile(publishKey, at.context);
        if (rule.delivery_guarantee === "at_most_once" && reconciliation.is === "unknown") return;
        const live =
          reconciliation.is === "processing" ? await waitUntilLive(at, reconciliation, publishKey) : reconciliation;
        expect(live).toMatchObject({ is: "live", id: entry?.id });
      });

      it("never doubles a post that did not arrive at first", async () => {
        const at = await startSession(simulators, network);
        const post = await simplest(at);
        const publishKey = await prepareKey(at, post);
        await fault(simulators, { platform: rule.platform, call: getPublishCall(at, post), do: "reset_before" });
        expect((await network.publish(post, publishKey, at.context)).is).toBe("unknown");
        expect(await readAccepted(at)).toEqual([]);
        const reconciliation = await network.reconcile?.(publishKey, at.context);
        if (rule.delivery_guarantee === "exactly_once") {
          expect(reconciliation?.is).toBe("not_published");
          expect(network.republishAfterMs).not.toBeNull();
          await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
          expect(await readAccepted(at)).toHaveLength(1);
        } else {
          // Only what is known to be absent is ever sent again.
          expect(["unknown", undefined]).toContain(reconciliation?.is);
        }
      });

      it("is gone once its user removed it, and not because a question failed", async () => {
        const at = await startSession(simulators, network);
        const publishOne = async (post: Publication<Json>) => {
          const publishKey = await prepareKey(at, post);
          return {
            id: (await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey)).id,
            publishKey,
          };
        };
        // Some networks' word that a post is missing counts only while another one can be read.
        await publishOne({ ...(await simplest(at)), text: "an older post" });
        const published = await publishOne(await simplest(at));
        expect((await network.verify(published, at.context)).is).toBe("there");
        expect((await network.verify(published, disconnect(at))).is).toBe("unknown");
        await fetch(`${simulators.url}/_sim/posts/${rule.platform}/${encodeURIComponent(published.id)}`, {
          method: "DELETE",
        });
        expect((await network.verify(published, at.context)).is).toBe("gone");
      });

      it("takes a post down where it says so, and knows after a lost answer whether it is gone", async () => {
        expect(network.takeDown !== undefined).toBe(rule.takedown);
        if (network.takeDown === undefined) return;
        const at = await startSession(simulators, network);
        const publishedOf = async (text: string) => {
          const post = { ...(await simplest(at)), text };
          const publishKey = await prepareKey(at, post);
          return {
            id: (await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey)).id,
            publishKey,
          };
        };
        const isDeleted = async (id: string) => (await readAccepted(at)).find((entry) => entry.id === id)?.deleted;
        const call = TAKEDOWN_CALLS[rule.platform] ?? expect.fail("no call");

        await publishedOf("an older post");
        const first = await publishedOf("the first");
        expect((await network.takeDown(first, disconnect(at))).is).toBe("unknown");
        expect(await isDeleted(first.id)).toBe(false);
        expect(await network.takeDown(first, at.context)).toEqual({ is: "taken_down" });
        expect(await isDeleted(first.id)).toBe(true);
        expect(["taken_down", "missing"]).toContain((await network.takeDown(first, at.context)).is);

        const second = await publishedOf("the second");
        await fault(simulators, { platform: rule.platform, call, do: "reset_before" });
        expect((await network.takeDown(second, at.context)).is).toBe("unknown");
        expect((await network.verify(second, at.context)).is).toBe("there");
        await fault(simulators, { platform: rule.platform, call, do: "reset_after_accept" });
        expect((await network.takeDown(second, at.context)).is).toBe("unknown");
        expect(await isDeleted(second.id)).toBe(true);
        expect((await network.verify(second, at.context)).is).toBe("gone");

        const third = await publishedOf("the third");
        await fault(simulators, { platform: rule.platform, call, do: "status", status: 200, body: "<p>Please wait" });
        expect((await network.takeDown(third, at.context)).is).toBe("unknown");
        expect(await isDeleted(third.id)).toBe(false);
      });

      it("measures what it says that it measures", async () => {
        if (network.readMetrics === undefined) return;
        const at = await startSession(simulators, network);
        const post = await simplest(at);
        const publishKey = await prepareKey(at, post);
        const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
        const measured = await network.readMetrics({ id: live.id, publishKey }, at.context);
        expect(measured.is).toBe("read");
      });

      it("names the wait that the network asked for, whatever it was asked", async () => {
        const at = await startSession(simulators, network);
        const post = await simplest(at);
        const publishKey = await prepareKey(at, post);
        const waits = rateLimit(at, 900);
        const asked = { notBefore: waits.io.now() + 900_000 };
        const sent = await network.publish(post, publishKey, waits);
        expect(sent).toMatchObject(asked);
        expect(["retryable", "unknown"]).toContain(sent.is);
        const prepared = await network.prepare(post, waits, null, async () => {});
        if (prepared.is !== "prepared") expect(prepared).toMatchObject({ is: "retryable", ...asked });
        const reconciliation = await network.reconcile?.(publishKey, waits);
        // Where nobody can be asked, nothing was.
        if (reconciliation?.is !== "unknown" || reconciliation.final !== true)
          expect(reconciliation ?? asked).toMatchObject(asked);
        const live = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
        const published = { id: live.id, publishKey };
        expect(await network.verify(published, waits)).toMatchObject({ is: "unknown", ...asked });
        const metrics = await network.readMetrics?.(published, waits);
        if (metrics !== undefined) expect(metrics).toMatchObject({ is: "unknown", ...asked });
        const renewed = await network.refresh?.(waits);
        // A credential that nothing can renew is over without a call.
        if (renewed?.is !== "rejected") expect(renewed ?? asked).toMatchObject(asked);
      });

      it("leaves a credential alone when its renewal has no answer", async () => {
        if (network.refresh === undefined) return;
        const at = await startSession(simulators, network);
        const answer = await network.refresh(disconnect(at));
        expect(answer.is === "retryable" || (answer.is === "rejected" && answer.error === "token_expired")).toBe(true);
      });
    },
  );
}
