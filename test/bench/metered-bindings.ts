// The storage of objects and the bucket, behind meters that count what Cloudflare bills.

/** `target` with some members replaced; all others use `target` itself. */
function withMembers<Target extends object>(target: Target, members: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === "string" && Object.hasOwn(members, name)) return members[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Adds rows that were read and written. */
type AddRows = (rows: { read?: number; written?: number }) => void;

/**
 * Rows as Cloudflare bills them (developers.cloudflare.com/durable-objects/platform/pricing, read 2026-11-24): rows
 * that SQL reads and writes, each key that is read, put or deleted, and each alarm that is set.
 */
export function meteredStorage(storage: DurableObjectStorage, add: AddRows): DurableObjectStorage {
  const { sql, kv } = storage;
  return withMembers(storage, {
    sql: withMembers(sql, {
      exec(query: string, ...bindings: SqlStorageValue[]) {
        const cursor = sql.exec(query, ...bindings);
        // A writing statement has been executed by now.
        add({ read: cursor.rowsRead, written: cursor.rowsWritten });
        return cursor;
      },
    }),
    kv: withMembers(kv, {
      get(key: string) {
        add({ read: 1 });
        return kv.get(key);
      },
      list(options?: SyncKvListOptions) {
        const entries = [...kv.list(options)];
        add({ read: Math.max(1, entries.length) });
        return entries;
      },
      put(key: string, value: unknown) {
        add({ written: 1 });
        kv.put(key, value);
      },
      delete(key: string) {
        const existed = kv.delete(key);
        add({ written: existed ? 1 : 0 });
        return existed;
      },
    }),
    async put(key: string, value: unknown) {
      add({ written: 1 });
      await storage.put(key, value);
    },
    async delete(key: string) {
      const existed = await storage.delete(key);
      add({ written: existed ? 1 : 0 });
      return existed;
    },
    async setAlarm(time: number | Date) {
      add({ written: 1 });
      await storage.setAlarm(time);
    },
  });
}

/** Class A: changes and lists of the bucket. Class B: reads of a file. Deletions are free (developers.cloudflare.com/r2/pricing, read 2026-11-24). */
const CLASSES = { put: "a", list: "a", createMultipartUpload: "a", get: "b", head: "b" } as const;

/** A bucket that reports its operations to `add`. Each chunk of a multipart upload, and its end, is one of class A. */
export function meteredBucket(bucket: R2Bucket, add: (kind: "a" | "b") => void): R2Bucket {
  const counted = Object.entries(CLASSES).map(([name, kind]) => {
    const call = async (...input: unknown[]): Promise<unknown> => {
      add(kind);
      const operation: unknown = Reflect.get(bucket, name, bucket);
      if (typeof operation !== "function") throw new Error(`the bucket has no ${name}`);
      const answer: unknown = await Reflect.apply(operation, bucket, input);
      return name === "createMultipartUpload" && typeof answer === "object" && answer !== null
        ? countedUpload(answer, add)
        : answer;
    };
    return [name, call] as const;
  });
  return withMembers(bucket, Object.fromEntries(counted));
}

function countedUpload(upload: object, add: (kind: "a" | "b") => void): object {
  return new Proxy(upload, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...input: unknown[]) => {
        if (name === "uploadPart" || name === "complete") add("a");
        return Reflect.apply(value, target, input);
      };
    },
  });
}
