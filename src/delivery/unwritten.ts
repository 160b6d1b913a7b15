// Results that a publisher knows and the database has not accepted yet: the outcomes of deliveries, announced calls that
// never left, renewed credentials. They wait in the object's own storage, so that they survive a database outage and the end
// of the object.
import { errorText, log } from "../adapters/log.ts";
import { wasRefused } from "../domain/database-fault.ts";
import { hasChannelRows } from "../store/channels/channels.ts";
import { type RenewedCredential, storeCredential } from "../store/channels/credentials.ts";
import type { Database } from "../store/db/db.ts";
import type { DeliveryGuard } from "../store/deliveries/guard.ts";
import type { DeliveryRecord, Recorded } from "../store/deliveries/record.ts";
import { revokeIntent } from "../store/deliveries/send-intent.ts";
import { recordDeliveries } from "../store/deliveries/write.ts";

/** The part of an object's own storage that is needed here. */
export interface KeyValueStorage {
  kv: {
    get<Value>(key: string): Value | undefined;
    put(key: string, value: unknown): void;
    delete(key: string): unknown;
    list<Value>(options: { prefix: string }): Iterable<[string, Value]>;
  };
  /** Resolves when all earlier writes are durable. Throws if another object has replaced this one. */
  sync(): Promise<void>;
}

/**
 * A renewal that has begun and not ended. A refresh token may be valid for one exchange only, so no other renewal begins for
 * a minute.
 */
export interface BegunRenewal {
  /** The credential that is being renewed. */
  credentialId: string;
  /** When it began, in epoch milliseconds by the object's clock. */
  since: number;
}

/** The object's storage no longer accepts writes: another object has taken over its work. */
export class StorageLost extends Error {
  override name = "StorageLost";
}

const RECORD = "record:";
const UNSENT = "unsent:";
const CREDENTIAL = "credential:";
const RENEWAL = "renewal:";

const getGuardKey = ({ key: { postId, channelId } }: DeliveryGuard) => `${postId}:${channelId}`;

/** Returns whether `write` was carried out. Returns false, and logs it, if the database refused it. */
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
  /**
   * Names of the stored records. Asking the storage for one costs as much as a database statement, so the names are
   * cached.
   */
  #records: Set<string> | null = null;

  constructor(storage: KeyValueStorage) {
    this.#storage = storage;
  }

  keepRecords(records: DeliveryRecord[]): void {
    for (const record of records) {
      const name = RECORD + getGuardKey(record.guard);
      this.#storage.kv.put(name, record);
      this.#keptRecords.add(name);
    }
  }
  forgetRecord({ guard }: DeliveryRecord): void {
    const name = RECORD + getGuardKey(guard);
    if (this.#keptRecords.delete(name)) this.#storage.kv.delete(name);
  }
  get #keptRecords(): Set<string> {
    const names = () => [...this.#storage.kv.list<DeliveryRecord>({ prefix: RECORD })].map(([name]) => name);
    this.#records ??= new Set(names());
    return this.#records;
  }

  /** Records that a send intent may be in the database although its call was not made. `guard`: before the intent. */
  keepUnsent(guard: DeliveryGuard): void {
    this.#storage.kv.put(UNSENT + getGuardKey(guard), guard);
  }

  /**
   * Records durably that a credential is about to be renewed. Throws `StorageLost` if another object has taken this one's
   * place.
   */
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

  /** Keeps a renewed credential before its first use. */
  keepCredential(renewed: RenewedCredential): void {
    this.#storage.kv.put(CREDENTIAL + renewed.channelId, renewed);
    this.#storage.kv.delete(RENEWAL + renewed.channelId);
  }
  forgetCredential(channelId: string): void {
    this.#storage.kv.delete(CREDENTIAL + channelId);
  }
  /** Returns the renewed form of a credential, which the database may not have yet. */
  renewedCredential(channelId: string, credentialId: string): RenewedCredential | null {
    const renewal = this.#storage.kv.get<RenewedCredential>(CREDENTIAL + channelId);
    return renewal?.replacesId === credentialId ? renewal : null;
  }

  /** Whether anything waits for the database. */
  get hasAny(): boolean {
    const { kv } = this.#storage;
    return [UNSENT, CREDENTIAL, RECORD].some((prefix) => [...kv.list({ prefix })].length > 0);
  }

  /**
   * Writes the kept results into the database and forgets them. Throws if the database does not answer. A write that the
   * database refuses stays kept and does not hold up the others. A write that changes no row is forgotten only if this
   * database holds the workspace's rows, because they may have moved. Returns the results of the records.
   */
  async flush(db: Database): Promise<Recorded[]> {
    const { kv } = this.#storage;
    for (const [name, guard] of kv.list<DeliveryGuard>({ prefix: UNSENT })) {
      const reason = "the database did not answer in time";
      const isDone = await unlessRefused(name, () => revokeIntent(db, guard, reason));
      if (isDone && (await hasChannelRows(db, guard.key.workspaceId))) kv.delete(name);
    }
    for (const [name, renewed] of kv.list<RenewedCredential>({ prefix: CREDENTIAL })) {
      const isDone = await unlessRefused(name, () => storeCredential(db, renewed));
      if (isDone && (await hasChannelRows(db, renewed.workspaceId))) kv.delete(name);
    }
    const entries = [...kv.list<DeliveryRecord>({ prefix: RECORD })];
    this.#records ??= new Set(entries.map(([name]) => name));
    return this.#flushRecords(db, entries);
  }

  /** Writes all records in one batch. If the database refuses one, each is written separately. */
  async #flushRecords(db: Database, entries: [string, DeliveryRecord][]): Promise<Recorded[]> {
    const recorded: Recorded[] = [];
    const records = entries.map(([, record]) => record);
    const write = async () => {
      recorded.push(...(await recordDeliveries(db, records)));
    };
    if (entries.length === 0) return [];
    if (await unlessRefused(entries.map(([name]) => name).join(" "), write)) {
      for (const [i, record] of records.entries()) {
        const isWritten = recorded[i]?.written === true;
        if (isWritten || (await hasChannelRows(db, record.guard.key.workspaceId))) this.forgetRecord(record);
      }
    } else if (entries.length > 1) {
      for (const entry of entries) recorded.push(...(await this.#flushRecords(db, [entry])));
    }
    return recorded;
  }
}
