// Which database has the rows of a workspace: its home. The database of the accounts knows it of every workspace, and tells
// it together with the credential that opens the workspace; who comes without one asks first. Of a single database nothing
// has to be known.
import { eq } from "drizzle-orm";
import { refuse } from "../domain/refusal.ts";
import type { Database } from "./db/db.ts";
import { ANSWER_MAX_MS, inTime } from "./db/in-time.ts";
import { workspaces } from "./db/schema.ts";

/** When the rights of a caller were last known to hold. */
export interface Judged {
  /** The workspace's `rightsEpoch` then, as its row among the accounts has it. */
  epoch: number;
  /** By the clock of the accounts' database, in epoch milliseconds. */
  at: number;
}

export class Homes {
  /** By their numbers; the first one has the accounts. */
  readonly databases: readonly [Database, ...Database[]];
  readonly #known = new Map<string, number>();
  readonly #judged = new Map<string, Judged>();

  constructor(databases: readonly [Database, ...Database[]]) {
    this.databases = databases;
  }

  get isSingle(): boolean {
    return this.databases.length === 1;
  }

  /** The database that holds a workspace's rows. Throws where nobody has looked for it. */
  databaseOf(workspaceId: string): Database {
    return this.at(this.homeOf(workspaceId));
  }

  /** Its number. */
  homeOf(workspaceId: string): number {
    const home = this.isSingle ? 0 : this.#known.get(workspaceId);
    if (home === undefined) throw new Error("the database of a workspace was not looked for");
    return home;
  }

  /** The database of a number. Throws `service_misconfigured` where there is none. */
  at(home: number): Database {
    const db = this.databases[home];
    if (db === undefined) throw refuse("service_misconfigured", { message: `The database DB_${home} is not bound.` });
    return db;
  }

  /**
   * What the database of the accounts has just said of a workspace; `judged`: if it also said that the caller has rights there. A
   * workspace that has moved since was judged by a number that its new database does not have.
   */
  note(workspaceId: string, home: number, judged?: Judged): void {
    this.at(home);
    const hasMoved = this.#known.get(workspaceId) !== home;
    this.#known.set(workspaceId, home);
    if (judged !== undefined) this.#judged.set(workspaceId, judged);
    else if (hasMoved) this.#judged.delete(workspaceId);
  }

  /** When the rights of the caller in a workspace were last known to hold; undefined: nobody has looked. */
  lastJudged(workspaceId: string): Judged | undefined {
    return this.#judged.get(workspaceId);
  }

  /** Looks for a workspace's database, unless it is known. */
  async locate(workspaceId: string): Promise<void> {
    if (!this.isSingle && !this.#known.has(workspaceId)) await this.locateAnew(workspaceId);
  }

  /** Looks for a workspace's database. One that is gone has its last rows, if any, where the accounts are. */
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

/** What an object remembers from one alarm to the next. */
interface Memory {
  get<Value>(key: string): Value | undefined;
  put(key: string, value: unknown): void;
}
type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

const REMEMBERED = "home";

/**
 * Looks for a workspace's database on behalf of an object of that workspace. While the accounts' database does not answer,
 * the object goes on where the workspace was when it last asked. Returns whether the workspace is known to be there: a
 * remembered database may have lost its rows to another one since.
 */
export async function locateFor(homes: Homes, kv: Memory, workspaceId: string, pause: Pause): Promise<boolean> {
  if (homes.isSingle) return true;
  const remembered = kv.get<number>(REMEMBERED);
  try {
    const asked = homes.locateAnew(workspaceId);
    const home = await (remembered === undefined ? asked : inTime(pause, ANSWER_MAX_MS, asked));
    if (home !== remembered) kv.put(REMEMBERED, home);
    return true;
  } catch (error) {
    if (remembered === undefined) throw error;
    homes.note(workspaceId, remembered);
    return false;
  }
}
