// Promises that hold at every moment of a run (docs/delivery.md#promises): checked at each commit, each call of a network, and
// each effect of one.
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { type DeliveryState, isState, MOVES, type Move, movesBetween } from "../../src/domain/delivery/transitions.ts";
import { readText } from "./attribution.ts";
import { AdditionChecks } from "./check-additions.ts";
import { judgeForgotten } from "./check-archive.ts";
import { Connections } from "./check-channels.ts";
import { Deletions, judgeApproved, judgeOrder } from "./check-ledger.ts";
import { judgeInstants, judgeRowChange, judgeTakedown } from "./check-rows.ts";
import { judgeWait } from "./check-waits.ts";
import type { Change, Row, Value } from "./database.ts";
import { readLastTry, readSends } from "./delivery-rows.ts";
import type { Wait } from "./history.ts";
import type { PromiseName, Say } from "./promises.ts";
import type { Process } from "./scheduler.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { NetworkCall } from "./wire.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** An announced send without a written answer. */
interface Intent {
  process: Process | null;
  at: number;
}
/** A send whose process ended, was frozen or was replaced before its answer was written. */
export interface Orphan {
  /** The scheduler's step, which identifies the end. */
  step: number;
  /** The calls that had begun by then, or that the process still made. */
  calls: NetworkCall[];
}

const ALL_MOVES: readonly Move[] = Object.values(MOVES);

export function getState({ state }: Row): DeliveryState {
  if (typeof state === "string" && isState(state)) return state;
  throw new Error(`${String(state)} is no state of a delivery`);
}

export const getKey = (row: Row): string => `${row.post_id} ${row.channel_id}`;
export const number = (value: Value | undefined): number => Number(value ?? 0);

export class Checks {
  readonly broken: string[] = [];
  readonly orphans = new Map<string, Orphan>();
  readonly #world: World;
  readonly #workload: Workload;
  readonly #intents = new Map<string, Intent>();
  /** When processes were replaced. Sends that they announce later are orphaned too. */
  readonly #takenOver = new Map<Process, number>();
  /** When processes ended or were frozen. Announcements that a dead process had already sent are orphaned too. */
  readonly #ended = new Map<Process, number>();
  /** Deliveries with any announced send. */
  readonly #sends = new Set<string>();
  /** When their first send was announced. */
  readonly #firstSends = new Map<string, number>();
  /** The waits of rows. */
  readonly waits = new Map<string, Wait[]>();
  /** When deliveries last ended. */
  readonly endedAt = new Map<string, number>();
  #seen = 0;
  readonly #deletions = new Deletions();
  readonly #connections: Connections;
  readonly additions: AdditionChecks;

  constructor(world: World, workload: Workload) {
    this.#world = world;
    this.#workload = workload;
    this.additions = new AdditionChecks(world);
    this.#connections = new Connections(world);
    world.committed = (changes) => this.#committed(changes);
    world.called = (call) => this.#called(call);
    world.carriedOut = () => this.#carriedOut();
    world.killed = (process) => this.#orphaned(process);
    world.takenOver = (process) => this.#takenOver.set(process, world.scheduler.count);
  }

  break(promise: PromiseName, what: string): void {
    const line = `${promise} ${what}`;
    this.#world.note(`BROKEN ${line}`);
    this.broken.push(line);
  }

