// Locates the database that holds a workspace's rows: its home. The accounts database stores the home of every
// workspace, and returns it together with the credential that opens the workspace; a caller without a credential looks
// it up first. A deployment with one database skips this lookup.
import { eq } from "drizzle-orm";
import { refuse } from "../domain/refusal.ts";
import type { Database } from "./db/db.ts";
import { ANSWER_MAX_MS, inTime } from "./db/in-time.ts";
import { workspaces } from "./db/schema.ts";

/** When the rights of a caller were last known to hold. */
export interface Judged {
  /** The `rightsEpoch` of the workspace at that time, from its row in the accounts database. */
  epoch: number;
  /** By the clock of the accounts database, in epoch milliseconds. */
  at: number;
}

export class Homes {
  /** By their numbers; the first one is the accounts database. */
  readonly databases: readonly [Database, ...Database[]];
  readonly #known = new Map<string, number>();
  readonly #judged = new Map<string, Judged>();

  constructor(databases: readonly [Database, ...Database[]]) {
    this.databases = databases;
  }

  get isSingle(): boolean {
    return this.databases.length === 1;
  }

  /** The database that holds a workspace's rows. Throws if it has not been located. */
  databaseOf(workspaceId: string): Database {
    return this.at(this.homeOf(workspaceId));
  }

  /** The number of that database. */
  homeOf(workspaceId: string): number {
    const home = this.isSingle ? 0 : this.#known.get(workspaceId);
    if (home === undefined) throw new Error("the database of a workspace was not looked for");
    return home;
  }

  /** The database of a number. Throws `service_misconfigured` if it does not exist. */
  at(home: number): Database {
    const db = this.databases[home];
    if (db === undefined) throw refuse("service_misconfigured", { message: `The database DB_${home} is not bound.` });
    return db;
  }

  /**
   * Stores the home that the accounts database has just returned; `judged`: if it also confirmed that the caller has
   * rights there. If the workspace has moved since, its judgement is dropped, because the epoch is not in its new
   * database.
   */
  note(workspaceId: string, home: number, judged?: Judged): void {
    this.at(home);
    const hasMoved = this.#known.get(workspaceId) !== home;
    this.#known.set(workspaceId, home);
    if (judged !== undefined) this.#judged.set(workspaceId, judged);
    else if (hasMoved) this.#judged.delete(workspaceId);
  }

  /** When the rights of the caller in a workspace were last known to hold; undefined: they have not been checked. */
  lastJudged(workspaceId: string): Judged | undefined {
    return this.#judged.get(workspaceId);
  }

  /** Locates a workspace's database, unless it is known. */
  async locate(workspaceId: string): Promise<void> {
    if (!this.isSingle && !this.#known.has(workspaceId)) await this.locateAnew(workspaceId);
  }

  /**
   * Looks up a workspace's database again. The last rows of a deleted workspace, if any, are in the accounts database.
   */
  async locateAnew(workspaceId: string): Promise<number> {
    const [row] = await this.databases[0]
      .select({ home: workspaces.home })
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId));
    const home = row?.home ?? 0;
    this.note(workspaceId, home);
    return home;
  }
}

/** The storage of an object, which persists between alarms. */
interface Memory {
  get<Value>(key: string): Value | undefined;
  put(key: string, value: unknown): void;
}
type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

const REMEMBERED = "home";

/**
 * Locates a workspace's database for an object of that workspace. While the accounts database does not answer, the
 * object uses the last home that it looked up. Returns whether the home is confirmed: the rows may have moved from a
 * remembered home.
 */
export async function locateFor(homes: Homes, kv: Memory, workspaceId: string, pause: Pause): Promise<boolean> {
  if (homes.isSingle) return true;
  const remembered = kv.get<number>(REMEMBERED);
  try {
    const homeLookup = homes.locateAnew(workspaceId);
    const home = await (remembered === undefined ? homeLookup : inTime(pause, ANSWER_MAX_MS, homeLookup));
    if (home !== remembered) kv.put(REMEMBERED, home);
    return true;
  } catch (error) {
    if (remembered === undefined) throw error;
    homes.note(workspaceId, remembered);
    return false;
  }
}
