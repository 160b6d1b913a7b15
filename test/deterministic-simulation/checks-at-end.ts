// What must hold at the end of a run (docs/delivery.md#promises): what callers were told and what the networks have, compared with what
// the rows say; and the questions that `npm run audit` asks.
import { isEnded } from "../../src/domain/delivery/transitions.ts";
import { INVARIANTS } from "../../src/store/invariants.ts";
import { readText } from "./attribution.ts";
import { type Judged, judgeFailed, judgeUnknown } from "./check-endings.ts";
import { judgePayload } from "./check-payload.ts";
import { judgeTime } from "./check-time.ts";
import { type Checks, isComment, number, stateOf } from "./checks-always.ts";
import type { Row } from "./database.ts";
import type { Say } from "./promises.ts";
import { HOOK } from "./receiver.ts";
import { type Counts, noCounts } from "./tally.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** What turns in circles makes hundreds of calls; a few posts never made 120. */
const CALLS_MAX = 300;
/** Calls of an endpoint before an event is given up. */
const WEBHOOK_TRIES = 5;
/** By then somebody has looked often enough. */
const NOTICED_MS = 48 * 3_600_000;
/** Calls that exchange a token which is good for one exchange. */
const RENEWAL = /token|refreshSession/;
/** An edit of what is due in less may meet the one who takes it up. */
const NEAR_MS = 60_000;

export interface Verdict extends Counts {
  /** Why nobody knows, of each delivery of which nobody does. */
  unknown: string[];
  broken: string[];
}

export function judge(world: World, workload: Workload, checks: Checks): Verdict {
  const verdict: Verdict = { ...noCounts(), unknown: [], broken: checks.broken };
  const say: Say = (rule, what) => {
    world.note(`BROKEN ${rule} ${what}`);
    verdict.broken.push(`${rule} ${what}`);
  };
  const unknown = judgeDeliveries(world, workload, verdict, say);
  verdict.unconfirmedUnexplained = judgeUnknown(world, workload, checks, unknown, say);
  verdict.unconfirmedExplained = unknown.length - verdict.unconfirmedUnexplained;
  for (const { row, channel } of unknown) verdict.unknown.push(`${channel.platform}: ${row.detail}`);
  judgePayload(world, workload, say);
  judgeTime(world, workload, say);
  judgeWebhooks(world, workload, say);
  judgeRefusals(world, workload, say);
  judgeChannels(world, workload, say);
  judgeCounts(world, say);
  judgeRemoved(world, workload, say);
  const deliveries = workload.wanted.reduce((sum, { first }) => sum + first.channels.length, 0);
  if (world.busiest > CALLS_MAX + 40 * deliveries)
    say("comes_to_rest", `${world.busiest} calls in five minutes: something turns in circles`);
  for (const { name, says, sql } of INVARIANTS) {
    const rows = world.database.rows(sql);
    if (rows.length > 0) say("audit_finds_nothing", `${name}: ${says} ${rows.length} rows: ${JSON.stringify(rows[0])}`);
  }
  return verdict;
}

