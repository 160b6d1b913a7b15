// Broken rows of follow-ups, which no release has written: such a delivery is logged and held, and the other deliveries of its
// channel are followed up. The schema refuses most of these rows, so its checks are switched off here.
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { VerifyTask } from "../../../src/domain/job.ts";
import { HOUR_MS } from "../../../src/domain/limits.ts";
import { verifyDeliveries } from "../../../src/follow-up/verify-delivery.ts";
import { db, NOW, type Work } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";
import { CREDENTIAL, readPostTwo, xWith } from "./on-x.ts";

const COMMENT: Work = { kind: "first_comment", state: "done" };
const RECHECK = ["GET /2/tweets 77", "GET /2/tweets 77 metrics"];

/** Follows up two posts of a channel; a statement has broken a row of the first. */
async function followUpPoisoned(statement: string) {
  const x = xWith({ 77: "once" });
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
  const task: VerifyTask = { kind: "verify", channel: "ch_1", posts: ["post_1", "post_2"] };
  await verifyDeliveries(followed.tools, followed.lane, task);
  const held = await db.get<{ check_at: number | null }>(
    sql`SELECT check_at FROM deliveries WHERE workspace_id = ${workspaceId} AND post_id = 'post_1' AND channel_id = 'ch_1'`,
  );
  return { ...followed, ...x, heldUntil: held.check_at, next: await readPostTwo(workspaceId) };
}

describe("a due follow-up", () => {
  it.each([
    ["has work in an unknown state", "UPDATE follow_ups SET state = 'dreaming'"],
    ["has work of an unknown kind", "UPDATE follow_ups SET kind = 'dance'"],
    ["has a text as its number of tries", "UPDATE follow_ups SET tries = 'many'"],
    ["is of a delivery in an unknown state", "UPDATE deliveries SET state = 'dreaming'"],
    ["is of a delivery whose parts are no JSON", "UPDATE deliveries SET parts = '[broken'"],
    ["is of a delivery whose comparison is no JSON", "UPDATE deliveries SET readback = '{broken'"],
    ["is of a post whose options are no JSON", "UPDATE posts SET overrides = '{broken'"],
  ])("that %s is logged and held for an hour, and the next one of its channel is made", async (_why, statement) => {
    const { key, logs, calls, heldUntil, next } = await followUpPoisoned(statement);
    expect(calls).toEqual(RECHECK);
    expect(next?.checkAt).toBeGreaterThan(NOW);
    expect(heldUntil).toBe(NOW + HOUR_MS);
    const fields = { workspace: key.workspaceId, post: "post_1", channel: "ch_1" };
    expect(logs).toMatchObject([{ level: "error", event: "follow_up_unreadable", ...fields }]);
  });
});
