// The state that one publisher holds in memory while it is at work: the busy channels, when each channel has more work, and
// the state that its sessions share.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { ConnectionLimiter } from "../delivery/connection-limiter.ts";
import { Credentials } from "../delivery/credentials.ts";
import { NetworkHealth } from "../delivery/network-health.ts";
import { Recorder } from "../delivery/record.ts";
import { type KeyValueStorage, Unwritten } from "../delivery/unwritten.ts";
import { correctSkewMs } from "../domain/clock-skew.ts";
import type { FollowUpTools } from "../follow-up/after-publish.ts";
import { AskedWaits } from "../follow-up/asked-waits.ts";
import { sendTimeoutsMs } from "../networks/index.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { type DueWork, type Lane, readDue } from "../store/deliveries/due.ts";
import { FollowUps } from "./follow-ups.ts";
import type { PieceOfWork } from "./piece-of-work.ts";
import { nameDelivery } from "./stages.ts";

/** The state of a lane's deliveries between two reads of the database. */
export class LaneState {
  readonly lane: Lane;
  readonly ctx: Context;
  readonly unwritten: Unwritten;
  readonly followUps: FollowUps;
  readonly tools: FollowUpTools;
  #databaseAwayMs: number | null = null;
  readonly #busy = new Set<string>();
  /** By channel: when work comes due, by the object's clock. */
  readonly #nextAt = new Map<string, number>();
  /** Channels with more due deliveries than the last read returned. */
  readonly #hasMore = new Set<string>();
  /** Whether the last read left out a whole channel that has work. */
  #hasLeftOut = false;
  #mustRead = false;
  /** How far the database's clock is ahead of the object's. */
  #skewMs = 0;

  constructor(lane: Lane, ctx: Context, storage: KeyValueStorage) {
    this.lane = lane;
    this.ctx = ctx;
    this.unwritten = new Unwritten(storage);
    this.followUps = new FollowUps(lane);
    this.tools = {
      ctx,
      skewMs: () => this.#skewMs,
      recorder: new Recorder(ctx, this.unwritten, lane.workspaceId),
      limiter: new ConnectionLimiter(),
      health: new NetworkHealth(ctx.now),
      credentials: new Credentials(ctx, this.unwritten),
      waits: new AskedWaits(storage),
    };
  }

  get db() {
    return this.ctx.databaseOf(this.lane.workspaceId);
  }

  /** Reads the due deliveries of the channels that are not busy. Sets those aside that cannot be read, and reads again. */
  async read(piece: PieceOfWork): Promise<DueWork> {
    for (;;) {
      const work = await this.#read(piece);
      if (work.unreadable.length === 0 || piece.isSpent) return work;
    }
  }

  async #read(piece: PieceOfWork): Promise<DueWork> {
    this.#mustRead = false;
    const busy = [...this.#busy];
    // This read does not see deliveries of busy channels that have come due: those channels are read again when they end.
    for (const channelId of busy) this.#hasMore.add(channelId);
    let askedAt = this.ctx.now();
    const work = await untilKnown(this.ctx, () => {
      askedAt = this.ctx.now();
      return readDue(this.db, this.lane, { busy, aside: piece.aside, sendTimeoutsMs });
    });
    piece.queried(2);
    for (const { postId: post, channelId: channel, reason } of work.unreadable) {
      log("error", "delivery_unreadable", { workspace: this.lane.workspaceId, channel, post, error: reason });
      piece.setAside(nameDelivery(post, channel));
    }
    this.#databaseAwayMs = null;
    const reading = { askedAt, answeredAt: this.ctx.now(), shownAt: work.now };
    this.#skewMs = correctSkewMs(this.#skewMs, reading);
    for (const { channelId, hasMore, nextAt } of work.channels) {
      this.#nextAt.delete(channelId);
      this.comesDue(channelId, nextAt);
      if (hasMore) this.#hasMore.add(channelId);
    }
    const channelIds = new Set(work.deliveries.map(({ channel }) => channel.id));
    this.#hasLeftOut = work.channels.some(({ channelId, hasMore }) => hasMore && !channelIds.has(channelId));
    return work;
  }

  begin(channelId: string): void {
    this.#busy.add(channelId);
  }
  end(channelId: string): void {
    this.#busy.delete(channelId);
    if (this.#hasMore.delete(channelId) || this.#hasLeftOut) this.#mustRead = true;
  }
  get isBusy(): boolean {
    return this.#busy.size > 0;
  }
  get isIdle(): boolean {
    return this.#busy.size === 0 && this.followUps.isIdle && !(this.#mustRead && !this.isDatabaseAway);
  }

  /** Notes that the database gave no answer and is asked again in `ms` milliseconds. */
  databaseAway(ms: number): void {
    this.#databaseAwayMs = ms;
  }
  get databaseAwayMs(): number | null {
    return this.#databaseAwayMs;
  }
  get isDatabaseAway(): boolean {
    return this.#databaseAwayMs !== null;
  }
  mustReadAgain(): void {
    this.#mustRead = true;
  }
  takeWhetherToRead(): boolean {
    return this.#mustRead && !this.isDatabaseAway;
  }

  /**
   * Notes that work of a channel comes due at `at`, by the database's clock (epoch milliseconds), or that no work is planned
   * (null).
   */
  comesDue(channelId: string, dueAt: number | null): void {
    if (dueAt === null) return;
    const mine = dueAt - this.#skewMs;
    this.#nextAt.set(channelId, Math.min(mine, this.#nextAt.get(channelId) ?? mine));
  }
  /** Notes that a channel must be read again in `ms` milliseconds. */
  comesDueIn(channelId: string, ms: number): void {
    this.comesDue(channelId, this.ctx.now() + ms + this.#skewMs);
  }

  /** The next instant at which an idle channel has due work, or null. */
  nextAt(): number | null {
    const instants = [...this.#nextAt].flatMap(([channelId, dueAt]) => (this.#busy.has(channelId) ? [] : [dueAt]));
    return instants.length === 0 ? null : Math.min(...instants);
  }
}
