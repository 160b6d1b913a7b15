// The dispatcher of one webhook endpoint (-> dispatch.ts). Each endpoint has its own object, so a slow or hanging
// endpoint delays no other. The messages are in D1. If the object loses its alarm, the sweeper finds the due messages.
import { DurableObject } from "cloudflare:workers";
import { errorText, log } from "../adapters/log.ts";
import { toAlarmTime } from "../domain/alarm.ts";
import { waitAfter } from "../domain/daily-limit.ts";
import type { Env, WebhookDispatcherRpc } from "../env.ts";
import { LimitedWork } from "../limited-work.ts";
import { locateFor } from "../store/homes.ts";
import { dispatchWebhooks } from "../webhooks/dispatch.ts";

/** The pause after an internal failure. */
const PAUSE_MS = 30_000;

export class WebhookDispatcher extends DurableObject<Env> implements WebhookDispatcherRpc {
  readonly #work = new LimitedWork(this.env, (work) => this.ctx.waitUntil(work));

  /** Makes the dispatcher check for due messages now. */
  async wake(workspace: string, webhook: string): Promise<void> {
    const { kv } = this.ctx.storage;
    if (kv.get("webhook") !== webhook) {
      kv.put("workspace", workspace);
      kv.put("webhook", webhook);
    }
    await this.#arm(Date.now());
  }

  #arm(dueAt: number): Promise<void> {
    return this.ctx.storage.setAlarm(toAlarmTime(dueAt, Date.now()));
  }

  /** Never throws: a throw would use up one of the platform's six retries. The sweeper finds lost work. */
  override async alarm(): Promise<void> {
    try {
      const isDone = await this.#work.goOn(() => this.#dispatch());
      if (!isDone) await this.#arm(Date.now());
    } catch (error) {
      log("error", "webhooks_failed", { error: errorText(error) });
    }
  }

  async #dispatch(): Promise<void> {
    const { kv } = this.ctx.storage;
    const [workspace, webhook] = [kv.get<string>("workspace"), kv.get<string>("webhook")];
    if (workspace === undefined || webhook === undefined) return;
    let nextAt: number | null = null;
    try {
      const ctx = this.#work.compose();
      await locateFor(ctx.homes, kv, workspace, ctx.pause);
      nextAt = await dispatchWebhooks(ctx, workspace, webhook);
    } catch (error) {
      log("error", "webhooks_failed", { error: errorText(error) });
      nextAt = Date.now() + waitAfter(error, PAUSE_MS, Date.now());
    } finally {
      const set = await this.ctx.storage.getAlarm();
      if (nextAt !== null && (set === null || set > nextAt)) await this.#arm(nextAt);
      else if (nextAt === null && set === null) await this.ctx.storage.deleteAll();
    }
  }
}
