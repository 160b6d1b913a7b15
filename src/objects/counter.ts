// One object counts the tries of one account, one address or one host, or the calls of one workspace. The counts are exact
// under any concurrency.
import { DurableObject } from "cloudflare:workers";
import { callObject } from "../adapters/object-call.ts";
import { toAlarmTime } from "../domain/alarm.ts";
import { addCalls, getSharesAt, isWithinFairShare, NO_SHARES, type Shares } from "../domain/fair-share.ts";
import { DAY_MS, MINUTE_MS } from "../domain/limits.ts";
import {
  leaseSize,
  measureRoom,
  NO_TRIES,
  RATE_LIMITS,
  type RateLimitName,
  type Room,
  type Tries,
  takeTry,
} from "../domain/rate-limit.ts";
import { type CounterRpc, type Env, getObject } from "../env.ts";

/** The longest window of any limit. */
const COUNTED_FOR_MS = DAY_MS;
/** The window in which calls to a host are counted. */
const LEASE_MS = MINUTE_MS;

/** Calls to a host that were counted in advance, and the time until which they may be made (epoch milliseconds). */
interface Lease {
  calls: number;
  until: number;
}

export class Counter extends DurableObject<Env> implements CounterRpc {
  /** By host. */
  readonly #leases = new Map<string, Lease>();

  /** Counts tries against a limit, one by default. `waitS`: the seconds to wait, or 0 if they are allowed. */
  async take(limit: RateLimitName, count = 1): Promise<{ waitS: number; room: Room }> {
    const waitS = await this.#take("tries", limit, count);
    const tries = this.ctx.storage.kv.get<Tries>("tries") ?? NO_TRIES;
    return { waitS, room: measureRoom(RATE_LIMITS[limit], tries, Date.now()) };
  }

  /**
   * Counts a call to a host by this object's workspace. Returns the seconds to wait, or 0 if the call is allowed. The narrow
   * limits come first, because a workspace over one of them must not use up the limit that all workspaces share. `host`: its
   * registrable domain.
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
   * Counts a workspace's calls to this object's host. Returns the seconds to wait, or 0 if they are allowed. Once all
   * workspaces together have exceeded the host's limit, workspaces below their fair share may continue.
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

  /** Deletes tries that no limit counts any more. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const now = Date.now();
    const counted = [...kv.list<Tries>({ prefix: "tries" })];
    const isOver = ([, { at, blockedUntil }]: [string, Tries]) =>
      Math.max(blockedUntil, at.at(-1) ?? 0) + COUNTED_FOR_MS <= now;
    if (counted.every(isOver)) return this.clear();
    for (const [key] of counted.filter(isOver)) kv.delete(key);
    await this.ctx.storage.setAlarm(toAlarmTime(now + COUNTED_FOR_MS, now));
  }

  /** Reserves calls to a host with the object of that host, so that a busy workspace does not ask it for every call. */
  async #lease(workspaceId: string, host: string): Promise<number> {
    const recent = this.ctx.storage.kv.get<Tries>(`tries:${host}`) ?? NO_TRIES;
    // Retried, because counting calls twice is better than failing them.
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
    // Setting an alarm writes a row, so it is not done for every try.
    if ((await this.ctx.storage.getAlarm()) === null) {
      const now = Date.now();
      await this.ctx.storage.setAlarm(toAlarmTime(now + COUNTED_FOR_MS, now));
    }
    return Math.ceil(waitMs / 1000);
  }
}
