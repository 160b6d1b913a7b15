// What must hold at any moment of a run (reliability 4): every commit, and every call that a network carried out.
import { networkOf } from "../../src/networks/index.ts";
import type { Change, Row, Value } from "./database.ts";
import { readText, shownText, WORKSPACE, type Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
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
/** States that a delivery does not leave by itself. */
export const ENDED = ["live", "failed", "unconfirmed", "cancelled", "removed"];
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
export const number = (value: Value | undefined): number => Number(value ?? 0);

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
