// Readers of the event feed continue from their cursors while posts go out, the database is restored, and the workspace moves.
import { NO_FAULTS } from "../faults.ts";
import { FeedReader } from "../feed-readers.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, many, post, type Scenario, SECOND } from "./scenario.ts";

const BUSY_MS = 8 * MINUTE;

/** A post every ten seconds, a reader of all events, a reader of the events of posts, and a channel that is reconnected. */
function readWhilePublishing(world: World, workload: Workload): void {
  const [tenant] = workload.tenants;
  const [channel] = workload.channels;
  if (tenant === undefined || channel === undefined) return;
  const readers = [
    new FeedReader(tenant, { hasChannels: true, limit: 2 }),
    new FeedReader(tenant, { hasChannels: false, limit: 5 }),
  ];
  workload.readers.push(...readers);
  for (let ms = 10 * SECOND; ms < BUSY_MS; ms += 10 * SECOND) {
    post(world, workload, tenant, { afterMs: ms });
    for (const reader of readers) workload.at(world.now() + ms + 5 * SECOND, () => reader.read(world, workload));
  }
  workload.at(world.now() + MINUTE, () => workload.reconnect(channel));
}

export const readerScenarios: Record<string, Scenario> = {
  "readers of the feed come back with their cursors": {
    tenants: [many("telegram", 2)],
    plan: () => NO_FAULTS,
    begin: readWhilePublishing,
  },
  "readers of the feed come back after the database went back": {
    tenants: [many("telegram", 2)],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      readWhilePublishing(world, workload);
      world.timeTravel(workload, { minute: world.now() + 2 * MINUTE, at: world.now() + 4 * MINUTE });
    },
  },
  "readers of the feed come back while their workspace moves": {
    tenants: [many("telegram", 2)],
    hasTwoDatabases: true,
    plan: () => NO_FAULTS,
    begin(world, workload) {
      readWhilePublishing(world, workload);
      const [tenant] = workload.tenants;
      if (tenant !== undefined) workload.at(world.now() + 2 * MINUTE, () => void world.moveAway(tenant, [40]));
    },
  },
};
