// The publisher of one lane: up to sixteen channels of a workspace. When its alarm rings it reads what is due, works the
// channels side by side and each one's deliveries in order (-> delivery/deliver.ts), and sets the alarm to what comes next.
// It may forget everything but its alarm: the rows say the rest.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { deliver, giveUp, type Neighbours } from "../delivery/deliver.ts";
import type { KeyValueStorage } from "../delivery/unwritten.ts";
import { isDailyLimit, waitAfter } from "../domain/daily-limit.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import type { FollowUpTask } from "../domain/job.ts";
import type { LookUpAnswer, LookUpRequest } from "../domain/option-lookup.ts";
import { WorkAllowance, type WorkLimits } from "../domain/work-allowance.ts";
import { lookUpOptions } from "../follow-up/look-up-options.ts";
import type { DueDelivery, DueWork, Lane } from "../store/deliveries/due.ts";
import type { Settlement } from "../store/deliveries/settle.ts";
import { locateFor } from "../store/homes.ts";
import { Alarm, type AlarmStorage } from "./alarm.ts";
import { KeptLookUps } from "./kept-look-ups.ts";
import { LaneState } from "./lane-state.ts";
import { PieceOfWork } from "./piece-of-work.ts";
import { isLate, nameOf, stageOf, stagesOf } from "./stages.ts";
import { Starts } from "./starts.ts";

/** What an object's own storage offers of all that a publisher needs. */
export interface PublisherStorage extends AlarmStorage, KeyValueStorage {
  deleteAll(): Promise<void>;
}

/** After a failure of our own, or of the database. */
const FAILED_AGAIN_MS = 10_000;
/**
 * An alarm that rang for nothing waits for what comes due so soon: alarms ring by another clock than the object's, and one that
 * is ahead would ring again and again until both agree.
 */
const EARLY_MAX_MS = 2_000;
/** What somebody else has written is read again after this. */
const TAKEN_AGAIN_MS = 5_000;

export class Publisher {
  readonly #storage: PublisherStorage;
  readonly #contextOf: (allowance: WorkAllowance | null) => Context;
  readonly #alarm: Alarm;
  readonly #starts: Starts;
  readonly #lookUps: KeptLookUps;
  /** What one invocation may ask of the platform; null: more than it ever does. */
  readonly #allowance: WorkAllowance | null;
  #state: LaneState | null = null;
  /** The piece of work that an alarm is doing. */
  #piece: PieceOfWork | null = null;
  /** Ends with that piece of work. */
  #underWay: Promise<void> = Promise.resolve();

  /** `contextOf` is asked once, when there is something to do. `limits`: of one invocation. */
  constructor(
    storage: PublisherStorage,
    contextOf: (allowance: WorkAllowance | null) => Context,
    limits: WorkLimits | null = null,
  ) {
    this.#storage = storage;
    this.#contextOf = contextOf;
    this.#alarm = new Alarm(storage);
    this.#starts = new Starts(storage);
    this.#lookUps = new KeptLookUps(storage);
    this.#allowance = limits && new WorkAllowance(limits, () => void this.#alarm.setBy(Date.now()));
  }

  /** Whether it does what an alarm rang for, or something of an earlier alarm is still under way. */
  get isAtWork(): boolean {
    return this.#piece !== null || this.#state?.isBusy === true;
  }

  /** Something is due at `at` (epoch milliseconds). */
  async arm(lane: Lane, at: number): Promise<void> {
    this.#remember(lane);
    if (this.#piece === null) await this.#alarm.setBy(at);
    else this.#piece.armed(at);
  }

  /** Something is to be looked at before or after publishing. What is forgotten, the sweeper finds again. */
  async followUp(lane: Lane, ...tasks: FollowUpTask[]): Promise<void> {
    this.#remember(lane);
    for (const task of tasks) this.#stateOf(lane).followUps.add(task);
    await this.arm(lane, this.#stateOf(lane).ctx.now());
  }

  /** What a network offers for an option of a channel of the lane: what is kept (null: nothing good), or asked anew. */
  async lookUp(lane: Lane, request: LookUpRequest, how: "kept" | "anew"): Promise<LookUpAnswer | null> {
    const { ctx, tools } = this.#stateOf(lane);
    if (how === "kept") return this.#lookUps.find(request, ctx.now());
    return this.#lookUps.ask(request, async () => {
      await locateFor(ctx.homes, this.#storage.kv, lane.workspaceId, ctx.pause);
      return lookUpOptions(tools, lane, request);
    });
  }

  /** The workspace is gone. */
  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
  }

