// What a publisher does if a delivery could not be worked: because another writer has it, or because our own code fails.
//
// A delivery that fails again and again is given up (-> delivery/deliver.ts), which ends it. If its row does not accept even
// that, nothing can end it. The publisher then sets it aside and logs it, so that the deliveries behind it go out.
import { errorText, log } from "../adapters/log.ts";
import { isDailyLimit, waitAfter } from "../domain/daily-limit.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import type { LaneState } from "./lane-state.ts";
import type { PieceOfWork } from "./piece-of-work.ts";
import { getDeliveryName, getStage } from "./stages.ts";
import type { Starts } from "./starts.ts";

/** The wait after a failure of our own code, or of the database. */
export const FAILED_AGAIN_MS = 10_000;
/** The wait before a delivery that another writer has changed is read again. */
const TAKEN_AGAIN_MS = 5_000;

/** A row that its session may not write, although no other writer has changed it. */
class NotWritable extends Error {
  override name = "NotWritable";
  constructor() {
    super("the row is unchanged, and refuses the session's writes");
  }
}

interface Setback {
  state: LaneState;
  due: DueDelivery;
  piece: PieceOfWork;
}

export class Setbacks {
  readonly #starts: Starts;

  constructor(starts: Starts) {
    this.#starts = starts;
  }

  /** Another writer has edited, cancelled or taken the delivery. The channel waits until the rows are read again. */
  lost(setback: Setback): void {
    const { state, due, piece } = setback;
    switch (piece.lose(getDeliveryName(due), due.delivery.version)) {
      case "first":
        state.mustReadAgain();
        break;
      case "changed":
        state.comesDueIn(due.channel.id, TAKEN_AGAIN_MS);
        break;
      case "unchanged":
        this.failed(setback, new NotWritable());
    }
  }

  /** Never throws, because the deliveries of the channel that are still being written must be awaited. */
  failed({ state, due, piece }: Setback, error: unknown): void {
    const { workspaceId: workspace, postId: post, channelId: channel } = due.delivery;
    log("error", "delivery_failed", { workspace, channel, post, error: errorText(error) });
    const waitMs = waitAfter(error, FAILED_AGAIN_MS, state.ctx.now());
    if (error instanceof DatabaseAway) {
      state.databaseAway(waitMs);
      return;
    }
    let times = 1;
    try {
      if (!isDailyLimit(error)) {
        const wasHopeless = this.#starts.isHopeless(getStage(due));
        times = this.#starts.noteFailure(getStage(due));
        if (wasHopeless) {
          log("error", "delivery_set_aside", { workspace, channel, post });
          piece.setAside(getDeliveryName(due));
          state.mustReadAgain();
          return;
        }
      }
    } catch {
      // An object that has been replaced cannot count the failure; its replacement does.
    }
    state.comesDueIn(due.channel.id, waitMs * times);
  }
}