/** Each delivery that anybody wanted, against the ledger; returns those of which nobody knows. */
function judgeDeliveries(world: World, workload: Workload, verdict: Verdict, say: Say): Judged[] {
  const { database, networks } = world;
  const posts = database.rows("SELECT * FROM posts");
  const deliveries = database.rows("SELECT * FROM deliveries");
  const unknown: Judged[] = [];
  for (const wanted of workload.wanted) {
    const isErased = workload.erased.has(wanted.workspace);
    const rows = posts.filter((post) => readText(String(post.text))?.n === wanted.n);
    if (wanted.key !== null && rows.length > 1)
      say("key_makes_one_post", `p${wanted.n} was made ${rows.length} times under one key`);
    const [post] = rows.filter(({ id }) => wanted.postId === null || id === wanted.postId);
    const wasDraft = wanted.draft.writes.some(({ value, refused }) => value && !refused);
    const discarded = wasDraft && wanted.cancelledAt.length > 0;
    if (post === undefined && wanted.postId !== null && !discarded && !isErased) {
      verdict.lost++;
      say("all_end", `p${wanted.n} was acknowledged and is not there`);
    }
    for (const channel of workload.channels) {
      if (channel.workspace !== wanted.workspace) continue;
      const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
      const entries = networks.ledger
        .list({ platform: channel.platform, account: channel.handle })
        .filter((entry) => !isComment(entry) && readText(entry.text)?.n === wanted.n);
      const visible = entries.filter(({ deleted }) => !deleted);
      if (visible.length > rows.length && visible.length > 1) {
        verdict.duplicated++;
        say("published_once", `${name} is there ${visible.length} times`);
      }
      if (post === undefined) {
        if (entries.length > 0 && !isErased) say("announced_first", `${name} is out and belongs to no post`);
        continue;
      }
      const row = deliveries.find(({ post_id, channel_id }) => post_id === post.id && channel_id === channel.id);
      const asked = wanted.channels.possible().map(({ value }) => value.includes(channel.id));
      if (row === undefined) {
        if (post.status !== "draft" && asked.every(Boolean)) {
          verdict.lost++;
          say("all_end", `${name} has no delivery`);
        } else if (entries.length > 0)
          say("failed_is_not_there", `${name} is ${post.status} without a delivery, and out`);
        continue;
      }
      if (!asked.some(Boolean)) say("sent_as_asked", `${name} has a delivery that was taken back`);
      const state = stateOf(row);
      if (!isEnded(state)) {
        verdict.stuck++;
        say("all_end", `${name} is ${state} at the end`);
      }
      if (state === "live") {
        verdict.live++;
        if (entries.length === 0) {
          verdict.falseLive++;
          say("live_is_there", `${name} is said to be live and is not there`);
        } else
          judgeComment(
            world,
            { wanted, channel, row },
            entries.map(({ id }) => id),
            say,
          );
      }
      if (row.removed_by === "you" && visible.length > 0)
        say("taken_down_is_gone", `${name} is said to be taken down and is there`);
      if (row.takedown_state === "due") say("taken_down_is_gone", `nobody says what became of taking ${name} down`);
      if (["failed", "cancelled"].includes(state) && visible.length > 0 && rows.length === 1) {
        verdict.falseFailed++;
        say("failed_is_not_there", `${name} is said to be ${state} and is there`);
      }
      if (state === "cancelled" && wanted.cancelledAt.length === 0) {
        verdict.lost++;
        say("all_end", `${name} is cancelled and nobody asked for it`);
      }
      if (state === "outcome_unknown") unknown.push({ wanted, channel, row });
      if (state === "failed") {
        verdict.failed++;
        judgeFailed(world, workload, { wanted, channel, row }, say);
      }
    }
    if (post !== undefined && rows.length === 1) judgeRow(wanted, post, say);
  }
  return unknown;
}

/** The newest acknowledged edit of each field stands in the row. */
function judgeRow(
  wanted: { n: number } & Pick<Judged["wanted"], "text" | "media" | "channels" | "overrides">,
  post: Row,
  say: Say,
): void {
  const same = (field: string, stands: unknown, possible: { value: unknown }[]) => {
    const text = sorted(stands);
    if (!possible.some(({ value }) => sorted(value) === text))
      say("sent_as_asked", `an acknowledged edit of ${field} of p${wanted.n} is lost: ${text}`);
  };
  same("text", post.text, wanted.text.possible());
  same("media", JSON.parse(String(post.media)), wanted.media.possible());
  same("channels", JSON.parse(String(post.channels)), wanted.channels.possible());
  same("overrides", JSON.parse(String(post.overrides)), wanted.overrides.possible());
}

/** JSON with the members of objects in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** What is said of a first comment is so, and none that was asked for is forgotten. */
function judgeComment(world: World, { wanted, channel, row }: Judged, ids: string[], say: Say): void {
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
  const state = row.comment_state;
  const isThere = world.networks.ledger.list().some(({ detail }) => ids.includes(String(detail.comment_on)));
  if (state === "posted" && !isThere)
    say("live_is_there", `the first comment of ${name} is said to be there and is not`);
  if (state === "failed" && isThere)
    say("failed_is_not_there", `the first comment of ${name} is said to have failed and is there`);
  const asked = wanted.option(channel.id, "first_comment");
  const isConnected = world.database.rows(
    "SELECT 1 FROM channels WHERE id = ? AND credential IS NOT NULL AND removed_at IS NULL",
    channel.id,
  );
  if ((state === "due" || state === "sending") && isConnected.length > 0)
    say("all_end", `the first comment of ${name} is ${state} at the end`);
  if (state === null && asked.length > 0 && asked.every((text) => text !== undefined))
    say("all_end", `the first comment of ${name} is forgotten`);
}

