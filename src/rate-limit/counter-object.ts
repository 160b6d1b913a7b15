// One object counts the tries of one account, one address, one host, or the calls of one workspace: exact, however many come
// at once.
import { DurableObject } from "cloudflare:workers";
import { callObject } from "../adapters/object-call.ts";
import { addCalls, getSharesAt, isWithinFairShare, NO_SHARES, type Shares } from "../domain/fair-share.ts";
import { DAY_MS, MINUTE_MS } from "../domain/limits.ts";
import { leaseSize, NO_TRIES, RATE_LIMITS, type RateLimitName, type Tries, takeTry } from "../domain/rate-limit.ts";
import { type CounterRpc, type Env, getObject } from "../env.ts";

/** No window of a limit is longer. */
const COUNTED_FOR_MS = DAY_MS;
/** The window in which calls of a host are counted. */
const LEASE_MS = MINUTE_MS;

/** Calls of a host that were counted in advance, and until when they may be made (epoch milliseconds). */
interface Lease {
  calls: number;
  until: number;
}

export class Counter extends DurableObject<Env> implements CounterRpc {
  /** By host. */
  readonly #leases = new Map<string, Lease>();

  /** Counts tries against a limit, one by default. Returns the seconds to wait, 0 when they are allowed. */
  async take(limit: RateLimitName, count = 1): Promise<number> {
    return this.#take("tries", limit, count);
  }

  /**
   * Counts a call of a host by the workspace of this object. Returns the seconds to wait, 0 when it may be made. The narrow
   * limits come first: a workspace over one of them must not use up what all workspaces share. `host`: its registrable domain.
   */
  async takeHost(workspaceId: string, host: string): Promise<number> {
    const waitS =
      (await this.#take(`tries:${host}`, "host_workspace")) || (await this.#take("tries", "hosts_workspace"));
    if (waitS > 0) return waitS;
    const lease = this.#leases.get(host);
    if (lease !== undefined && lease.calls > 0 && lease.until > Date.now()) {
      lease.calls--;
      return 0;
    }
    return this.#lease(workspaceId, host);
  }

  /**
   * Counts calls of the host of this object by a workspace. Returns the seconds to wait, 0 when they may be made. Once all
   * workspaces together have called the host too often, those that are below their fair share go on.
   */
  async takeShare(workspaceId: string, calls: number): Promise<number> {
    const { kv } = this.ctx.storage;
    const shares = getSharesAt(kv.get<Shares>("shares") ?? NO_SHARES, Date.now());
    let waitS = await this.#take("tries", "host", calls);
    if (waitS > 0 && isWithinFairShare(shares, workspaceId, calls, RATE_LIMITS.host.windows[0][0])) {
      waitS = await this.#take("tries:reserve", "host_reserve", calls);
    }
    if (waitS === 0) kv.put("shares", addCalls(shares, workspaceId, calls));
    return waitS;
  }

  /** Forgets all tries. */
  async clear(): Promise<void> {
    this.#leases.clear();
    await this.ctx.storage.deleteAll();
  }

  /** Forgets what no limit looks at any more. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const now = Date.now();
    const counted = [...kv.list<Tries>({ prefix: "tries" })];
    const isOver = ([, { at, blockedUntil }]: [string, Tries]) =>
      Math.max(blockedUntil, at.at(-1) ?? 0) + COUNTED_FOR_MS <= now;
    if (counted.every(isOver)) return this.clear();
    for (const [key] of counted.filter(isOver)) kv.delete(key);
    await this.ctx.storage.setAlarm(now + COUNTED_FOR_MS);
  }

  /** Counts the calls that a workspace is about to make of a host by the object of that host: a busy one does not ask it each time. */
  async #lease(workspaceId: string, host: string): Promise<number> {
    const recent = this.ctx.storage.kv.get<Tries>(`tries:${host}`) ?? NO_TRIES;
    // Calls that are counted twice are better than one that fails.
    const take = (calls: number) =>
      callObject(() => getObject(this.env, this.env.COUNTER, `host:${host}`).takeShare(workspaceId, calls));
    let waitS = 0;
    for (const calls of new Set([leaseSize(recent, Date.now()), 1])) {
      waitS = await take(calls);
      if (waitS > 0) continue;
      this.#leases.set(host, { calls: calls - 1, until: Date.now() + LEASE_MS });
      return 0;
    }
    return waitS;
  }

  async #take(key: string, limit: RateLimitName, count = 1): Promise<number> {
    const { kv } = this.ctx.storage;
    const { tries, waitMs } = takeTry(RATE_LIMITS[limit], kv.get<Tries>(key) ?? NO_TRIES, Date.now(), count);
    kv.put(key, tries);
    // To set an alarm writes a row: not at each try.
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + COUNTED_FOR_MS);
    return Math.ceil(waitMs / 1000);
  }
}
