// Promises at the end of a run (docs/delivery.md#promises): the rows are compared with the networks and with the answers to
// callers, and the queries of `npm run audit` find nothing.
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { type DeliveryState, isEnded } from "../../src/domain/delivery/transitions.ts";
import { INVARIANTS } from "../../src/store/invariants.ts";
import { getThreadPosition, readText } from "./attribution.ts";
import { judgeChannels } from "./check-channels.ts";
import { judgeFailingEndpoint } from "./check-endpoints.ts";
import { judgeFailed } from "./check-failed.ts";
import { judgeLateness } from "./check-lateness.ts";
import { judgePayload } from "./check-payload.ts";
import { judgeFailedRequests, judgeReadback } from "./check-readback.ts";
import { judgeRemoved } from "./check-removed.ts";
import { takedownOf } from "./check-rows.ts";
import { judgeSends } from "./check-sends.ts";
import { isUncountable, judgeCounts, judgeStatuses } from "./check-summaries.ts";
import { judgeThreads } from "./check-threads.ts";
import { type Judged, judgeUnknown } from "./check-unknown.ts";
import { judgeEndpoints, judgeWebhooks } from "./check-webhooks.ts";
import { type Checks, getState, isComment } from "./checks-always.ts";
import type { Row } from "./database.ts";
import { readLastTry } from "./delivery-rows.ts";
import { cameLate } from "./late-arrivals.ts";
import { isDraft } from "./networks.ts";
import type { Say } from "./promises.ts";
import { type CauseCounts, type Counts, noCounts } from "./tally.ts";
import type { Views } from "./views.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** An endless loop makes hundreds of calls. A few posts never made 120. */
const CALLS_MAX = 300;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** An edit of a post that is due sooner may meet the start of its publishing. */
const NEAR_MS = 60_000;

export interface Verdict extends Counts {
  /** The network's detail for each unknown outcome. */
  unknown: string[];
  broken: string[];
  /** Explained failures and unknown outcomes, by cause. */
  causes: CauseCounts;
}

export function judge(world: World, workload: Workload, checks: Checks, views: Views): Verdict {
  const causes: CauseCounts = {};
  const verdict: Verdict = { ...noCounts(), unknown: [], broken: checks.broken, causes };
  const say: Say = (rule, what) => {
    world.note(`BROKEN ${rule} ${what}`);
    verdict.broken.push(`${rule} ${what}`);
  };
  const unknown = judgeDeliveries(world, workload, { checks, causes }, verdict, say);
  verdict.unconfirmedUnexplained = judgeUnknown(world, workload, { checks, causes }, unknown, say);
  verdict.unconfirmedExplained = unknown.length - verdict.unconfirmedUnexplained;
  for (const { row, channel } of unknown) verdict.unknown.push(`${channel.platform}: ${readLastTry(row).detail}`);
  judgePayload(world, workload, say);
  judgeLateness(world, workload, checks, say);
  judgeWebhooks(world, workload, say);
  judgeFailingEndpoint(world, say);
  judgeRefusals(world, workload, say);
  judgeChannels(world, workload, say);
  judgeSends(world, workload, say);
  judgeStatuses(world, say);
  judgeCounts(world, say);
  judgeRemoved(world, workload, say);
  judgeThreads(world, workload, views, say);
  judgeReadback(world, workload, say);
  judgeFailedRequests(world, say);
  workload.months?.judgeCosts();
  for (const series of workload.series) series.judge();
  for (const { promise, what } of workload.complaints) say(promise, what);
  judgeEndpoints(world, say);
  const parts = workload.wanted.reduce((sum, { first }) => sum + first.channels.length * (1 + first.thread.length), 0);
  if (world.points.busiest > CALLS_MAX + 40 * parts)
    say("comes_to_rest", `${world.points.busiest} calls in five minutes: something turns in circles`);
  for (const { name, says, sql } of INVARIANTS) {
    if (isUncountable(world, name)) continue;
    const rows = world.database.rows(sql);
    if (rows.length > 0) say("audit_finds_nothing", `${name}: ${says} ${rows.length} rows: ${JSON.stringify(rows[0])}`);
  }
  return verdict;
}