/** What was published is counted once, by day and network: 32 places of the feed together, the latest by themselves. */
function judgeCounts({ database }: World, say: Say): void {
  const wrong = database.rows(`SELECT workspace_id, platform, SUM(counted) AS counted, SUM(live) AS live FROM (
      SELECT p.workspace_id, e.key AS platform, e.value AS counted, 0 AS live FROM published_counts p, json_each(p.counts) e
      UNION ALL SELECT e.workspace_id, d.platform, 1, 0 FROM events e JOIN deliveries d USING (workspace_id, post_id, channel_id)
      WHERE e.event = 'delivery.succeeded' AND e.seq >=
        (SELECT MAX(seq) FROM events f WHERE f.workspace_id = e.workspace_id) / 32 * 32
      UNION ALL SELECT workspace_id, platform, 0, 1 FROM deliveries WHERE state IN ('live', 'removed'))
    GROUP BY workspace_id, platform HAVING SUM(counted) <> SUM(live)`);
  for (const { platform, counted, live } of wrong)
    say("published_counts", `${counted} on ${platform} are counted, ${live} are live`);
}

/** What was taken off its network two days ago is said to be gone. */
function judgeRemoved(world: World, workload: Workload, say: Say): void {
  for (const { kind, at, n, platform } of world.injected) {
    if (kind !== "removed_by_owner" || n === null || at > world.now() - NOTICED_MS) continue;
    const [row] = world.database.rows(
      "SELECT state FROM deliveries WHERE post_id = ? AND platform = ?",
      workload.wanted[n]?.postId ?? "",
      platform ?? "",
    );
    if (row?.state === "live")
      say("removal_is_noticed", `p${n} was taken off ${platform} two days ago and is said to be live`);
  }
}

/** Every event was heard, or its message says how it ended; the same event is always told in the same words. */
function judgeWebhooks({ database, receiver, networks, injected }: World, workload: Workload, say: Say): void {
  const messages = new Map(database.rows("SELECT * FROM webhook_messages").map((row) => [row.event_id, row.state]));
  const told = new Map(database.rows("SELECT id, workspace_id, event, body FROM events").map((row) => [row.id, row]));
  const heard = new Set(receiver.heard.map(({ id }) => id));
  for (const [id, { workspace_id, event }] of told) {
    const isWanted = workload.tenants.some(({ id: of, hears }) => of === workspace_id && hears.includes(String(event)));
    const state = messages.get(id ?? null);
    if (!isWanted) {
      if (state !== undefined) say("told_by_event", `event ${id} (${event}) is told to who did not ask for it`);
      continue;
    }
    if (state === undefined) say("told_by_event", `event ${id} (${event}) is told to no endpoint`);
    else if (state === "exhausted" && injected.filter(({ platform }) => platform === "webhook").length < WEBHOOK_TRIES)
      say("told_by_event", `event ${id} was given up after fewer failures than an endpoint has tries`);
    else if (state === "pending") say("comes_to_rest", `event ${id} is never heard`);
    else if (state === "delivered" && !heard.has(String(id)))
      say("told_by_event", `event ${id} is said to be heard and was not`);
  }
  for (const { url, id, body } of receiver.heard) {
    const tenant = workload.tenants.find(({ index }) => url === `${HOOK}/${index}`);
    const row = told.get(id);
    if (row !== undefined && row.body !== body) say("same_words", `event ${id} is told in other words`);
    if (tenant === undefined || (row === undefined && !workload.erased.has(tenant.id))) {
      say("told_by_event", `${id} is heard and never happened`);
      continue;
    }
    const { event, workspace, channel: channelId, platform, post, url: address } = JSON.parse(body);
    if (workspace !== tenant.id) say("told_by_event", `${id} of ${workspace} is heard by ${tenant.id}`);
    const channel = tenant.channels.find((one) => one.id === channelId);
    if (!String(event).startsWith("delivery.")) continue;
    if (channel?.platform !== platform) say("told_by_event", `${id} tells of a channel that is not ${workspace}'s`);
    if (event !== "delivery.succeeded" || channel === undefined) continue;
    const wanted = workload.wanted.find(({ postId }) => postId === post);
    const entries = networks.ledger
      .list({ platform, account: channel.handle })
      .filter((entry) => readText(entry.text)?.n === wanted?.n);
    // Some networks know a post by its id, too.
    const isIts = entries.some((entry) => address === null || entry.url === address || address.includes(entry.id));
    if (wanted !== undefined && !isIts)
      say(
        "live_is_there",
        `${id} says that p${wanted.n} is at ${address}, and it is at ${entries.map((entry) => entry.url)}`,
      );
  }
}

