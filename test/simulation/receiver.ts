// The endpoint of a workspace's webhook, and the object that calls it: the real sender over an alarm that keeps no promise.
import type { Context } from "../../src/context.ts";
import { sendWebhooks } from "../../src/publishing/send-webhooks.ts";
import type { World } from "./world.ts";

export const HOOK = "https://hooks.test/crier";

/** What an endpoint heard, before it was decided whether its answer got through. */
export interface Heard {
  id: string;
  body: string;
  signature: string;
}

export class Receiver {
  readonly heard: Heard[] = [];

  /** Takes a call. */
  take(init: RequestInit): Response {
    const headers = new Headers(init.headers);
    const text = (name: string) => headers.get(name) ?? "";
    this.heard.push({ id: text("webhook-id"), body: String(init.body), signature: text("webhook-signature") });
    return new Response(null, { status: 204 });
  }
}

/** Calls an endpoint when it is woken, and again when the sender says so. */
export class Voice {
  readonly #world: World;
  readonly #work: (ctx: Context) => Promise<number | null>;
  #at = Number.POSITIVE_INFINITY;
  #isSpeaking = false;

  constructor(world: World, workspace: string, webhook: string) {
    this.#world = world;
    this.#work = (ctx) => sendWebhooks(ctx, workspace, webhook);
  }

  wake(at = this.#world.now()): void {
    if (at >= this.#at) return;
    this.#at = at;
    const late = this.#world.plan.strikes("alarm_late") ? this.#world.chance.between(1_000, 300_000) : 0;
    this.#world.scheduler.at(at + late, () => {
      if (this.#at === at) this.#speak();
    });
  }

  #speak(): void {
    this.#at = Number.POSITIVE_INFINITY;
    // An object does one alarm at a time.
    if (this.#isSpeaking) {
      this.wake(this.#world.now() + 1_000);
      return;
    }
    if (this.#world.plan.strikes("alarm_lost")) {
      this.#world.inject("alarm_lost");
      return;
    }
    this.#isSpeaking = true;
    let next: number | null = this.#world.now() + 30_000;
    this.#world.spawn(
      "alarm",
      async (ctx) => {
        next = await this.#work(ctx);
      },
      () => {
        this.#isSpeaking = false;
        if (next !== null) this.wake(Math.max(next, this.#world.now() + 1));
      },
    );
  }
}
