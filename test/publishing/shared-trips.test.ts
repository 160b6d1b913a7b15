import { createExecutionContext, createMessageBatch } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { SharedTrips } from "../../src/publishing/shared-trips.ts";
import { holdOf } from "../../src/store/claims.ts";
import { openDatabase } from "../../src/store/db.ts";
import type { Ending } from "../../src/store/endings.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { testEnv } from "../support/env.ts";
import { age, type ChannelBody, connect, finished, ledger, post, signUp } from "../support/world.ts";

const DAY_MS = 86_400_000;

/** Channels of one workspace, each with a post of its own that is due. */
async function dueChannels(platforms: string[]) {
  const { key, workspace } = await signUp();
  const due: { channel: ChannelBody; post: string; text: string }[] = [];
  for (const [i, platform] of platforms.entries()) {
    const channel = await connect(key, platform);
    const text = `post ${i} for ${channel.handle}`;
    const publish_at = new Date(Date.now() + DAY_MS).toISOString();
    const { id } = await post(key, { text, channels: [channel.id], publish_at });
    await age(id, DAY_MS + 1000);
    due.push({ channel, post: id, text });
  }
  return { key, workspace, due };
}

const { pause } = compose(testEnv, () => {});
const wantOf = (workspaceId: string, channelId: string) => ({ workspaceId, channelId, holder: `hand of ${channelId}` });

describe("the hands of one queue batch", () => {
  it("share their trips to the database, and each publishes its own", async () => {
    const platforms = ["telegram", "bluesky", "x", "facebook"];
    const { key, workspace, due } = await dueChannels([...platforms, ...platforms, ...platforms]);
    const { db, use } = countedDatabase(testEnv.DB);
    const batch = createMessageBatch(
      "crier",
      due.map(({ channel }) => ({
        id: channel.id,
        timestamp: new Date(),
        attempts: 1,
        body: { kind: "channel", workspace, channel: channel.id },
      })),
    );
    await worker.queue(batch, { ...testEnv, DB: db }, createExecutionContext());
    for (const { channel, post, text } of due) {
      const done = await finished(key, post);
      expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
      expect((await ledger(channel.handle)).map((entry) => entry.text)).toEqual([text]);
    }
    // Alone, each would make three: its claim, its write-ahead, its ending.
    expect(use.trips).toBeLessThan(2 * due.length);
  });
});

describe("a trip", () => {
  /** Claims of all channels in one trip, and how each of them would end. */
  async function claimAll(trips: SharedTrips, workspace: string, due: { channel: ChannelBody }[]): Promise<Ending[]> {
    const turned = await Promise.all(due.map(({ channel }) => trips.turn(null, wantOf(workspace, channel.id))));
    return turned.map(({ claim }, i) => {
      if (claim.is !== "claimed") throw new Error("not claimed");
      const { postId, channelId } = claim.claim.delivery;
      expect(channelId).toBe(due[i]?.channel.id);
      expect(claim.claim.channel.id).toBe(channelId);
      expect(claim.claim.post.id).toBe(postId);
      const { holder } = wantOf(workspace, channelId);
      return {
        hold: holdOf(claim.claim, holder),
        transition: {
          state: "failed",
          nextAt: null,
          ambiguous: false,
          retries: 0,
          error: "content_refused",
          detail: `told of ${postId}`,
          event: "delivery.failed",
        },
        event: { id: `evt_${postId}`, event: "delivery.failed", body: "{}", createdAt: Date.now() },
        afterwards: { platform: "telegram", checkAt: null, hasComment: false },
      };
    });
  }
  const rowsOf = async (workspace: string) => {
    const { results } = await testEnv.DB.prepare(
      "SELECT post_id, state, detail FROM deliveries WHERE workspace_id = ? ORDER BY post_id",
    )
      .bind(workspace)
      .all();
    return results;
  };

  it("with a part that the database refuses is made again part by part, and only that part fails", async () => {
    const { workspace, due } = await dueChannels(["telegram", "telegram", "telegram"]);
    const trips = new SharedTrips(openDatabase(testEnv.DB), pause);
    const endings = await claimAll(trips, workspace, due);
    // What is no number is stored as nothing, which the column refuses.
    const broken = endings[1];
    if (broken === undefined) throw new Error("there are three");
    broken.transition.retries = Number.NaN;
    const results = await Promise.allSettled(endings.map((ending) => trips.turn(ending, null)));
    expect(results).toMatchObject([
      { status: "fulfilled", value: { ended: { written: true } } },
      { status: "rejected" },
      { status: "fulfilled", value: { ended: { written: true } } },
    ]);
    expect(await rowsOf(workspace)).toEqual(
      due.map(({ post }, i) => ({
        post_id: post,
        state: i === 1 ? "pending" : "failed",
        detail: i === 1 ? null : `told of ${post}`,
      })),
    );
    const { results: events } = await testEnv.DB.prepare(
      "SELECT seq, post_id FROM events WHERE workspace_id = ? ORDER BY seq",
    )
      .bind(workspace)
      .all();
    expect(events).toEqual([
      { seq: 1, post_id: due[0]?.post },
      { seq: 2, post_id: due[2]?.post },
    ]);
  });

  it("whose answer is lost is not made again, and everybody hears of it", async () => {
    const { workspace, due } = await dueChannels(["telegram", "telegram"]);
    let batches = 0;
    const losing = new Proxy(testEnv.DB, {
      get(target, name) {
        if (name !== "batch") return target.prepare.bind(target);
        return async (statements: D1PreparedStatement[]) => {
          batches++;
          await target.batch(statements);
          throw new Error("D1_ERROR: Network connection lost.");
        };
      },
    });
    const endings = await claimAll(new SharedTrips(openDatabase(testEnv.DB), pause), workspace, due);
    const trips = new SharedTrips(openDatabase(losing), pause);
    const results = await Promise.allSettled(endings.map((ending) => trips.turn(ending, null)));
    expect(results).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    expect(batches).toBe(1);
    expect(await rowsOf(workspace)).toMatchObject([{ state: "failed" }, { state: "failed" }]);
  });

  it("tells a hand that has been overtaken that its part was not written, and writes the others", async () => {
    const { workspace, due } = await dueChannels(["telegram", "telegram"]);
    const trips = new SharedTrips(openDatabase(testEnv.DB), pause);
    const [stale, fresh] = await claimAll(trips, workspace, due);
    if (stale === undefined || fresh === undefined) throw new Error("there are two");
    const gone = { ...stale, hold: { ...stale.hold, ver: stale.hold.ver - 1 } };
    const sends = [gone, fresh].map(({ hold }) => ({ hold, token: "t", payloadHash: "h", sendTimeoutMs: 1000 }));
    const [first, second] = await Promise.all(sends.map((send) => trips.writeAhead(send)));
    expect(first).toBeNull();
    expect(second).toBeTypeOf("number");
    expect(await rowsOf(workspace)).toMatchObject([{ state: "pending" }, { state: "sending" }]);
    // A token that nobody sealed is no business of other tests.
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace).run();
  });
});
