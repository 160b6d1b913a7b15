// What must hold (reliability 4). `Watch` sees every commit and every call that a network carried out; `judge` compares, at
// the end, what callers were told and what the networks have with what the rows say.
import { networkOf } from "../../src/networks/index.ts";
import type { Change, Row, Value } from "./database.ts";
import { readText, shownText, WORKSPACE, type Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
/** A lease runs for five minutes. What turns in circles until it ends makes hundreds of calls; a few posts never made 120. */
const CALLS_PER_LEASE_MAX = 300;
const ASKED_BY_ONE_MAX = 3;
const MARGIN_MS = 60 * SECOND;

/** Which state may follow which; the numbers are those of the transition table (reliability 3). */
const FOLLOWS: Record<string, readonly string[]> = {
  pending: ["staged", "sending", "cancelled", "failed", "retry_wait", "unconfirmed"],
  retry_wait: ["staged", "sending", "cancelled", "failed", "unconfirmed"],
  staged: ["sending", "cancelled", "failed", "retry_wait", "unconfirmed"],
  sending: ["live", "processing", "retry_wait", "uncertain", "failed", "unconfirmed", "staged"],
  processing: ["processing", "live", "failed", "unconfirmed", "retry_wait", "uncertain", "sending"],
  uncertain: ["uncertain", "live", "sending", "processing", "unconfirmed", "retry_wait", "failed"],
  live: ["removed"],
  // By its owner's hand; what nobody knew may prove to be out.
  failed: ["retry_wait"],
  unconfirmed: ["retry_wait", "live"],
  cancelled: [],
  removed: [],
};
const ENDED = ["live", "failed", "unconfirmed", "cancelled", "removed"];
/** The event that a transition into a state is told by. */
const EVENT_OF: Record<string, string> = {
  live: "delivery.succeeded",
  failed: "delivery.failed",
  unconfirmed: "delivery.failed",
  retry_wait: "delivery.retrying",
};

/** The time of one delivery during which a call of it may have been carried out. */
interface Exposure {
  from: number;
  to: number;
}

/** Looks after publishing, which are no step of a delivery and which any hand may take. */
const OF_CHECKS = ["check_at", "check_until", "missing_since", "comment_tries", "comment_token"];
const isCheckAlone = (before: Row, after: Row): boolean =>
  Object.keys(after).every((column) => OF_CHECKS.includes(column) || before[column] === after[column]);

const keyOf = (row: Row): string => `${row.post_id} ${row.channel_id}`;
const number = (value: Value | undefined): number => Number(value ?? 0);

export class Watch {
  readonly broken: string[] = [];
  /** By delivery: the steps between a write-ahead and its end. */
  readonly exposures = new Map<string, Exposure[]>();
  readonly #world: World;
  readonly #workload: Workload;
  /** By channel: who took its lease last. */
  readonly #heldBy = new Map<string, { process: number; at: number }>();
  /** By delivery: whose its present fence is. */
  readonly #fenceOf = new Map<string, number>();
  /** Deliveries of which a write-ahead was ever committed. */
  readonly #sends = new Set<string>();
  /** How often one hand looked for one delivery whose send had no answer. */
  readonly #asked = new Map<string, number>();
  #seen = 0;

  constructor(world: World, workload: Workload) {
    this.#world = world;
    this.#workload = workload;
    world.committed = (changes) => this.#committed(changes);
    world.carriedOut = () => this.#carriedOut();
  }

  break(rule: string, what: string): void {
    const line = `${rule} ${what}`;
    this.#world.note(`BROKEN ${line}`);
    this.broken.push(line);
  }

  #committed(changes: Change[]): void {
    const of = (table: string) => changes.filter((change) => change.table === table);
    for (const { before, after } of of("channels")) if (before !== null && after !== null) this.#leased(before, after);
    for (const { before, after } of of("deliveries")) {
      if (before !== null && after !== null && !isCheckAlone(before, after)) this.#changed(before, after, changes);
    }
    for (const { before, after } of of("events")) {
      if (before !== null || after === null || !String(after.event).startsWith("delivery.")) continue;
      const told = of("deliveries").some(
        (change) =>
          change.after !== null &&
          keyOf(change.after) === keyOf(after) &&
          change.after.fence === after.fence &&
          EVENT_OF[String(change.after.state)] === after.event,
      );
      if (!told) this.break("I15", `${after.event} of ${keyOf(after)} is told without its transition`);
      if (after.event === "delivery.failed" && JSON.parse(String(after.body)).action == null)
        this.break("I16", `a failure of ${keyOf(after)} names no action`);
    }
  }

  #changed(before: Row, after: Row, changes: Change[]): void {
    const { acting } = this.#world;
    const key = keyOf(after);
    const [from, to] = [String(before.state), String(after.state)];
    const name = `${from} -> ${to} of ${key}`;
    this.#world.note(`    ${name} fence ${after.fence} ver ${after.ver}`);
    const byOwner = acting?.kind === "api";
    if (from !== to && !FOLLOWS[from]?.includes(to)) this.break("I21", `${name} is no transition`);
    if (number(after.fence) < number(before.fence) || number(after.ver) < number(before.ver))
      this.break("I10", `${name} turns fence or version back`);
    if (ENDED.includes(from) && (to === "retry_wait") !== byOwner && from !== to && to !== "live")
      this.break("I21", `${name} without its owner`);
    if (before.ambiguous === 1 && after.ambiguous === 0) {
      const proven = to === "live" || (byOwner && to === "retry_wait");
      const final = ["uncertain", "processing"].includes(from) && ["retry_wait", "failed"].includes(to);
      if (!proven && !final) this.break("I14", `${name} forgets that a call may have been carried out`);
    }

    this.#byHand(before, after, name);
    if (to === "sending" && from !== "sending") this.#aboutToSend(before, after, name);
    const event = EVENT_OF[to];
    const manual = byOwner && to === "retry_wait";
    if (event !== undefined && from !== to && !manual) {
      const told = changes.filter(
        (change) =>
          change.table === "events" &&
          change.after !== null &&
          keyOf(change.after) === key &&
          change.after.event === event &&
          change.after.fence === after.fence,
      ).length;
      if (told !== 1) this.break("I15", `${name} is told by ${told} events`);
    }
    this.#expose(key, from, to);
  }

  /** What a hand may write: under the lease of the channel, and under a fence of its own. */
  #byHand(before: Row, after: Row, name: string): void {
    const { acting } = this.#world;
    const key = keyOf(after);
    const takenUp = number(after.fence) > number(before.fence);
    if (takenUp && number(after.fence) !== number(before.fence) + 1) this.break("I10", `${name} skips a fence`);
    if (takenUp && acting !== null) this.#fenceOf.set(key, acting.id);
    // What is live is looked at by whoever comes; only to be removed may it change (T17).
    if (acting?.kind !== "consumer" || after.state === "live" || before.state === "live") return;
    const held = this.#heldBy.get(String(after.channel_id));
    if (held?.process !== acting.id) this.break("I10", `${name} by a hand that does not hold its channel`);
    const recovers = before.state === "sending" && after.state === "uncertain";
    if (!takenUp && !recovers && after.state !== "cancelled" && this.#fenceOf.get(key) !== acting.id)
      this.break("I10", `${name} under the fence of another hand`);
    if (takenUp && before.state === "uncertain" && after.state === "uncertain")
      this.#askedAgain(`${acting.id} ${key}`, name);
    if (
      held !== undefined &&
      after.next_at !== null &&
      number(after.next_at) < Math.min(held.at, number(before.next_at))
    )
      this.break("I30", `${name} is to be looked at again before it was looked at`);
  }

  /** Between two looks for a lost send lies time: no hand stays for many of them. */
  #askedAgain(hand: string, name: string): void {
    const times = (this.#asked.get(hand) ?? 0) + 1;
    this.#asked.set(hand, times);
    if (times === ASKED_BY_ONE_MAX + 1) this.break("I30", `${name} again and again by one hand`);
  }

  #expose(key: string, from: string, to: string): void {
    const all = this.exposures.get(key) ?? [];
    this.exposures.set(key, all);
    if (to === "sending") all.push({ from: this.#world.scheduler.count - 1, to: Number.POSITIVE_INFINITY });
    const last = all.at(-1);
    if (last !== undefined && from !== to && ENDED.includes(to)) last.to = this.#world.scheduler.count;
  }

  /** The write-ahead: all that must hold before the irrevocable call (T4). */
  #aboutToSend(before: Row, after: Row, name: string): void {
    this.#sends.add(keyOf(after));
    const now = this.#world.now();
    if (number(after.scheduled_for) > now) this.break("I11", `${name} before its time`);
    if (number(after.attempts) !== number(before.attempts) + 1) this.break("I6", `${name} is not counted`);
    const sends: { fence: number }[] = JSON.parse(String(after.sends));
    if (sends.length !== number(after.attempts) || sends.at(-1)?.fence !== after.fence)
      this.break("I6", `${name} and is not noted`);
    if (number(after.fence) <= (sends.at(-2)?.fence ?? 0)) this.break("I7", `${name} twice under one fence`);
    const timeout = networkOf(String(after.platform))?.sendTimeoutMs ?? 0;
    const [channel] = this.#world.database.rows(
      "SELECT lease_until FROM channels WHERE workspace_id = ? AND id = ?",
      WORKSPACE,
      String(after.channel_id),
    );
    if (number(channel?.lease_until) < now + timeout + MARGIN_MS)
      this.break("I10", `${name} under a lease that is too short`);
    const [allowed] = this.#world.database.rows(
      `SELECT 1 FROM posts JOIN channels ON channels.workspace_id = posts.workspace_id AND channels.id = ?
       WHERE posts.workspace_id = ? AND posts.id = ? AND posts.cancelled_at IS NULL
       AND channels.credential IS NOT NULL AND channels.removed_at IS NULL`,
      String(after.channel_id),
      WORKSPACE,
      String(after.post_id),
    );
    if (allowed === undefined) this.break("I9", `${name} though it was cancelled or its channel removed`);
  }

  #leased(before: Row, after: Row): void {
    const { acting } = this.#world;
    const taken = after.lease_holder !== null && after.lease_holder !== before.lease_holder;
    if (taken && acting !== null) this.#heldBy.set(String(after.id), { process: acting.id, at: this.#world.now() });
    if (taken && before.lease_holder !== null && number(before.lease_until) > this.#world.now())
      this.break("I10", `channel ${after.id} is taken while another hand holds it`);
  }

  /** Whatever a network now has, a committed write-ahead said before that it would come (I6). */
  #carriedOut(): void {
    const entries = this.#world.networks.ledger.list();
    for (const entry of entries.slice(this.#seen)) {
      this.#world.note(`    NETWORK has ${entry.platform} ${entry.text.slice(0, 60)}`);
      const wanted = this.#workload.wanted.find(({ n }) => n === readText(shownText(entry))?.n);
      const postIds = this.#world.database.rows("SELECT id FROM posts").map(({ id }) => String(id));
      const channel = this.#workload.channelOf.get(entry.platform);
      const keys = [...this.#sends].filter((key) => key.endsWith(` ${channel}`));
      const known = keys.some(
        (key) => key.startsWith(`${wanted?.postId ?? ""}`) || !postIds.includes(key.split(" ")[0] ?? ""),
      );
      if (wanted === undefined || !known)
        this.break("I6", `${entry.platform} has ${entry.text} and no attempt says so`);
    }
    this.#seen = entries.length;
  }
}

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