/** Compares each requested delivery with the ledger. Returns the deliveries with an unknown outcome. */
function judgeDeliveries(
  world: World,
  workload: Workload,
  { checks, causes }: { checks: Checks; causes: CauseCounts },
  verdict: Verdict,
  say: Say,
): Judged[] {
  const { database, networks } = world;
  const posts = [...database.rows("SELECT * FROM posts"), ...world.archive.posts];
  const deliveries = [...database.rows("SELECT * FROM deliveries"), ...world.archive.deliveries];
  const unknown: Judged[] = [];
  for (const wanted of workload.wanted) {
    const isErased = workload.erased.has(wanted.workspace);
    const rows = posts.filter((post) => readText(String(post.text))?.n === wanted.n);
    if (wanted.key !== null && rows.length > 1)
      say("key_makes_one_post", `p${wanted.n} was made ${rows.length} times under one key`);
    const [post] = rows.filter(({ id }) => wanted.postId === null || id === wanted.postId);
    const wasDraft = wanted.draft.writes.some(({ value, refused }) => value && !refused);
    const discarded = (wasDraft || wanted.approvals !== null) && wanted.cancelledAt.length > 0;
    if (post === undefined && wanted.postId !== null && !discarded && !isErased) {
      verdict.lost++;
      say("all_end", `p${wanted.n} was acknowledged and is not there`);
    }
    for (const channel of workload.channels) {
      if (channel.workspace !== wanted.workspace) continue;
      const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
      const entries = networks.ledger
        .list({ platform: channel.platform, account: channel.handle })
        .filter((entry) => !isComment(entry) && readText(entry.text)?.n === wanted.n && getThreadPosition(entry) === 0);
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
        const hasNone =
          post.status === "draft" ||
          post.status === "awaiting_approval" ||
          (post.status === "cancelled" && wanted.cancelledAt.length > 0) ||
          wanted.surelyCancelledAt !== null;
        if (!hasNone && asked.every(Boolean)) {
          verdict.lost++;
          say("all_end", `${name} has no delivery`);
        } else if (entries.length > 0)
          say("failed_is_not_there", `${name} is ${post.status} without a delivery, and out`);
        continue;
      }
      if (!asked.some(Boolean)) say("sent_as_asked", `${name} has a delivery that was taken back`);
      const state = getState(row);
      if (!isEnded(state)) {
        verdict.stuck++;
        say("all_end", `${name} is ${state} at the end`);
      }
      checks.additions.judge({ wanted, channel, row }, entries, workload, say);
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
      judgeDrafts(name, state, entries, say);
      if (state === "handed_over") verdict.handedOver++;
      if (state === "handed_over" && entries.length === 0) verdict.falseLive++;
      const isThreadPartThere = networks.ledger
        .list({ platform: channel.platform, account: channel.handle })
        .some((entry) => !isComment(entry) && !entry.deleted && readText(entry.text)?.n === wanted.n);
      // After a takedown request, a network that reports the post as missing is believed.
      const wasUnseen = world.injected.some(
        ({ kind, n, platform }) => kind === "wire_unseen" && n === wanted.n && platform === channel.platform,
      );
      const isThere = isThreadPartThere && !wasUnseen && !cameLate(world, wanted, channel);
      const takedown = takedownOf(world, row);
      if (state === "removed" && takedown !== undefined && isThere && rows.length === 1)
        say("taken_down_is_gone", `${name} is said to be taken down and is there`);
      if (takedown?.state === "due" && !isTakenDownLater(world, takedown, row))
        say("taken_down_is_gone", `nobody says what became of taking ${name} down`);
      // The parts of a thread are judged one by one (check-threads.ts).
      if (
        ["failed", "cancelled"].includes(state) &&
        row.published_at === null &&
        visible.length > 0 &&
        rows.length === 1
      ) {
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
        judgeFailed(world, workload, { checks, causes }, { wanted, channel, row }, say);
      }
    }
    if (post !== undefined && rows.length === 1) judgeRow(wanted, post, say);
  }
  return unknown;
}

/** A published post is never reported as a draft, and a draft never as a published post. */
function judgeDrafts(name: string, state: DeliveryState, entries: readonly LedgerEntry[], say: Say): void {
  if (state === "handed_over" && !entries.some(isDraft))
    say("drafts_are_true", `${name} is said to be handed over, and no inbox has its draft`);
  if ((state === "live" || state === "removed") && entries.length > 0 && entries.every(isDraft))
    say("drafts_are_true", `${name} is said to be ${state} and is a draft`);
}

