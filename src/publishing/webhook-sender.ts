// The voice of one endpoint: each has an object of its own, so that one that is slow or hangs delays no other. It is only
// an index of D1: what it forgets, the sweeper finds.
import { DurableObject } from "cloudflare:workers";
import { errorText, log } from "../adapters/log.ts";
import { compose } from "../compose.ts";
import type { Env, WebhookSenderRpc } from "../env.ts";
import { sendWebhooks } from "./send-webhooks.ts";

/** After a failure of our own. */
const PAUSE_MS = 30_000;

export class WebhookSender extends DurableObject<Env> implements WebhookSenderRpc {
  /** Something is due, or will be. */
  async wake(workspace: string, webhook: string): Promise<void> {
    const { kv } = this.ctx.storage;
    if (kv.get("webhook") !== webhook) {
      kv.put("workspace", workspace);
      kv.put("webhook", webhook);
    }
    await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const [workspace, webhook] = [kv.get<string>("workspace"), kv.get<string>("webhook")];
    if (workspace === undefined || webhook === undefined) return;
    let nextAt: number | null = Date.now() + PAUSE_MS;
    try {
      nextAt = await sendWebhooks(
        compose(this.env, (work) => this.ctx.waitUntil(work)),
        workspace,
        webhook,
      );
    } catch (error) {
      // A throw would use up one of the platform's six retries.
      log("error", "webhooks_failed", { error: errorText(error) });
    } finally {
      const set = await this.ctx.storage.getAlarm();
      if (nextAt !== null && (set === null || set > nextAt)) await this.ctx.storage.setAlarm(nextAt);
      else if (nextAt === null && set === null) await this.ctx.storage.deleteAll();
    }
  }
}
