// A sweep with a very large backlog: each workspace gets its share, in pages of bounded size.
import { beforeAll, describe, expect, it } from "vitest";
import type { FollowUpsJob, Job } from "../../../src/domain/job.ts";
import {
  enqueueFollowUps,
  renewCredentials,
  type WalkCursors,
  wakeLateDispatchers,
  wakeLatePublishers,
} from "../../../src/maintenance/find-work.ts";
import { channelsToRenew, type RenewalCursor } from "../../../src/store/channels/credentials.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import type { Lane } from "../../../src/store/deliveries/due.ts";
import { type FollowUpCursor, followUpsAfter } from "../../../src/store/deliveries/follow-ups.ts";
import { lateLanesAfter, latestLateLanes, overdueWork } from "../../../src/store/deliveries/overdue.ts";
import { lateWebhooksAfter, type WebhookCursor } from "../../../src/store/webhooks/endpoints.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, signUp } from "../../support/world.ts";

const { DB } = testEnv;
const MINUTE = 60_000;
const GRACE = 30_000;
const LATENESS = { graceMs: GRACE, sendTimeoutsMs: { telegram: 90_000 } };
const db = openDatabase(DB);

let account: Account;
beforeAll(async () => {
  account = await signUp();
});

/** Adds a channel in lane 0 or in the given lane. */
async function addChannel(id: string, { lane = 0, renewAt = null as number | null } = {}): Promise<void> {
  await DB.prepare(
    `INSERT INTO channels (workspace_id, id, platform, handle, credential, lane, renew_at, created_at, updated_at)
      VALUES (?, ?, 'telegram', ?, 'x', ?, ?, 0, 0)`,
  )
    .bind(account.workspace, id, id, lane, renewAt)
    .run();
}

interface Delivery {
  state?: string;
  sentAt?: number | null;
  /** The time of the next try; by default the time of the post. */
  nextAt?: number | null;
  checkAt?: number | null;
}
/** Adds `count` posts for one channel that became due `ago` milliseconds ago. */
async function addPosts(prefix: string, channel: string, count: number, ago: number, delivery: Delivery = {}) {
  const dueAt = Date.now() - ago;
  const { state = "pending", sentAt = null, nextAt = dueAt, checkAt = null } = delivery;
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  await DB.batch([
    DB.prepare(
      `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, due_at, timezone, created_at,
        updated_at) ${numbers} SELECT ?2, ?3 || i, 'scheduled', 'x', '[]', '[]', '{}', '{}', ?4, 'UTC', 0, 0 FROM n`,
    ).bind(count, account.workspace, prefix, dueAt),
    DB.prepare(
      `INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, state, scheduled_for, next_at,
        sends, check_at) ${numbers} SELECT ?2, ?3 || i, ?4, 'dlv_' || ?3 || i, 'telegram', ?5, ?6, ?7,
          iif(?8 IS NULL, '[]', json_array(json_object('sent_at', CAST(?8 AS INTEGER)))), ?9 FROM n`,
    ).bind(count, account.workspace, prefix, channel, state, dueAt, nextAt, sentAt, checkAt),
  ]);
}

/** The jobs that `work` enqueues for this test's workspace. */
async function collectJobs<Kind extends Job["kind"]>(
  kind: Kind,
  work: (ctx: { queue: { send(jobs: Job[]): Promise<void> } }) => Promise<unknown>,
): Promise<Extract<Job, { kind: Kind }>[]> {
  const queuedJobs: Job[] = [];
  await work({ queue: { send: async (jobs) => void queuedJobs.push(...jobs) } });
  const isOfKind = (job: Job): job is Extract<Job, { kind: Kind }> => job.kind === kind;
  return queuedJobs.filter(isOfKind).filter((job) => "workspace" in job && job.workspace === account.workspace);
}
const getLateLanes = async (cursors: WalkCursors = {}) =>
  (await collectJobs("publish", (ctx) => wakeLatePublishers(ctx, db, cursors))).map(({ lane }) => lane).sort();

