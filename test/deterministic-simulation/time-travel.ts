// The database goes back to an earlier minute, with what an operator does around it (docs/operations.md): pause, write down what stands,
// go back, stop again what was stopped, and go on.
import { applyStanding } from "../../src/store/after-restore.ts";
import { CREATE_STOOD_TABLE, STANDING, STOOD_TABLE, selectStanding } from "../../src/store/standing.ts";
import type { Row, SimulatedDatabase } from "./database.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** So long an operator waits for calls under way once everything is paused. */
const PAUSED_MS = 120_000;

/** Has the database go back, at `at`, to what it is at `minute`. Epoch milliseconds. */
export function timeTravel(world: World, workload: Workload, { minute, at }: { minute: number; at: number }): void {
  let kept: Map<string, Row[]> | null = null;
  workload.at(minute, () => {
    kept = world.database.keepRows();
  });
  workload.at(at, () => workload.stopEverything(PAUSED_MS));
  workload.at(at + PAUSED_MS, () => {
    if (kept !== null) goBack(world.database, kept, world.now());
    world.wentBack();
  });
}

function goBack(database: SimulatedDatabase, kept: Map<string, Row[]>, now: number): void {
  const stood = STANDING.flatMap((standing) => database.quietly(selectStanding(standing)));
  database.putRows(kept);
  database.quietly(CREATE_STOOD_TABLE);
  const insert = `INSERT INTO ${STOOD_TABLE} (kind, key, content) VALUES (?, ?, ?)`;
  for (const { kind = null, key = null, content = null } of stood) database.quietly(insert, kind, key, content);
  for (const { sql } of applyStanding(0, now)) database.quietly(sql);
  database.quietly(`DROP TABLE ${STOOD_TABLE}`);
}
