// The publisher of one lane: up to sixteen channels of a workspace. When its alarm rings, it reads the due deliveries, works
// the channels concurrently and each channel's deliveries in order (-> delivery/deliver.ts), and sets the alarm for the next
// work. It can lose everything except its alarm without harm, because the database has the rest.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { deliver, giveUp } from "../delivery/deliver.ts";
import type { KeyValueStorage } from "../delivery/unwritten.ts";
import { waitAfter } from "../domain/daily-limit.ts";
import type { FollowUpTask } from "../domain/job.ts";
import type { LookUpAnswer, LookUpRequest } from "../domain/option-lookup.ts";
import { WorkAllowance, type WorkLimits } from "../domain/work-allowance.ts";
import { lookUpOptions } from "../follow-up/look-up-options.ts";
import type { DueDelivery, DueWork, Lane } from "../store/deliveries/due.ts";
import type { DeliveryRecord } from "../store/deliveries/record.ts";
import { locateFor } from "../store/homes.ts";
import { Alarm, type AlarmStorage } from "./alarm.ts";
import { KeptLookUps } from "./kept-look-ups.ts";
import { LaneState } from "./lane-state.ts";
import { PieceOfWork } from "./piece-of-work.ts";
import { FAILED_AGAIN_MS, Setbacks } from "./setbacks.ts";
import { getDeliveryName, getStage, isLate, listStages } from "./stages.ts";
import { Starts } from "./starts.ts";

/** The part of an object's own storage that a publisher needs. */
export interface PublisherStorage extends AlarmStorage, KeyValueStorage {
  deleteAll(): Promise<void>;
}

/**
 * If an alarm rings too early, it waits for work that is due within this time. Alarms follow a different clock than the
 * object. If that clock is ahead, an alarm that did not wait would ring again and again.
 */
const EARLY_MAX_MS = 2_000;

export class Publisher {
  readonly #storage: PublisherStorage;
  readonly #contextOf: (allowance: WorkAllowance | null) => Context;
  readonly #alarm: Alarm;
  readonly #starts: Starts;
  readonly #setbacks: Setbacks;
  readonly #lookUps: KeptLookUps;
  /** Limits on the requests of one invocation; null if it can never exceed them. */
  readonly #allowance: WorkAllowance | null;
  #state: LaneState | null = null;
  /** The piece of work of the current alarm. */
  #piece: PieceOfWork | null = null;
  /** Resolves when that piece of work ends. */
  #underWay: Promise<void> = Promise.resolve();

  /** `contextOf` is called once, when there is work. `limits`: the platform's limits on one invocation. */
  constructor(
    storage: PublisherStorage,
    contextOf: (allowance: WorkAllowance | null) => Context,
    limits: WorkLimits | null = null,
  ) {
    this.#storage = storage;
    this.#contextOf = contextOf;
    this.#alarm = new Alarm(storage);
    this.#starts = new Starts(storage);
    this.#setbacks = new Setbacks(this.#starts);
    this.#lookUps = new KeptLookUps(storage);
    this.#allowance = limits && new WorkAllowance(limits, () => void this.#alarm.setBy(Date.now()));
  }

  /** Whether the work of an alarm is being done, or work of an earlier alarm is still under way. */
  get isAtWork(): boolean {
    return this.#piece !== null || this.#state?.isBusy === true;
  }

  /** Notes that work is due at `at` (epoch milliseconds). */
  async arm(lane: Lane, dueAt: number): Promise<void> {
    this.#remember(lane);
    if (this.#piece === null) await this.#alarm.setBy(dueAt);
    else this.#piece.armed(dueAt);
  }

  /** Adds tasks to do before or after publishing. If the object loses them, the sweeper finds them again. */
  async followUp(lane: Lane, ...tasks: FollowUpTask[]): Promise<void> {
    this.#remember(lane);
    for (const task of tasks) this.#stateOf(lane).followUps.add(task);
    await this.arm(lane, this.#stateOf(lane).ctx.now());
  }

  /** Returns a network's choices for an option of a channel: the cached answer (null if none is valid), or a new one. */
  async lookUp(lane: Lane, request: LookUpRequest, mode: "kept" | "anew"): Promise<LookUpAnswer | null> {
    const { ctx, tools } = this.#stateOf(lane);
    if (mode === "kept") return this.#lookUps.find(request, ctx.now());
    return this.#lookUps.ask(request, async () => {
      await locateFor(ctx.homes, this.#storage.kv, lane.workspaceId, ctx.pause);
      return lookUpOptions(tools, lane, request);
    });
  }

  /** Clears the storage of a deleted workspace. */
  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#storage.deleteAll();
  }

  /** Does the due work, for a bounded time. Never throws: a throw would use up one of the platform's six retries. */
  async alarm(): Promise<void> {
    const lane = this.#storage.kv.get<Lane>("lane");
    if (lane === undefined) return;
    this.#allowance?.renew();
    if (this.#piece !== null) this.#piece.wake();
    else this.#underWay = this.#doPiece(lane);
    // Work that exceeds this invocation's limits continues in the next alarm, which has been set for it.
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
      if (this.#state?.isBusy !== true) this.#endStart();
    }
    const counts = this.#state?.tools.recorder.takeOutcomes() ?? null;
    if (counts !== null) this.#state?.ctx.later(this.#state.ctx.outcomes.add(counts));
    const armedAt = this.#piece?.armedAt ?? null;
    this.#piece = null;
    // If the alarm cannot be set, the sweeper finds the late work.
    const lost = (error: unknown) => log("error", "alarm_not_set", { error: errorText(error) });
    for (const alarmAt of [nextAt, armedAt]) if (alarmAt !== null) await this.#alarm.setBy(alarmAt).catch(lost);
  }

  /** Deletes the record of a start that failed. If the storage takes no rows, the record stays, and the next start is counted. */
  #endStart(): void {
    try {
      this.#starts.end();
    } catch (error) {
      log("error", "start_not_ended", { error: errorText(error) });
    }
  }