  /** Does what is due, for a bounded time. Never throws: a throw would use up one of the platform's six retries. */
  async alarm(): Promise<void> {
    const lane = this.#storage.kv.get<Lane>("lane");
    if (lane === undefined) return;
    this.#allowance?.renew();
    if (this.#piece !== null) this.#piece.wake();
    else this.#underWay = this.#doPiece(lane);
    // What waits for the next invocation goes on in the alarm that has been set for it.
    await Promise.race([this.#underWay, ...(this.#allowance === null ? [] : [this.#allowance.exhausted])]);
  }

  async #doPiece(lane: Lane): Promise<void> {
    let nextAt: number | null = null;
    try {
      const state = this.#stateOf(lane);
      this.#piece = new PieceOfWork(state.ctx);
      nextAt = await this.#work(state, this.#piece);
    } catch (error) {
      log("error", "publisher_failed", { workspace: lane.workspaceId, error: errorText(error) });
      nextAt = Date.now() + waitAfter(error, FAILED_AGAIN_MS, Date.now());
      if (this.#state?.isBusy !== true) this.#starts.end();
    }
    const counts = this.#state?.tools.outcomes.take() ?? null;
    if (counts !== null) this.#state?.ctx.later(this.#state.ctx.outcomes.add(counts));
    const armedAt = this.#piece?.armedAt ?? null;
    this.#piece = null;
    // Where the alarm cannot be set, the sweeper finds what is late.
    const lost = (error: unknown) => log("error", "alarm_not_set", { error: errorText(error) });
    for (const at of [nextAt, armedAt]) if (at !== null) await this.#alarm.setBy(at).catch(lost);
  }

  #remember(lane: Lane): void {
    const known = this.#storage.kv.get<Lane>("lane");
    if (known?.workspaceId !== lane.workspaceId || known.lane !== lane.lane) this.#storage.kv.put("lane", lane);
  }

  #stateOf(lane: Lane): LaneState {
    this.#state ??= new LaneState(lane, this.#contextOf(this.#allowance), this.#storage);
    return this.#state;
  }

  /** Returns when there is more to do, by the object's clock (epoch milliseconds); null: nothing is planned. */
  async #work(state: LaneState, piece: PieceOfWork): Promise<number | null> {
    const { ctx } = state;
    const isLocated = await locateFor(ctx.homes, this.#storage.kv, state.lane.workspaceId, ctx.pause);
    // A database that has lost the workspace's rows would take what is kept for written.
    if (!isLocated && state.unwritten.hasAny) return ctx.now() + FAILED_AGAIN_MS;
    const settled = await state.unwritten.flush(state.db);
    const endpoints = settled.flatMap(({ endpointsToNotify }) => endpointsToNotify);
    if (endpoints.length > 0) ctx.later(ctx.webhooks.wake(state.lane.workspaceId, endpoints));
    for (let mustRead = true; ; ) {
      if (mustRead && piece.isSpent) return ctx.now();
      if (mustRead) {
        const work = await state.read(piece);
        if (!work.hasChannels) {
          if (!isLocated) return ctx.now() + FAILED_AGAIN_MS;
          await this.clear();
          return null;
        }
        this.#starts.begin({ isLate: isLate(work), hasFollowUps: !state.followUps.isIdle });
        if (this.#starts.isCareful && !state.isBusy && (await this.#workAlone(state, work, piece))) continue;
        this.#start(state, work, piece);
      }
      state.followUps.start(state.tools, piece, () => this.#piece?.wake());
      const isEarly = !piece.hasDelivered && (state.nextAt() ?? Infinity) <= ctx.now() + EARLY_MAX_MS;
      if (state.isIdle && !isEarly) break;
      if (piece.isSpent) return ctx.now();
      await piece.wait(state.nextAt());
      mustRead = state.takeWhetherToRead() || piece.takeWhetherArmed() || (state.nextAt() ?? Infinity) <= ctx.now();
    }
    this.#starts.end();
    return state.databaseAwayMs === null ? state.nextAt() : ctx.now() + state.databaseAwayMs;
  }

  /** Works the channels side by side. */
  #start(state: LaneState, { deliveries }: DueWork, piece: PieceOfWork): void {
    for (const [channelId, queue] of Map.groupBy(deliveries, ({ channel }) => channel.id)) {
      state.begin(channelId);
      void this.#workChannel(state, queue, piece).finally(() => {
        state.end(channelId);
        this.#piece?.wake();
      });
    }
  }

