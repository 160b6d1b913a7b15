// The endpoint of a workspace's webhook, and the object that calls it: the real dispatcher over an alarm without guarantees.

import { toAlarmTime } from "../../src/domain/alarm.ts";
import { locateFor } from "../../src/store/homes.ts";
import { dispatchWebhooks } from "../../src/webhooks/dispatch.ts";
import { FAILING } from "./endpoint-addresses.ts";
import { SimulatedObject } from "./objects.ts";
import type { World } from "./world.ts";

/** The wait after an internal error. */
const PAUSE_MS = 30_000;
/** A call that an endpoint received, before it was decided whether its answer arrives. */
export interface Received {
  url: string;
  id: string;
  body: string;
  signature: string;
  at: number;
}

export class Receiver {
  readonly received: Received[] = [];
  /** Addresses that answer 410. */
  readonly gone = new Set<string>();
  /** When the failing endpoint recovers (epoch milliseconds). */
  failsUntil = Number.POSITIVE_INFINITY;

  /** Receives a call. */
  take(url: string, init: RequestInit): Response {
    if (this.gone.has(url)) return new Response(null, { status: 410 });
    if (url === FAILING && Date.now() < this.failsUntil) return new Response(null, { status: 500 });
    const headers = new Headers(init.headers);
    const text = (name: string) => headers.get(name) ?? "";
    this.received.push({
      url,
      id: text("webhook-id"),
      body: String(init.body),
      signature: text("webhook-signature"),
      at: Date.now(),
    });
    return new Response(null, { status: 204 });
  }
}

export interface DispatcherLogic {
  wake(): Promise<void>;
  alarm(): Promise<void>;
}

/** Calls the endpoint when it is woken, and again at the time that the dispatcher returns. */
export function createDispatcher(world: World, workspace: string, webhook: string): SimulatedObject<DispatcherLogic> {
  return new SimulatedObject<DispatcherLogic>(world, `webhook ${webhook}`, workspace, (storage, process) => {
    const ctx = world.createContext(process);
    const soonest = async (at: number) => {
      const set = await storage.getAlarm();
      if (set === null || set > at) await storage.setAlarm(toAlarmTime(at, world.now()));
    };
    return {
      wake: () => soonest(world.now()),
      alarm: async () => {
        // An exception would use up one of the platform's retries.
        const dispatch = async () => {
          await locateFor(ctx.homes, storage.kv, workspace, ctx.pause);
          return dispatchWebhooks(ctx, workspace, webhook);
        };
        const next = await dispatch().catch(() => world.now() + PAUSE_MS);
        if (next !== null) await soonest(next);
      },
    };
  });
}
