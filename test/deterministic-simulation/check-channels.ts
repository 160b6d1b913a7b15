// Channels that Crier disconnected, and the reasons.
import type { Row } from "./database.ts";
import type { Say } from "./promises.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Calls that exchange a single-use token. */
const RENEWAL = /token|refreshSession/;

/** A database fault is no reason to disconnect a channel, because the object keeps the new token in its own storage. */
const OF_DATABASE = /^(db|lost)_/;
const STOOD_STILL = ["freeze", "replace"];
/** An answer is written by then. */
const WRITES_MS = 1_000;

/** A channel is disconnected only if its owner or its network says so. */
export function judgeChannels(world: World, workload: Workload, say: Say): void {
  for (const row of world.database.rows("SELECT workspace_id, id, platform, handle, lost_reason FROM channels")) {
    if (row.lost_reason === null || workload.removed.has(String(row.id))) continue;
    const lost = world.injected.some(
      ({ port, kind, platform, n, workspace }) =>
        port === "wire" &&
        platform === row.platform &&
        // The tokens of all accounts of a network expire at once, and there may be no time to renew all of them.
        (kind === "wire_expired" || (n === null && (workspace === null || workspace === row.workspace_id))),
    );
    const diedRenewing = world.injected.some(
      ({ at, process, kind }) =>
        // A process that was replaced while it was frozen could not write its new token.
        ((process?.dead === true && !OF_DATABASE.test(kind)) || STOOD_STILL.includes(kind)) &&
        world.wires.calls.some(
          (call) =>
            call.process === process &&
            call.platform === row.platform &&
            RENEWAL.test(call.what) &&
            call.at <= at &&
            (call.answeredAt === null || call.answeredAt >= at - WRITES_MS),
        ),
    );
    if (!lost && !diedRenewing)
      say(
        "channels_are_kept",
        `${row.platform} ${row.handle} was given up (${row.lost_reason}) and its network lost no answer`,
      );
  }
}

/**
 * Follows who wrote the credential of a channel. A renewal of an older credential must not replace the one that the owner
 * connected.
 */
export class Connections {
  readonly #world: World;
  /** By channel: the network calls that had begun when its owner reconnected it. */
  readonly #connected = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  judge(before: Row | null, after: Row | null, say: Say): void {
    if (before === null || after === null || before.credential_id === after.credential_id || after.credential === null)
      return;
    const { acting, wires } = this.#world;
    const id = String(after.id);
    if (acting?.kind === "api") this.#connected.set(id, wires.calls.length);
    if (acting?.kind !== "alarm") return;
    const renewedBy = wires.calls.findLastIndex(
      ({ process, subject, what }) => process === acting && subject?.channel === id && RENEWAL.test(what),
    );
    if (renewedBy >= 0 && renewedBy < (this.#connected.get(id) ?? 0))
      say(
        "channels_are_kept",
        `a renewal that began before ${id} was connected again takes the place of what its owner connected`,
      );
  }
}