/** The row has the newest acknowledged edit of each field. */
function judgeRow(
  wanted: { n: number } & Pick<Judged["wanted"], "text" | "media" | "channels" | "overrides" | "thread">,
  post: Row,
  say: Say,
): void {
  const compare = (field: string, stands: unknown, possible: { value: unknown }[]) => {
    const text = sorted(stands);
    if (!possible.some(({ value }) => sorted(value) === text))
      say("sent_as_asked", `an acknowledged edit of ${field} of p${wanted.n} is lost: ${text}`);
  };
  compare("text", post.text, wanted.text.possible());
  compare("media", JSON.parse(String(post.media)), wanted.media.possible());
  compare("channels", JSON.parse(String(post.channels)), wanted.channels.possible());
  compare("thread", JSON.parse(String(post.thread ?? "[]")) ?? [], wanted.thread.possible());
  compare("overrides", JSON.parse(String(post.overrides)), wanted.overrides.possible());
}

/** JSON with sorted members. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/**
 * Whether a takedown is waiting for its last try. That wait is a day, so it may end after the run, or just before its end,
 * between two rounds of the sweeper.
 */
const isTakenDownLater = (world: World, { tries }: Row, { check_at: at }: Row): boolean =>
  tries === 5 && typeof at === "number" && at > world.now() - 2 * MINUTE_MS && at < world.now() + DAY_MS;

/** The reported state of a first comment matches the network, and no requested comment is forgotten. */
function judgeComment(world: World, { wanted, channel, row }: Judged, ids: string[], say: Say): void {
  const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
  const [comment] = world.database.rows(
    "SELECT state FROM follow_ups WHERE workspace_id = ? AND post_id = ? AND channel_id = ? AND kind = 'first_comment'",
    String(row.workspace_id),
    String(row.post_id),
    String(row.channel_id),
  );
  const state = comment?.state ?? null;
  const comments = world.networks.ledger.list().filter(isComment);
  const isThere = comments.some(({ detail }) => ids.includes(String(detail.comment_on)));
  if (state === "done" && !isThere) say("live_is_there", `the first comment of ${name} is said to be there and is not`);
  if (state === "failed" && isThere)
    say("failed_is_not_there", `the first comment of ${name} is said to have failed and is there`);
  const asked = wanted.option(channel.id, "first_comment");
  const isConnected = world.database.rows(
    "SELECT 1 FROM channels WHERE id = ? AND credential IS NOT NULL AND removed_at IS NULL",
    channel.id,
  );
  // The comment waits while its post is being taken down.
  const takedown = takedownOf(world, row);
  const isOnHold = takedown?.state === "due" && isTakenDownLater(world, takedown, row);
  if ((state === "due" || state === "sending") && isConnected.length > 0 && !isOnHold)
    say("all_end", `the first comment of ${name} is ${state} at the end`);
  if (state === null && asked.length > 0 && asked.every((text) => text !== undefined))
    say("all_end", `the first comment of ${name} is forgotten`);
}

/** An edit is rejected as too late only if the post has begun to be published. */
function judgeRefusals(world: World, workload: Workload, say: Say): void {
  for (const { wanted, at, why } of workload.refusals) {
    const wasDraft = wanted.draft.writes.some(({ value, refused }) => value && !refused);
    if (world.archive.has(wanted.postId)) continue;
    // A declined post is a draft.
    if (why.startsWith("not_found") && !wasDraft && wanted.approvals === null && !workload.erased.has(wanted.workspace))
      say("edits_are_judged_by_facts", `p${wanted.n} is said not to be there`);
    if (!why.startsWith("post_not_editable") || workload.erased.has(wanted.workspace)) continue;
    const hasBegun = world.wires.calls.some((call) => call.n === wanted.n && call.at <= at);
    const cancelled = wanted.cancelledAt.some((asked) => asked <= at);
    const due = Math.min(...wanted.first.channels.map((channel) => wanted.earliest(channel, at) ?? at));
    if (!hasBegun && !cancelled && due > at + NEAR_MS)
      say("edits_are_judged_by_facts", `an edit of p${wanted.n} is refused ${due - at} ms before its time: ${why}`);
  }
}