/** No edit is refused for the reason that its post has started while nothing of it has. */
function judgeRefusals(world: World, workload: Workload, say: Say): void {
  for (const { wanted, at, why } of workload.refusals) {
    const wasDraft = wanted.draft.writes.some(({ value, refused }) => value && !refused);
    if (why.startsWith("not_found") && !wasDraft && !workload.erased.has(wanted.workspace))
      say("edits_are_judged_by_facts", `p${wanted.n} is said not to be there`);
    if (!why.startsWith("post_not_editable") || workload.erased.has(wanted.workspace)) continue;
    const begun = world.wires.calls.some((call) => call.n === wanted.n && call.at <= at);
    const cancelled = wanted.cancelledAt.some((asked) => asked <= at);
    const due = Math.min(...wanted.publishAt.possible(at).map(({ value, askedAt }) => value ?? askedAt));
    if (!begun && !cancelled && due > at + NEAR_MS)
      say("edits_are_judged_by_facts", `an edit of p${wanted.n} is refused ${due - at} ms before its time: ${why}`);
  }
}

/** A channel is given up only when its owner or its network says so. */
function judgeChannels(world: World, workload: Workload, say: Say): void {
  for (const row of world.database.rows("SELECT workspace_id, id, platform, handle, lost_reason FROM channels")) {
    if (row.lost_reason === null || workload.removed.has(String(row.id))) continue;
    const lost = world.injected.some(
      ({ port, kind, platform, n, workspace }) =>
        port === "wire" &&
        platform === row.platform &&
        // Tokens end for all accounts of a network at once, and not all can be renewed then.
        (kind === "wire_expired" || (n === null && (workspace === null || workspace === row.workspace_id))),
    );
    const diedRenewing = world.injected.some(
      ({ at, process }) =>
        process?.dead === true &&
        world.wires.calls.some(
          (call) =>
            call.process === process &&
            call.platform === row.platform &&
            RENEWAL.test(call.what) &&
            call.at <= at &&
            (call.answeredAt === null || call.answeredAt >= at),
        ),
    );
    if (!lost && !diedRenewing)
      say(
        "channels_are_kept",
        `${row.platform} ${row.handle} was given up (${row.lost_reason}) and its network lost no answer`,
      );
  }
  for (const post of world.database.rows("SELECT * FROM posts")) judgeStatus(world, post, say);
  for (const { month, posts, held } of world.database.rows(
    `SELECT month, posts, (SELECT COUNT(*) FROM posts p WHERE p.workspace_id = u.workspace_id AND counted_month = month) AS held
     FROM usage_months u`,
  ))
    if (number(posts) !== number(held)) say("month_counts", `${month} counts ${posts} posts and holds ${held}`);
}

/** A post's status is what its deliveries say. */
function judgeStatus({ database }: World, post: Row, say: Say): void {
  const states = database
    .rows(
      "SELECT state FROM deliveries WHERE workspace_id = ? AND post_id = ?",
      String(post.workspace_id),
      String(post.id),
    )
    .map(stateOf);
  if (post.status === "draft") {
    if (states.length > 0) say("moves_of_the_table", `${post.id} is a draft with deliveries`);
    return;
  }
  const out = states.filter((state) => state === "live" || state === "removed").length;
  const none = states.includes("cancelled") ? "cancelled" : "failed";
  const ended = out === states.length ? "published" : out > 0 ? "partially_published" : none;
  const expected = states.some((state) => !isEnded(state)) ? post.status : ended;
  if (post.status !== expected)
    say("moves_of_the_table", `${post.id} is ${post.status}, its deliveries say ${expected}`);
}
