// What a publisher knows and the database has not taken yet: how deliveries ended, calls that were announced and never
// left, credentials that were renewed. It waits in the object's own storage, so that neither a database that stays away nor
// the end of the object loses it.
import { errorText, log } from "../adapters/log.ts";
import { wasRefused } from "../domain/database-fault.ts";
import { hasChannelRows } from "../store/channels/channels.ts";
import { type RenewedCredential, storeCredential } from "../store/channels/credentials.ts";
import type { Database } from "../store/db/db.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import { revokeIntent } from "../store/deliveries/send-intent.ts";
import type { Settled, Settlement } from "../store/deliveries/settle.ts";
import { settleDeliveries } from "../store/deliveries/write.ts";

/** What an object's own storage offers of all that is needed here. */
export interface KeyValueStorage {
  kv: {
    get<Value>(key: string): Value | undefined;
    put(key: string, value: unknown): void;
    delete(key: string): unknown;
    list<Value>(options: { prefix: string }): Iterable<[string, Value]>;
  };
  /** Ends when all that was put is durable. Throws when this object has been replaced by another one. */
  sync(): Promise<void>;
}

/** A renewal that has begun and not ended. A refresh token may be good for one exchange only, so for a minute no other begins. */
export interface BegunRenewal {
  /** The credential that is being renewed. */
  credentialId: string;
  /** When it began, in epoch milliseconds by the object's clock. */
  since: number;
}

/** The object's storage takes nothing any more: another object does its work from now on. */
export class StorageLost extends Error {
  override name = "StorageLost";
}

const SETTLEMENT = "settlement:";
const UNSENT = "unsent:";
const CREDENTIAL = "credential:";
const RENEWAL = "renewal:";

const placeOf = ({ key: { postId, channelId } }: DeliveryGuard) => `${postId}:${channelId}`;

/** Returns whether `write` was carried out. False: the database refused it, which the log says. */
async function unlessRefused(name: string, write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!wasRefused(error)) throw error;
    log("error", "kept_refused", { operation: name, error: errorText(error) });
    return false;
  }
}

export class Unwritten {
  readonly #storage: KeyValueStorage;
  /** Names of the settlements that are kept: to ask the storage for one costs as much as a statement of the database. */
  #settlements: Set<string> | null = null;

  constructor(storage: KeyValueStorage) {
    this.#storage = storage;
  }

  keepSettlements(settlements: Settlement[]): void {
    for (const settlement of settlements) {
      const name = SETTLEMENT + placeOf(settlement.guard);
      this.#storage.kv.put(name, settlement);
      this.#keptSettlements.add(name);
    }
  }
  forgetSettlement({ guard }: Settlement): void {
    const name = SETTLEMENT + placeOf(guard);
    if (this.#keptSettlements.delete(name)) this.#storage.kv.delete(name);
  }
  get #keptSettlements(): Set<string> {
    const names = () => [...this.#storage.kv.list<Settlement>({ prefix: SETTLEMENT })].map(([name]) => name);
    this.#settlements ??= new Set(names());
    return this.#settlements;
  }

  /** A send intent that may have been written and whose call never left. `guard`: as it was before the intent. */
  keepUnsent(guard: DeliveryGuard): void {
    this.#storage.kv.put(UNSENT + placeOf(guard), guard);
  }

  /** Says durably that a credential is about to be renewed. Throws `StorageLost` when another object has taken this one's place. */
  async beginRenewal(channelId: string, renewal: BegunRenewal): Promise<void> {
    try {
      this.#storage.kv.put(RENEWAL + channelId, renewal);
      await this.#storage.sync();
    } catch (error) {
      throw new StorageLost("another object has taken the place of this one", { cause: error });
    }
  }
  begunRenewal(channelId: string): BegunRenewal | null {
    return this.#storage.kv.get<BegunRenewal>(RENEWAL + channelId) ?? null;
  }
  endRenewal(channelId: string): void {
    this.#storage.kv.delete(RENEWAL + channelId);
  }

  /** A renewed credential, before its first use. */
  keepCredential(renewed: RenewedCredential): void {
    this.#storage.kv.put(CREDENTIAL + renewed.channelId, renewed);
    this.#storage.kv.delete(RENEWAL + renewed.channelId);
  }
  forgetCredential(channelId: string): void {
    this.#storage.kv.delete(CREDENTIAL + channelId);
  }
  /** The renewed form of a credential, which the database may not have yet. */
  renewedCredential(channelId: string, credentialId: string): RenewedCredential | null {
    const kept = this.#storage.kv.get<RenewedCredential>(CREDENTIAL + channelId);
    return kept?.replacesId === credentialId ? kept : null;
  }

  /** Whether anything waits for the database. */
  get hasAny(): boolean {
    const { kv } = this.#storage;
    return [UNSENT, CREDENTIAL, SETTLEMENT].some((prefix) => [...kv.list({ prefix })].length > 0);
  }

  /**
   * Writes into the database what an earlier time could not, and forgets it. Throws when the database does not answer. What it
   * refuses stays kept and holds up nothing else. What changes no row is forgotten only where the workspace's rows are: they may
   * have moved. Returns what became of settlements.
   */
  async flush(db: Database): Promise<Settled[]> {
    const { kv } = this.#storage;
    for (const [name, guard] of kv.list<DeliveryGuard>({ prefix: UNSENT })) {
      const why = "the database did not answer in time";
      const isDone = await unlessRefused(name, () => revokeIntent(db, guard, why));
      if (isDone && (await hasChannelRows(db, guard.key.workspaceId))) kv.delete(name);
    }
    for (const [name, renewed] of kv.list<RenewedCredential>({ prefix: CREDENTIAL })) {
      const isDone = await unlessRefused(name, () => storeCredential(db, renewed));
      if (isDone && (await hasChannelRows(db, renewed.workspaceId))) kv.delete(name);
    }
    const kept = [...kv.list<Settlement>({ prefix: SETTLEMENT })];
    this.#settlements ??= new Set(kept.map(([name]) => name));
    return this.#flushSettlements(db, kept);
  }

  /** Writes all in one batch. If one of them is refused, each is written by itself. */
  async #flushSettlements(db: Database, kept: [string, Settlement][]): Promise<Settled[]> {
    const settled: Settled[] = [];
    const settlements = kept.map(([, settlement]) => settlement);
    const write = async () => {
      settled.push(...(await settleDeliveries(db, settlements)));
    };
    if (kept.length === 0) return [];
    if (await unlessRefused(kept.map(([name]) => name).join(" "), write)) {
      for (const [i, settlement] of settlements.entries()) {
        const isWritten = settled[i]?.written === true;
        if (isWritten || (await hasChannelRows(db, settlement.guard.key.workspaceId)))
          this.forgetSettlement(settlement);
      }
    } else if (kept.length > 1) {
      for (const one of kept) settled.push(...(await this.#flushSettlements(db, [one])));
    }
    return settled;
  }
}