/** All rows of a walk, from its start to its end. */
async function collectPages<Cursor, Row>(
  readPage: (after: Cursor | null) => Promise<{ rows: Row[]; next: Cursor | null }>,
) {
  const rows: Row[] = [];
  let after: Cursor | null = null;
  for (let pages = 0; pages < 1_000; pages++) {
    const page: { rows: Row[]; next: Cursor | null } = await readPage(after);
    rows.push(...page.rows);
    after = page.next;
    if (after === null) return rows;
  }
  return expect.fail("the walk does not end");
}

describe("late deliveries", () => {
  it("wake the publisher of their own lane only", async () => {
    await addChannel("late", { lane: 1 });
    await addChannel("resting", { lane: 2 });
    await addChannel("sending", { lane: 3 });
    await addChannel("lost", { lane: 4 });
    await addChannel("young", { lane: 5 });
    await addChannel("waiting", { lane: 6 });
    await addPosts("late", "late", 3, 10 * MINUTE);
    await addPosts("resting", "resting", 3, 10 * MINUTE);
    await DB.prepare("UPDATE channels SET not_before = ? WHERE id = 'resting'")
      .bind(Date.now() + MINUTE)
      .run();
    await addPosts("sending", "sending", 1, 10 * MINUTE, { state: "sending", sentAt: Date.now() - 2 * MINUTE });
    await addPosts("lost", "lost", 1, 10 * MINUTE, { state: "sending", sentAt: Date.now() - 3 * MINUTE });
    await addPosts("young", "young", 1, 10_000);
    await addPosts("waiting", "waiting", 1, 10 * MINUTE, { state: "retry_wait", nextAt: Date.now() + MINUTE });
    expect(await getLateLanes()).toEqual([1, 4]);
  });

  it("are found behind more unfinished posts than a sweep reads, whether they are older or younger", async () => {
    await addChannel("crowd", { lane: 10 });
    await addChannel("older", { lane: 11 });
    await addChannel("younger", { lane: 12 });
    const later = Date.now() + 60 * MINUTE;
    await addPosts("crowd", "crowd", 6_000, 10 * MINUTE, { state: "retry_wait", nextAt: later });
    await addPosts("older", "older", 1, 20 * MINUTE);
    await addPosts("younger", "younger", 1, MINUTE);
    expect(await getLateLanes()).toEqual(expect.arrayContaining([11, 12]));
    // Every sweep reads the deliveries that became due last.
    expect(await latestLateLanes(db, LATENESS, 500)).toContainEqual({ workspaceId: account.workspace, lane: 12 });
    const { overdue } = await overdueWork(db, LATENESS);
    // A sweep reads the thousand deliveries at each end, which include these two.
    expect(overdue).toBeGreaterThanOrEqual(2);
  });

  it("are found in small pages just as in one page, each lane once per round", async () => {
    const walkLanes = (limit: number) =>
      collectPages<Lane, Lane>(async (after) => {
        const { lanes, next } = await lateLanesAfter(db, after, LATENESS, limit);
        return { rows: lanes, next };
      });
    const expectedLanes = await walkLanes(10_000);
    expect(expectedLanes.length).toBeGreaterThanOrEqual(3);
    expect(await walkLanes(1)).toEqual(expectedLanes);
    expect(await walkLanes(2)).toEqual(expectedLanes);
  });

  it("are walked from where the last sweep ended, and from the start after the end", async () => {
    const cursors: WalkCursors = { lane: { workspaceId: "zz", lane: 0 } };
    await wakeLatePublishers({ queue: { send: async () => {} } }, db, cursors);
    expect(cursors).toEqual({ lane: null });
  });
});

