// Moves a workspace to the other database while the world runs. It is the real move, statement by statement.
import { confirmMove, MoveRefused, moveWorkspace } from "../../scripts/move/move.ts";
import type { Query } from "../../scripts/query.ts";
import type { Tenant } from "./tenants.ts";
import type { World } from "./world.ts";

/** The duration of a call of Cloudflare's API. */
const CALL_MS = { min: 20, max: 400 };
/** The operator repeats a failed move after this time. */
const AGAIN_MS = 45_000;

class Died extends Error {
  override name = "Died";
}

/** If the copy still differs after so many tries, something wrote to the locked workspace. */
const TRIES_MAX = 10;

/** `diesAt`: for each try, the number of the statement before which it breaks off. The try after the last of them completes. */
export async function moveAway(world: World, { id: workspace }: Tenant, diesAt: readonly number[] = []): Promise<void> {
  world.isMoving = true;
  let lockedAt: number | null = null;
  const pause = (ms: number) => new Promise<void>((go) => world.after(ms, () => go()));
  const queriesUntil = (end: number): Query[] => {
    let count = 0;
    return world.databases.map((database, home) => async (sql, ...parameters) => {
      await pause(world.chance.between(CALL_MS.min, CALL_MS.max));
      if (++count >= end) throw new Died();
      const rows = database.quietly(sql, ...parameters);
      if (sql.includes("'leaving')")) lockedAt ??= world.now();
      if (home === 0 && sql.startsWith("UPDATE workspaces SET home")) world.goHome(1);
      return rows;
    });
  };
  const tell = (text: string) => world.note(`move: ${text}`);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      await moveWorkspace({ workspace, target: 1, databases: queriesUntil(diesAt[tries] ?? Infinity), tell });
      break;
    } catch (error) {
      if (!(error instanceof Died || error instanceof MoveRefused)) throw error;
      tell(error instanceof Died ? "it broke off" : error.message);
      await pause(AGAIN_MS);
    }
  }
  const from = lockedAt ?? world.now();
  world.inject("moved", { workspace, at: from, ms: world.now() - from });
  await confirmMove({ workspace, databases: queriesUntil(Infinity), tell });
  world.isMoving = false;
}
