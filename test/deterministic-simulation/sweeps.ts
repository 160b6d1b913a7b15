// When the sweeper runs: in each minute in which it would find something.
import { type SweepCursors, sweep } from "../../src/maintenance/sweep.ts";
import { REPEATING } from "../../src/operations/posts/repeat-posts.ts";
import type { World } from "./world.ts";

const SWEEP_EVERY_MS = 60_000;
/** Deliveries that are due and may be sent. The sweeper leaves channels alone whose network asked for a wait. */
const WAITING = `deliveries JOIN channels ON channels.workspace_id = deliveries.workspace_id AND channels.id = channel_id
  WHERE next_at IS NOT NULL`;

/** Posts whose next post is to be made. */
export const TO_REPEAT = "posts WHERE repeat_state = 'active' AND finished_at IS NOT NULL AND cancelled_at IS NULL";

/** Posts past their retention time, and events that may be deleted. */
const OLD_POSTS = `posts WHERE finished_at IS NOT NULL AND status NOT IN ('draft', 'scheduled') AND NOT EXISTS (SELECT 1 FROM deliveries d
  WHERE d.workspace_id = posts.workspace_id AND d.post_id = posts.id AND (d.next_at IS NOT NULL OR d.check_at IS NOT NULL))`;
const OLD_EVENTS =
  "events e WHERE seq < (SELECT MAX(f.seq) FROM events f WHERE f.workspace_id = e.workspace_id) / 32 * 32";
const EVENTS_KEPT_MS = 90 * 86_400_000;

export class Sweeps {
  readonly #world: World;
  #at = Number.POSITIVE_INFINITY;
  /** The sweeper's progress from one sweep to the next. */
  readonly #cursors: SweepCursors = {};

  constructor(world: World) {
    this.#world = world;
  }

  /** Sweeps that would find nothing are skipped, because they change nothing. */
  plan(): void {
    const [row] = this.#world.database.rows(`SELECT MIN(
      COALESCE((SELECT MIN(MAX(next_at + 30000, COALESCE(not_before, 0))) FROM ${WAITING}), 9e15),
      COALESCE((SELECT MIN(check_at) FROM deliveries WHERE check_at IS NOT NULL), 9e15),
      COALESCE((SELECT MIN(next_at) FROM webhook_messages WHERE state = 'pending') + 30000, 9e15),
      COALESCE((SELECT MIN(renew_at) FROM channels WHERE renew_at IS NOT NULL), 9e15),
      COALESCE((SELECT MIN(next_at) FROM discarded_objects), 9e15),
      COALESCE((SELECT MIN(finished_at) FROM ${TO_REPEAT}), 9e15),
      COALESCE((SELECT MIN(expires_at) FROM media WHERE state <> 'expired'), 9e15),
      COALESCE((SELECT MIN(since) FROM clearances WHERE next_at = 0), 9e15)) AS at`);
    const wanted = Math.min(Number(row?.at), this.#oldAt());
    if (wanted >= 9e15) return;
    const at = Math.ceil(Math.max(wanted, this.#world.scheduler.now + 1) / SWEEP_EVERY_MS) * SWEEP_EVERY_MS;
    if (at >= this.#at) return;
    this.#at = at;
    this.#world.scheduler.at(at, () => {
      if (this.#at !== at) return;
      this.#at = Number.POSITIVE_INFINITY;
      if (this.#world.now() >= this.#world.outageUntil && this.#finds())
        this.#world.processes.spawn(
          "sweep",
          null,
          (ctx) => sweep(ctx, () => this.#cursors, this.#world.hasSeries ? REPEATING : {}),
          () => {},
        );
      this.plan();
    });
  }

  /** When something is old enough to be deleted. Only worlds with an archive run this long. */
  #oldAt(): number {
    const { archive, database } = this.#world;
    if (archive.keptMs === null) return Number.POSITIVE_INFINITY;
    const [row] = database.rows(
      `SELECT MIN(COALESCE((SELECT MIN(finished_at) + ?1 FROM ${OLD_POSTS}), 9e15),
        COALESCE((SELECT MIN(created_at) + ?2 FROM ${OLD_EVENTS}), 9e15)) AS at`,
      archive.keptMs,
      EVENTS_KEPT_MS,
    );
    return Number(row?.at);
  }

  #finds(): boolean {
    const { now } = this.#world.scheduler;
    if (this.#oldAt() <= now) return true;
    const foundRows = this.#world.database.rows(
      `SELECT 1 FROM ${WAITING} AND next_at <= ?1 - 30000 AND COALESCE(not_before, 0) <= ?1 UNION ALL SELECT 1 FROM deliveries WHERE check_at <= ?1
       UNION ALL SELECT 1 FROM webhook_messages WHERE state = 'pending' AND next_at <= ?1 - 30000
       UNION ALL SELECT 1 FROM channels WHERE renew_at <= ?1 UNION ALL SELECT 1 FROM clearances WHERE next_at = 0
       UNION ALL SELECT 1 FROM ${TO_REPEAT} UNION ALL SELECT 1 FROM discarded_objects WHERE next_at <= ?1
       UNION ALL SELECT 1 FROM media WHERE expires_at <= ?1 AND state <> 'expired' LIMIT 1`,
      now,
    );
    return foundRows.length > 0;
  }
}