  /**
   * Works deliveries of one channel one after the other, until the network asks to wait or the piece of work is over. While
   * one is written the next one begins: both share a round trip to the database.
   */
  async #workChannel(state: LaneState, queue: DueDelivery[], piece: PieceOfWork): Promise<void> {
    const settling: Promise<void>[] = [];
    /** Ends the keeping of a place for the next delivery, which a settlement waits for. */
    let begun = () => {};
    for (const [i, due] of queue.entries()) {
      if (i > 0 && (piece.isSpent || state.isDatabaseAway)) {
        state.mustReadAgain();
        break;
      }
      let keptForNext = () => {};
      const settles = () => {
        if (i < queue.length - 1) keptForNext = state.tools.batcher.join();
      };
      const { goesOn, restsUntil, settled } = await this.#deliver(state, due, piece, { begun, settles });
      begun();
      begun = keptForNext;
      settling.push(settled);
      if (!goesOn) {
        // The rest of the queue is due already, and goes out as soon as the network's wait is over.
        if (i < queue.length - 1) state.comesDue(due.channel.id, restsUntil);
        break;
      }
    }
    begun();
    await Promise.all(settling);
  }

  /** Returns whether the channel may go on, until when its network asked it to wait (null: it did not), and when the delivery is settled. Never throws. */
  async #deliver(state: LaneState, due: DueDelivery, piece: PieceOfWork, neighbours?: Neighbours) {
    piece.delivered();
    const act = this.#starts.isHopeless(stageOf(due)) ? giveUp : deliver;
    try {
      const delivered = await act(state.tools, due, neighbours);
      if (delivered === null) {
        this.#lost(state, due, piece);
        return STOPS;
      }
      const { settlement } = delivered;
      // The next part of a thread comes before what is due after it.
      const isInThread = settlement.part?.proof === "part_live";
      if (isInThread) state.mustReadAgain();
      const settled = delivered.settled
        .then(({ written }) => (written ? this.#settled(state, due, settlement) : this.#lost(state, due, piece)))
        .catch((error) => this.#failed(state, due, error));
      const restsUntil = settlement.transition.channelNotBefore ?? null;
      return { goesOn: restsUntil === null && !isInThread, restsUntil, settled };
    } catch (error) {
      this.#failed(state, due, error);
      return STOPS;
    }
  }

  #settled(state: LaneState, due: DueDelivery, { transition, followUp, guard }: Settlement): void {
    state.comesDue(due.channel.id, transition.nextAt);
    for (const stage of stagesOf(due)) this.#starts.forgetFailures(stage);
    if (followUp.hasComment || followUp.additions != null) {
      state.followUps.add({ kind: "verify", channel: due.channel.id, posts: [guard.key.postId] });
    }
  }

  /** Edited or cancelled meanwhile, or another object has it: its channel waits for what the rows say now. */
  #lost(state: LaneState, due: DueDelivery, piece: PieceOfWork): void {
    if (piece.isLostAgain(nameOf(due))) state.comesDueIn(due.channel.id, TAKEN_AGAIN_MS);
    else state.mustReadAgain();
  }

  /** Never throws: the deliveries of the channel that are still being written are waited for. */
  #failed(state: LaneState, due: DueDelivery, error: unknown): void {
    log("error", "delivery_failed", { workspace: state.lane.workspaceId, error: errorText(error) });
    const waitMs = waitAfter(error, FAILED_AGAIN_MS, state.ctx.now());
    if (error instanceof DatabaseAway) {
      state.databaseAway(waitMs);
      return;
    }
    let times = 1;
    try {
      if (!isDailyLimit(error)) times = this.#starts.noteFailure(stageOf(due));
    } catch {
      // An object that another one has replaced can note nothing; the other one counts.
    }
    state.comesDueIn(due.channel.id, waitMs * times);
  }

  /**
   * After starts that had no end: one delivery at a time, those last at which the object has ended before. Returns whether
   * there was anything left to be worked so.
   */
  async #workAlone(state: LaneState, { deliveries }: DueWork, piece: PieceOfWork): Promise<boolean> {
    const left = deliveries.filter((due) => !piece.hasWorkedAlone(nameOf(due)));
    if (left.length === 0 && state.followUps.isIdle) {
      this.#starts.end();
      return false;
    }
    log("warn", "publisher_careful", { workspace: state.lane.workspaceId, count: left.length });
    // Whatever becomes of this start, there is another one.
    await this.#alarm.setBy(state.ctx.now() + FAILED_AGAIN_MS);
    if (!piece.hasWorkedAlone(null)) await state.ctx.pause(this.#starts.backOffMs);
    for (const due of left.toSorted((a, b) => this.#starts.endsAt(stageOf(a)) - this.#starts.endsAt(stageOf(b)))) {
      piece.worksAlone(nameOf(due));
      await this.#starts.alone(stageOf(due), async () => (await this.#deliver(state, due, piece)).settled);
    }
    await state.followUps.workAlone(state.tools, this.#starts, piece);
    return true;
  }
}

/** A channel whose delivery has failed, or is somebody else's, waits. */
const STOPS = { goesOn: false, restsUntil: null, settled: Promise.resolve() };
