// What must hold at the end of a run (reliability 4): what callers were told and what the networks have, compared with what
// the rows say.
import type { Row } from "./database.ts";
import { ENDED, number, type Watch } from "./watch.ts";
import { readText, shownText, type Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** A lease runs for five minutes. What turns in circles until it ends makes hundreds of calls; a few posts never made 120. */
const CALLS_PER_LEASE_MAX = 300;

export interface Verdict {
  lost: number;
  duplicated: number;
  stuck: number;
  falseLive: number;
  falseFailed: number;
  unconfirmedExplained: number;
  unconfirmedUnexplained: number;
  /** Deliveries that ended live. */
  live: number;
  failed: number;
  /** Why nobody knows, of each delivery of which nobody does. */
  unknown: string[];
  broken: string[];
}

/** Faults after which everybody can still know whether a call was carried out. */
const CLEAR = ["queue_twice", "queue_much_later", "queue_unheard", "queue_strange", "client_unheard"];
const AMBIGUOUS = (kind: string): boolean => !CLEAR.includes(kind) && !kind.startsWith("alarm_");

/** Every event was heard, or its message says how it ended; the same event is always told in the same words (I15, I17). */
function judgeWebhook({ database, receiver }: World, say: (rule: string, what: string) => void): void {
  const messages = new Map(database.rows("SELECT * FROM webhook_messages").map((row) => [row.event_id, row.state]));
  if (database.rows("SELECT 1 FROM webhooks").length === 0) return;
  const told = new Map(database.rows("SELECT id, body FROM events").map((row) => [row.id, row.body]));
  const heard = new Set(receiver.heard.map(({ id }) => id));
  for (const [id] of told) {
    const state = messages.get(id ?? null);
    if (state === undefined) say("I15", `event ${id} is told to no endpoint`);
    else if (state === "pending") say("I30", `event ${id} is never heard`);
    else if (state === "delivered" && !heard.has(String(id))) say("I15", `event ${id} is said to be heard and was not`);
  }
  for (const { id, body } of receiver.heard) {
    if (told.has(id) && told.get(id) !== body) say("I17", `event ${id} is told in other words`);
    if (!told.has(id)) say("I15", `${id} is heard and never happened`);
  }
}

export function judge(world: World, workload: Workload, watch: Watch): Verdict {
  const verdict: Verdict = {
    lost: 0,
    duplicated: 0,
    stuck: 0,
    falseLive: 0,
    falseFailed: 0,
    unconfirmedExplained: 0,
    unconfirmedUnexplained: 0,
    live: 0,
    failed: 0,
    unknown: [],
    broken: watch.broken,
  };
  const say = (rule: string, what: string) => {
    world.note(`BROKEN ${rule} ${what}`);
    verdict.broken.push(`${rule} ${what}`);
  };
  const { database, networks } = world;
  const posts = database.rows("SELECT * FROM posts");
  const deliveries = database.rows("SELECT * FROM deliveries");
  const entriesOf = (n: number, platform: string) =>
    networks.ledger.list().filter((entry) => entry.platform === platform && readText(shownText(entry))?.n === n);

  judgeWebhook(world, say);
  for (const wanted of workload.wanted) {
    const rows = posts.filter((post) => readText(String(post.text))?.n === wanted.n);
    if (wanted.key !== null && rows.length > 1) say("I18", `p${wanted.n} was made ${rows.length} times under one key`);
    const [post] = rows.filter(({ id }) => wanted.postId === null || id === wanted.postId);
    const discarded = wanted.asked.has("draft") && wanted.asked.has("cancel");
    if (post === undefined && wanted.postId !== null && !discarded && !workload.isErased) {
      verdict.lost++;
      say("lost", `p${wanted.n} was acknowledged and is not there`);
    }
    for (const platform of wanted.platforms) {
      const name = `p${wanted.n} on ${platform}`;
      const entries = entriesOf(wanted.n, platform);
      const visible = entries.filter(({ deleted }) => !deleted);
      if (visible.length > 1) {
        verdict.duplicated++;
        say("I1", `${name} is there ${visible.length} times`);
      }
      if (post === undefined) {
        if (entries.length > 0 && !workload.isErased) say("I6", `${name} is out and belongs to no post`);
        continue;
      }
      const channel = workload.channelOf.get(platform);
      const row = deliveries.find(({ post_id, channel_id }) => post_id === post.id && channel_id === channel);
      if (row === undefined) {
        if (post.status !== "draft") {
          verdict.lost++;
          say("I2", `${name} has no delivery`);
        } else if (entries.length > 0) say("I4", `${name} is a draft and out`);
        continue;
      }
      const state = String(row.state);
      const revision = readText(String(post.text))?.revision ?? 0;
      for (const entry of entries)
        if (readText(shownText(entry))?.revision !== revision) say("I8", `${name} is out in a form that was edited`);
      if (revision < wanted.acknowledgedRevision) say("I8", `an acknowledged edit of ${name} is lost`);
      if (!ENDED.includes(state)) {
        verdict.stuck++;
        say("I2", `${name} is ${state} at the end`);
      }
      if (state === "live") {
        verdict.live++;
        if (entries.length === 0) {
          verdict.falseLive++;
          say("I3", `${name} is said to be live and is not there`);
        }
      }
      if (state === "failed") verdict.failed++;
      // What its owner took off the network meanwhile is not there.
      if (["failed", "cancelled"].includes(state) && visible.length > 0) {
        verdict.falseFailed++;
        say("I4", `${name} is said to be ${state} and is there`);
      }
      if (state === "cancelled" && !wanted.asked.has("cancel")) {
        verdict.lost++;
        say("I2", `${name} is cancelled and nobody asked for it`);
      }
      if (state === "unconfirmed") {
        const exposures = watch.exposures.get(`${row.post_id} ${row.channel_id}`) ?? [];
        // Whoever cannot ask any more cannot know either.
        const cutOff = workload.removed.has(String(row.channel_id));
        const struck = world.injected.some(
          (fault) =>
            AMBIGUOUS(fault.kind) &&
            // One process may work for several networks: its end is the end of all that it was doing.
            (fault.platform === null || fault.platform === platform || fault.kind.startsWith("kill_")) &&
            exposures.some(({ from, to }) => fault.step >= from && fault.step <= to),
        );
        const explained = cutOff || struck;
        verdict.unknown.push(`${platform}: ${row.detail}`);
        if (explained) verdict.unconfirmedExplained++;
        else {
          verdict.unconfirmedUnexplained++;
          say("I5", `${name} is unconfirmed and nothing went wrong: ${row.detail}`);
        }
      }
      if (state === "failed" && world.injected.length === 0 && workload.removed.size === 0)
        say("I2", `${name} failed and nothing went wrong: ${row.error} ${row.detail}`);
    }
  }
  if (world.busiest > CALLS_PER_LEASE_MAX)
    say("I30", `${world.busiest} calls in five minutes: something turns in circles`);
  for (const post of posts) judgePost(post, deliveries, say);
  judgeUse(world, posts, say);
  return verdict;
}

/** A post's status is what its deliveries say (I21). */
function judgePost(post: Row, deliveries: Row[], say: (rule: string, what: string) => void): void {
  const states = deliveries.filter(({ post_id }) => post_id === post.id).map(({ state }) => String(state));
  if (post.status === "draft") {
    if (states.length > 0) say("I21", `${post.id} is a draft with deliveries`);
    return;
  }
  const out = states.filter((state) => state === "live" || state === "removed").length;
  const expected = states.some((state) => !ENDED.includes(state))
    ? post.status
    : out === states.length
      ? "published"
      : out > 0
        ? "partially_published"
        : states.includes("cancelled")
          ? "cancelled"
          : "failed";
  if (post.status !== expected) say("I21", `${post.id} is ${post.status}, its deliveries say ${expected}`);
}

/** The month's count is the number of posts that hold a place in it (I19). */
function judgeUse(world: World, posts: Row[], say: (rule: string, what: string) => void): void {
  const counted = Map.groupBy(
    posts.filter(({ counted_month }) => counted_month !== null),
    ({ counted_month }) => String(counted_month),
  );
  const months = world.database.rows("SELECT month, posts FROM usage_months");
  for (const { month, posts: count } of months)
    if (number(count) !== (counted.get(String(month))?.length ?? 0))
      say("I19", `${month} counts ${count} posts and holds ${counted.get(String(month))?.length ?? 0}`);
  for (const [month, held] of counted)
    if (!months.some((row) => row.month === month)) say("I19", `${month} holds ${held.length} posts and has no count`);
}