describe("deliveries that are due for a recheck", () => {
  const afterPublishJobs = (cursors: WalkCursors = {}): Promise<FollowUpsJob[]> =>
    collectJobs("follow_ups", (ctx) => enqueueFollowUps(ctx, db, cursors));

  it("do not delay other channels even if there are 5,000 of one channel, and come in groups of twenty", async () => {
    await addChannel("many", { lane: 20 });
    await addChannel("one", { lane: 21 });
    await addPosts("many", "many", 5_000, 60 * MINUTE, {
      state: "live",
      nextAt: null,
      checkAt: Date.now() - 30 * MINUTE,
    });
    await addPosts("one", "one", 1, 60 * MINUTE, { state: "live", nextAt: null, checkAt: Date.now() - 20 * MINUTE });
    const jobs = await afterPublishJobs();
    const getTasks = (laneNumber: number) =>
      jobs.filter(({ lane }) => lane === laneNumber).flatMap(({ tasks }) => tasks);
    expect(getTasks(21)).toEqual([{ kind: "after_publish", channel: "one", posts: ["one1"] }]);
    const [many, ...otherTasks] = getTasks(20);
    expect(otherTasks).toEqual([]);
    expect(many).toMatchObject({ kind: "after_publish", channel: "many", posts: { length: 20 } });
  });

  it("are all walked in several pages if they became due at the same instant", async () => {
    const channels = new Set<string>();
    await addPosts("late-one", "one", 1, MINUTE, { state: "live", nextAt: null, checkAt: Date.now() - 30 * MINUTE });
    const postIds = await collectPages<FollowUpCursor, string>(async (after) => {
      const { due, next } = await followUpsAfter(db, after, 700, 20);
      for (const { channelId } of due) channels.add(channelId);
      expect(due.filter(({ channelId }) => channelId === "many").length).toBeLessThanOrEqual(20);
      return { rows: due.map(({ postId }) => postId), next };
    });
    expect(postIds).toContain("late-one1");
    // Each page contributes twenty deliveries of a channel, and none is repeated.
    expect(postIds.filter((id) => id.startsWith("many")).length).toBeGreaterThanOrEqual(7 * 20);
    expect(new Set(postIds).size).toBe(postIds.length);
    expect(channels).toContain("one");
  });
});

describe("credentials that are due for renewal", () => {
  it("are walked in pages, so that channels that stay due do not hide the others", async () => {
    for (let i = 0; i < 7; i++) await addChannel(`renew${i}`, { renewAt: 1_000 + i });
    const walked = await collectPages<RenewalCursor, string>(async (after) => {
      const { due, next } = await channelsToRenew(db, after, 3);
      return { rows: due.map(({ channelId }) => channelId), next };
    });
    const ours = walked.filter((id) => id.startsWith("renew"));
    expect(ours).toEqual(Array.from({ length: 7 }, (_, i) => `renew${i}`));
    const jobs = await collectJobs("renew_credential", (ctx) => renewCredentials(ctx, db, {}));
    expect(jobs.map(({ channel }) => channel)).toEqual(expect.arrayContaining(ours));
  });
});

describe("messages whose endpoints were not woken", () => {
  it("do not hide other endpoints even if one endpoint has very many", async () => {
    const { workspace } = account;
    for (const id of ["wh_a", "wh_b", "wh_off"])
      await DB.prepare(
        `INSERT INTO webhooks (workspace_id, id, url, events, secret, previous_secrets, created_at)
          VALUES (?, ?, 'https://example.com', '[]', 'x', '[]', 0)`,
      )
        .bind(workspace, id)
        .run();
    const add = (webhook: string, count: number, nextAt: number, state = "pending") =>
      DB.prepare(
        `INSERT INTO webhook_messages (workspace_id, webhook_id, event_id, event_seq, state, next_at)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          SELECT ?, ?, ? || i, i, ?, ? FROM n`,
      )
        .bind(count, workspace, webhook, `evt_${webhook}`, state, nextAt)
        .run();
    await add("wh_a", 3_000, 1);
    await add("wh_b", 1, Date.now() - MINUTE);
    await add("wh_off", 1, 1, "skipped");
    const woken: string[] = [];
    await wakeLateDispatchers({ webhooks: { wake: async (_, ids) => void woken.push(...ids) } }, db, {});
    expect(woken.filter((id) => id.startsWith("wh_a") || id.startsWith("wh_b") || id === "wh_off")).toEqual([
      "wh_a",
      "wh_b",
    ]);
    const walked = await collectPages<WebhookCursor, string>(async (after) => {
      const { late, next } = await lateWebhooksAfter(db, after, GRACE, 1);
      return { rows: late.map(({ webhookId }) => webhookId), next };
    });
    expect(walked).toEqual(woken);
  });
});
