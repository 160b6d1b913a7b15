// Restores the database to an earlier minute with the steps of an operator (docs/operations.md): pause, save what must stay
// stopped, restore, stop it again, and resume.
import { applyStanding } from "../../src/store/after-restore.ts";
import { CREATE_STOOD_TABLE, STANDING, STOOD_TABLE, selectStanding } from "../../src/store/standing.ts";
import type { Row, SimulatedDatabase } from "./database.ts";
import type { Chance } from "./prng.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;
/** How long an operator waits, once everything is paused, for calls in progress. */
const PAUSED_MS = 120_000;

/** At `at`, restores the database to its state at `minute`. Epoch milliseconds. */
export function timeTravel(world: World, workload: Workload, { minute, at }: { minute: number; at: number }): void {
  let keptRows: Map<string, Row[]> | null = null;
  workload.at(minute, () => {
    keptRows = world.database.keepRows();
  });
  workload.at(at, () => workload.stopEverything(PAUSED_MS));
  workload.at(at + PAUSED_MS, () => {
    if (keptRows !== null) goBack(world.database, keptRows, world.now());
    world.wentBack();
  });
}

/** Has a restore happen within the first hour. */
export function planRestore(world: World, workload: Workload, chance: Chance): void {
  const minute = world.now() + chance.between(MINUTE, 30 * MINUTE);
  timeTravel(world, workload, { minute, at: minute + chance.between(MINUTE, 30 * MINUTE) });
}

function goBack(database: SimulatedDatabase, keptRows: Map<string, Row[]>, now: number): void {
  const stood = STANDING.flatMap((standing) => database.quietly(selectStanding(standing)));
  database.putRows(keptRows);
  database.quietly(CREATE_STOOD_TABLE);
  const insert = `INSERT INTO ${STOOD_TABLE} (kind, key, content) VALUES (?, ?, ?)`;
  for (const { kind = null, key = null, content = null } of stood) database.quietly(insert, kind, key, content);
  for (const { sql } of applyStanding(0, now)) database.quietly(sql);
  database.quietly(`DROP TABLE ${STOOD_TABLE}`);
}
