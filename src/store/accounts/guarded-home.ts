// The guard of a workspace whose rows are in another database than the accounts.
//
// No transaction covers two databases, so the database that writes cannot check a key, a session or a role. It can
// compare a number. Each workspace has a rights epoch: a count of how often a person's or key's rights in it have
// ended. Triggers in the accounts database raise it together with the act that ends the rights
// (migrations/0001_schema.sql), and the workspace's own database receives the new number before that act is
// answered. A call knows the epoch at which its rights held. Its batch is written only if the database has no later
// epoch, so once the act has been answered, no call that was judged before it writes anything.
//
// The rights of another caller may be the ones that ended. Then the caller's own rights are checked again in the
// accounts database, and if they hold, the batch is retried with the epoch that was read with them.
//
// A database that does not answer cannot receive the new number; the sweeper sends it later. Until then, the age of a
// judgement limits what it may write: none older than `RIGHTS_KEPT_MS` counts.
import { eq, type SQL, sql } from "drizzle-orm";
import { refuseMoving } from "../../domain/database-fault.ts";
import { RIGHTS_KEPT_MS } from "../../domain/limits.ts";
import type { Refusal } from "../../domain/refusal.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { workspaces } from "../db/schema.ts";
import type { Judged } from "../homes.ts";
import { type Guard, guardBatches } from "./guarded-database.ts";
import { unlessEnded, type WorkspaceRights } from "./rights.ts";

export interface GuardedHome {
  accounts: Database;
  /** Where the workspace's rows are. */
  home: Database;
  rights: WorkspaceRights;
  /** When these rights were last known to hold; undefined: they are checked before the first batch. */
  judged: Judged | undefined;
  /** The refusal of a caller whose rights have ended. */
  ended(): Refusal;
}

/** The database of a workspace's rows, for the batches of a caller with these rights. */
export function guardedHome({ accounts, home, rights, judged: known, ended }: GuardedHome): Database {
  let judged = known;
  async function judge(epochMin: number): Promise<Judged> {
    const now = await judgeRights(accounts, rights, epochMin);
    if (now === undefined) throw ended();
    return now;
  }
  const guard: Guard = {
    async condition() {
      judged ??= await judge(0);
      return isCurrent(rights.workspaceId, judged);
    },
    async refused() {
      const before = judged;
      const epoch = await readEpoch(home, rights.workspaceId);
      judged = await judge(epoch ?? 0);
      if (epoch === undefined) throw refuseMoving();
      // Without a newer judgement, the guard did not cause the refusal. The databases' clocks may differ slightly.
      return before === undefined || judged.epoch > before.epoch || judged.at > before.at + RIGHTS_KEPT_MS / 2;
    },
  };
  return guardBatches(home, guard);
}

/**
 * True, in the database of a workspace's rows, if no rights there have ended since the caller was judged, and that was
 * recent.
 */
const isCurrent = (workspaceId: string, { epoch, at }: Judged): SQL =>
  sql`EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId} AND ${workspaces.rightsEpoch} <= ${epoch}
    AND ${NOW} <= ${at + RIGHTS_KEPT_MS})`;

/**
 * Checks whether rights hold, and at which epoch; undefined: they have ended. Raises the epoch to at least `epochMin`:
 * a database that was restored to an earlier time may be behind the other.
 */
async function judgeRights(accounts: Database, rights: WorkspaceRights, epochMin: number): Promise<Judged | undefined> {
  const { workspaceId: id } = rights;
  const { rows } = await batch(accounts, {
    caughtUp: accounts
      .update(workspaces)
      .set({ rightsEpoch: epochMin })
      .where(sql`${eq(workspaces.id, id)} AND ${workspaces.rightsEpoch} < ${epochMin}`),
    rows: accounts
      .select({ epoch: workspaces.rightsEpoch, at: NOW.as("at") })
      .from(workspaces)
      .where(sql`${eq(workspaces.id, id)} AND ${unlessEnded(rights)}`),
  });
  return rows[0];
}

async function readEpoch(home: Database, workspaceId: string): Promise<number | undefined> {
  const [row] = await home
    .select({ epoch: workspaces.rightsEpoch })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return row?.epoch;
}