  #committed(changes: Change[]): void {
    const changesOf = (table: string) => changes.filter((change) => change.table === table);
    const say: Say = (promise, what) => this.break(promise, what);
    judgeInstants(changes, say);
    this.#workload.months?.committed();
    for (const series of this.#workload.series) series.committed(changesOf("posts"));
    judgeForgotten(this.#world, changes, say);
    for (const { before, after } of changesOf("deliveries"))
      if (before !== null && after !== null) this.#changed(before, after, changes);
    for (const { before, after } of changesOf("follow_ups")) {
      if (after === null) continue;
      judgeTakedown(this.#world, before, after, say);
      this.additions.changed(before, after, changes, say);
    }
    for (const { before, after } of changesOf("channels")) this.#connections.judge(before, after, say);
    for (const { before, after } of changesOf("events")) {
      // Other events, such as a warning before publishing, belong to no transition.
      if (before !== null || after === null || !ALL_MOVES.some(({ event }) => event === after.event)) continue;
      const moved = changesOf("deliveries").some(
        (change) =>
          change.after !== null &&
          getKey(change.after) === getKey(after) &&
          ALL_MOVES.some(({ to, event }) => to === change.after?.state && event === after.event),
      );
      if (!moved) this.break("one_event_each", `${after.event} of ${getKey(after)} has no transition`);
      if (after.event === "delivery.failed" && JSON.parse(String(after.body)).action == null)
        this.break("failure_names_action", `a failure of ${getKey(after)} names no action`);
    }
  }

  #changed(before: Row, after: Row, changes: Change[]): void {
    const { acting } = this.#world;
    const key = getKey(after);
    const [from, to] = [getState(before), getState(after)];
    const name = `${from} -> ${to} of ${key}`;
    if (from !== to) this.#world.note(`    ${name} version ${after.version} ${readLastTry(after).detail ?? ""}`);
    if (after.next_at !== null && after.version !== before.version) {
      const wait = {
        from: this.#world.now(),
        to: number(after.next_at),
        state: to,
        retries: readLastTry(before).retries,
      };
      this.waits.set(key, [...(this.waits.get(key) ?? []), wait]);
    }
    if (after.next_at === null && before.next_at !== null) this.endedAt.set(key, this.#world.now());
    const actor = acting?.kind === "api" ? "caller" : "publisher";
    const say: Say = (promise, what) => this.break(promise, what);
    judgeRowChange(this.#world, this.#workload, { before, after, changes }, say);
    if (number(after.version) < number(before.version)) this.break("versions_rise", `${name} turns its version back`);
    const moves = movesBetween(from, to).filter((move) => move.by.includes(actor));
    if (from !== to && moves.length === 0)
      this.break("moves_of_the_table", `${name} by the ${actor} is not in the table`);
    if (readSends(after).length > readSends(before).length) this.#aboutToSend(after, name);
    else if (this.#intents.has(key) && to !== "sending") this.#intents.delete(key);
    const [move] = moves;
    if (from === to || move === undefined || move.event === null) return;
    const { event } = move;
    const moved = changes.filter(
      ({ table, after: row }) => table === "events" && row !== null && getKey(row) === key && row.event === event,
    ).length;
    if (moved !== 1) this.break("one_event_each", `${name} has ${moved} events`);
  }

  /** Judges the announcement of a send: everything that must hold before the irrevocable call. */
  #aboutToSend(after: Row, name: string): void {
    const key = getKey(after);
    this.#sends.add(key);
    if (!this.#firstSends.has(key)) this.#firstSends.set(key, this.#world.now());
    const { acting } = this.#world;
    this.#intents.set(key, { process: acting, at: this.#world.now() });
    const endedAt = acting?.dead ? this.#ended.get(acting) : undefined;
    const goneAt = acting === null ? undefined : (this.#takenOver.get(acting) ?? endedAt);
    if (goneAt !== undefined) this.orphans.set(key, { step: goneAt, calls: [] });
    const [allowed] = this.#world.database.rows(
      `SELECT 1 FROM posts JOIN channels ON channels.workspace_id = posts.workspace_id AND channels.id = ?
       WHERE posts.workspace_id = ? AND posts.id = ? AND posts.cancelled_at IS NULL
       AND channels.credential IS NOT NULL AND channels.removed_at IS NULL`,
      String(after.channel_id),
      String(after.workspace_id),
      String(after.post_id),
    );
    const waits = this.#world.database.rows(
      "SELECT 1 FROM posts WHERE workspace_id = ? AND id = ? AND status = 'awaiting_approval'",
      String(after.workspace_id),
      String(after.post_id),
    );
    if (waits.length > 0) this.break("approval_holds", `${name} though it waits`);
    if (allowed === undefined) this.break("stop_holds", `${name} though it was cancelled or its channel removed`);
  }

  /** Notes that a process ended or was replaced, so that the answer to its sends is lost. */
  #orphaned(process: Process): void {
    this.#ended.set(process, this.#world.scheduler.count);
    for (const [key, { process: mine, at }] of this.#intents) {
      if (mine !== process) continue;
      const [postId] = key.split(" ");
      const n = this.#workload.wanted.find((wanted) => wanted.postId === postId)?.n;
      const calls = this.#world.wires.calls.filter(
        (call) => call.irrevocable && call.n === n && call.process === process && call.at >= at,
      );
      this.orphans.set(key, { step: this.#world.scheduler.count, calls });
    }
  }
  #called(call: NetworkCall): void {
    this.additions.called(
      call,
      (entry) => findTarget(entry, this.#workload),
      (promise, what) => this.break(promise, what),
    );
    if (call.n === null) return;
    if (call.irrevocable && this.#takenOver.has(call.process)) this.#begun(call);
    judgeWait(
      this.#world,
      call,
      () => this.#hasEnded(call),
      (promise, what) => this.break(promise, what),
    );
  }

  /** Notes a call that a replaced process announced after its replacement. */
  #begun(call: NetworkCall): void {
    const { n, process } = call;
    for (const [key, intent] of this.#intents) {
      const orphan = this.orphans.get(key);
      const isIts = intent.process === process && key.startsWith(`${this.#workload.wanted[n ?? -1]?.postId} `);
      if (isIts && orphan !== undefined) this.orphans.set(key, { ...orphan, calls: [...orphan.calls, call] });
    }
  }

  /** Whether all deliveries of a call's post to its network have ended, so that the call is a recheck. */
  #hasEnded({ n, platform }: NetworkCall): boolean {
    const postId = this.#workload.wanted[n ?? -1]?.postId ?? null;
    const rows = this.#world.database.rows(
      `SELECT next_at FROM deliveries JOIN channels ON channels.id = deliveries.channel_id
       WHERE post_id = ? AND channels.platform = ?`,
      postId,
      platform,
    );
    return rows.length > 0 && rows.every(({ next_at }) => next_at === null);
  }

  /** Judges each new post on a network: its send was announced, it is not early, and it says what was requested. */
  #carriedOut(): void {
    const entries = this.#world.networks.ledger.list();
    for (const entry of entries.slice(this.#seen)) {
      this.#world.note(`    NETWORK has ${entry.platform} ${entry.account} ${entry.text.slice(0, 60)}`);
      if (isComment(entry)) continue;
      const target = findTarget(entry, this.#workload);
      if (target === null) {
        this.break("announced_first", `${entry.platform} has ${entry.text} and nobody wanted that`);
        continue;
      }
      const { wanted, channel } = target;
      const name = `p${wanted.n} on ${channel.platform} ${channel.handle}`;
      const postIds = this.#world.database.rows("SELECT id FROM posts").map(({ id }) => String(id));
      const isAnnounced = [...this.#sends].some(
        (key) =>
          key.endsWith(` ${channel.id}`) &&
          (wanted.postId === null || key.startsWith(wanted.postId) || !postIds.includes(key.split(" ")[0] ?? "")),
      );
      if (!isAnnounced) this.break("announced_first", `${name} is out and no attempt says so`);
      const say: Say = (promise, what) => this.break(promise, what);
      judgeApproved(entry, target, this.#workload, say);
      judgeOrder(this.#world, entry, target, say);
      if (wanted.declinedAt !== null) this.break("approval_holds", `${name} is out and was declined`);
      this.#judgeStart(wanted, channel, name);
      this.#judgeCancel(wanted, channel, name);
    }
    this.#seen = entries.length;
    const say: Say = (promise, what) => this.break(promise, what);
    this.#deletions.judge(this.#world, (entry) => findTarget(entry, this.#workload), say);
  }

  #judgeStart(wanted: Wanted, channel: Channel, name: string): void {
    const now = this.#world.now();
    const earliest = wanted.earliest(channel.id, now);
    if (earliest === null) this.break("never_early", `${name} is a draft and out`);
    else if (now < earliest) this.break("never_early", `${name} is out ${earliest - now} ms before its time`);
  }

  /** An acknowledged cancellation stops every send that had not begun. */
  #judgeCancel(wanted: Wanted, { id, platform }: Channel, name: string): void {
    const { surelyCancelledAt: at } = wanted;
    if (at === null || wanted.retriedAt(id).length > 0) return;
    const hasBegun = this.#world.wires.calls.some(
      (call) => call.n === wanted.n && call.platform === platform && call.irrevocable && call.at <= at,
    );
    // A post that an earlier call began may go live by itself.
    const announced = [...this.#sends].some((key) => key.startsWith(wanted.postId ?? "?"));
    const wasAnnounced = announced && this.#announcedAt(wanted) <= at;
    if (!hasBegun && !wasAnnounced)
      this.break("stop_holds", `${name} goes out ${this.#world.now() - at} ms after it was cancelled`);
  }
  #announcedAt({ postId }: Wanted): number {
    const all = [...this.#firstSends].filter(([key]) => key.startsWith(postId ?? "?"));
    return Math.min(...all.map(([, at]) => at));
  }
}

/** A part of a thread may be a comment on its network. */
export const isComment = ({ detail, text }: LedgerEntry): boolean =>
  typeof detail.comment_on === "string" && readText(text) === null;

/** The post and the channel that a ledger entry belongs to. */
export function findTarget(entry: LedgerEntry, workload: Workload): { wanted: Wanted; channel: Channel } | null {
  const wanted = workload.wanted[readText(entry.text)?.n ?? -1];
  const channel = workload.channels.find(
    ({ platform, handle }) => platform === entry.platform && handle === entry.account,
  );
  if (wanted === undefined || channel === undefined || channel.workspace !== wanted.workspace) return null;
  return { wanted, channel };
}