  #remember(lane: Lane): void {
    const storedLane = this.#storage.kv.get<Lane>("lane");
    if (storedLane?.workspaceId !== lane.workspaceId || storedLane.lane !== lane.lane)
      this.#storage.kv.put("lane", lane);
  }

  #stateOf(lane: Lane): LaneState {
    this.#state ??= new LaneState(lane, this.#contextOf(this.#allowance), this.#storage);
    return this.#state;
  }

  /** Returns when the next work is due by the object's clock (epoch milliseconds), or null if none is planned. */
  async #work(state: LaneState, piece: PieceOfWork): Promise<number | null> {
    const { ctx } = state;
    const isLocated = await locateFor(ctx.homes, this.#storage.kv, state.lane.workspaceId, ctx.pause);
    // If the rows have moved to another database, the kept results would look as if they had been written.
    if (!isLocated && state.unwritten.hasAny) return ctx.now() + FAILED_AGAIN_MS;
    const recorded = await state.unwritten.flush(state.db);
    const endpoints = recorded.flatMap(({ endpointsToNotify }) => endpointsToNotify);
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

  /** Works the channels concurrently. */
  #start(state: LaneState, { deliveries }: DueWork, piece: PieceOfWork): void {
    for (const [channelId, queue] of Map.groupBy(deliveries, ({ channel }) => channel.id)) {
      state.begin(channelId);
      void this.#workChannel(state, channelId, queue, piece).finally(() => {
        state.end(channelId);
        this.#piece?.wake();
      });
    }
  }

  /**
   * Works the deliveries of one channel in order until the network asks to wait or the piece of work is over. The next begins
   * while the previous one is written, so that both share a round trip to the database.
   */
  async #workChannel(state: LaneState, channelId: string, queue: DueDelivery[], piece: PieceOfWork): Promise<void> {
    const recording: Promise<void>[] = [];
    for (const [i, due] of queue.entries()) {
      if (i > 0 && (piece.isSpent || state.isDatabaseAway)) {
        state.mustReadAgain();
        break;
      }
      const hasNext = i < queue.length - 1;
      const { goesOn, restsUntil, recorded } = await this.#deliver(state, due, piece, hasNext);
      recording.push(recorded);
      if (!goesOn) {
        // The remaining deliveries of the queue are already due, and go out as soon as the network's wait is over.
        if (hasNext) state.comesDue(due.channel.id, restsUntil);
        break;
      }
    }
    state.tools.recorder.endChannel(channelId);
    await Promise.all(recording);
  }

  /**
   * Works one delivery. Never throws. `restsUntil`: when the network's wait ends. `recorded` resolves once the result is written.
   */
  async #deliver(state: LaneState, due: DueDelivery, piece: PieceOfWork, hasNext = false) {
    piece.delivered();
    const setback = { state, due, piece };
    try {
      const act = this.#starts.isHopeless(getStage(due)) ? giveUp : deliver;
      const delivered = await act(state.tools, due, hasNext);
      if (delivered === null) {
        this.#setbacks.lost(setback);
        return STOPS;
      }
      const { record } = delivered;
      // The next part of a thread comes before the deliveries that are due after it.
      const isInThread = record.threadPart?.proof === "part_live";
      if (isInThread) state.mustReadAgain();
      const recorded = delivered.recorded
        .then(({ written }) => (written ? this.#recorded(state, due, record) : this.#setbacks.lost(setback)))
        .catch((error) => this.#setbacks.failed(setback, error));
      const restsUntil = record.decision.channelNotBefore ?? null;
      return { goesOn: restsUntil === null && !isInThread, restsUntil, recorded };
    } catch (error) {
      this.#setbacks.failed(setback, error);
      return STOPS;
    }
  }

  #recorded(state: LaneState, due: DueDelivery, { decision, followUp, guard }: DeliveryRecord): void {
    state.comesDue(due.channel.id, decision.nextAt);
    for (const stage of listStages(due)) this.#starts.forget(stage);
    if (followUp.kinds.length > 0) {
      state.followUps.add({ kind: "after_publish", channel: due.channel.id, posts: [guard.key.postId] });
    }
  }

  /** Works deliveries one at a time, those that crashed the object last. Returns whether any delivery was left. */
  async #workAlone(state: LaneState, { deliveries }: DueWork, piece: PieceOfWork): Promise<boolean> {
    const remainingDeliveries = deliveries.filter((due) => !piece.hasWorkedAlone(getDeliveryName(due)));
    if (remainingDeliveries.length === 0 && state.followUps.isIdle) {
      this.#starts.end();
      return false;
    }
    log("warn", "publisher_careful", { workspace: state.lane.workspaceId, count: remainingDeliveries.length });
    // Ensures another start, even if this one crashes.
    await this.#alarm.setBy(state.ctx.now() + FAILED_AGAIN_MS);
    if (!piece.hasWorkedAlone(null)) await state.ctx.pause(this.#starts.backOffMs);
    for (const due of remainingDeliveries.toSorted(
      (a, b) => this.#starts.endsAt(getStage(a)) - this.#starts.endsAt(getStage(b)),
    )) {
      piece.worksAlone(getDeliveryName(due));
      await this.#starts.alone(getStage(due), async () => (await this.#deliver(state, due, piece)).recorded);
    }
    await state.followUps.workAlone(state.tools, this.#starts, piece);
    return true;
  }
}

/** The result of a delivery that has failed or belongs to another writer: the channel does not continue. */
const STOPS = { goesOn: false, restsUntil: null, recorded: Promise.resolve() };
