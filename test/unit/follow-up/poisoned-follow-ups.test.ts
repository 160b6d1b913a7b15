// A delivery with an unreadable follow-up is logged and held, and the other deliveries of its channel continue. No release has written
// such rows. The schema rejects most of them, so the test turns its checks off.
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { AfterPublishTask } from "../../../src/domain/job.ts";
import { HOUR_MS } from "../../../src/domain/limits.ts";
import { workAfterPublish } from "../../../src/follow-up/after-publish.ts";
import { db, NOW, type Work } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";
import { CREDENTIAL, makeX, readPostTwo } from "./on-x.ts";

const COMMENT: Work = { kind: "first_comment", state: "done" };
const RECHECK = ["GET /2/tweets 77", "GET /2/tweets 77 metrics"];

/** Breaks a row of the first post with `statement`, and runs the follow-ups of both posts of a channel. */
async function followUpPoisoned(statement: string) {
  const x = makeX({ 77: "once" });
  const columns = { platform: "x", readback: { state: "unverifiable" as const, altered: [] } };
  const followed = await followedDelivery({
    platform: "x",
    credential: CREDENTIAL,
    fetch: x.fetch,
    columns,
    work: [COMMENT],
  });
  const { workspaceId } = followed.key;
  await db.run(sql.raw("PRAGMA ignore_check_constraints = ON"));
  const column = statement.startsWith("UPDATE posts") ? "id" : "post_id";
  await db.run(sql.raw(`${statement} WHERE workspace_id = '${workspaceId}' AND ${column} = 'post_1'`));
  await db.run(sql.raw("PRAGMA ignore_check_constraints = OFF"));
  const task: AfterPublishTask = { kind: "after_publish", channel: "ch_1", posts: ["post_1", "post_2"] };
  await workAfterPublish(followed.tools, followed.lane, task);
  const held = await db.get<{ check_at: number | null }>(
    sql`SELECT check_at FROM deliveries WHERE workspace_id = ${workspaceId} AND post_id = 'post_1' AND channel_id = 'ch_1'`,
  );
  return { ...followed, ...x, heldUntil: held.check_at, next: await readPostTwo(workspaceId) };
}

describe("an unreadable follow-up", () => {
  it.each([
    ["work in an unknown state", "UPDATE follow_ups SET state = 'dreaming'"],
    ["work of an unknown kind", "UPDATE follow_ups SET kind = 'dance'"],
    ["a text as its number of tries", "UPDATE follow_ups SET tries = 'many'"],
    ["a delivery in an unknown state", "UPDATE deliveries SET state = 'dreaming'"],
    ["a delivery whose sends are not JSON", "UPDATE deliveries SET sends = '[broken'"],
    ["a delivery whose sends are no list", "UPDATE deliveries SET sends = '{}'"],
    ["a delivery whose post has no id", "UPDATE deliveries SET network_post = '{}'"],
    ["a delivery whose comparison is not JSON", "UPDATE deliveries SET network_post = '{broken'"],
    ["a post whose options are not JSON", "UPDATE posts SET overrides = '{broken'"],
  ])(
    "a follow-up with %s is logged and held for an hour, and the next one of its channel is done",
    async (_fault, statement) => {
      const { key, logs, calls, heldUntil, next } = await followUpPoisoned(statement);
      expect(calls).toEqual(RECHECK);
      expect(next?.checkAt).toBeGreaterThan(NOW);
      expect(heldUntil).toBe(NOW + HOUR_MS);
      const fields = { workspace: key.workspaceId, post: "post_1", channel: "ch_1" };
      expect(logs).toMatchObject([{ level: "error", event: "follow_up_unreadable", ...fields }]);
    },
  );
});
