// The Worker: requests, queue messages, the cron trigger, and the objects. Wiring only.
import { compose, whyMisconfigured } from "./compose.ts";
import { wakePublishers } from "./delivery/queue-consumer.ts";
import type { Env } from "./env.ts";
import { app } from "./http/app.ts";
import { misconfigured } from "./http/misconfigured.ts";
import { consumeDeadLetters } from "./maintenance/dead-letters.ts";
import { ensureSweeper } from "./maintenance/ensure-sweeper.ts";
import { consumeMaintenance, isMaintenanceMessage } from "./maintenance/queue-consumer.ts";
import { MCP_PATH, serveMcp } from "./mcp/front.ts";
import { readDueFeed } from "./operations/feeds/read-due.ts";

export { Counter } from "./objects/counter.ts";
export { McpConnection } from "./objects/mcp-connection.ts";
export { Outcomes } from "./objects/outcomes.ts";
export { PasswordHasher } from "./objects/password-hasher.ts";
export { Publisher } from "./objects/publisher.ts";
export { Sweeper } from "./objects/sweeper.ts";
export { WebhookDispatcher } from "./objects/webhook-dispatcher.ts";

let sweeperEnsured = false;

export default {
  fetch(request, env, execution) {
    const reason = whyMisconfigured(env);
    if (reason !== null) return misconfigured(request, reason);
    if (!sweeperEnsured) {
      // Once per isolate is enough, because the sweeper keeps itself running.
      sweeperEnsured = true;
      execution.waitUntil(ensureSweeper(env));
    }
    return new URL(request.url).pathname === MCP_PATH
      ? serveMcp(request, env, (work) => execution.waitUntil(work))
      : app.fetch(request, env, execution);
  },
  async queue(batch, env, execution) {
    if (batch.queue === env.DEAD_LETTER_QUEUE) return consumeDeadLetters(batch);
    const ctx = compose(env, (work) => execution.waitUntil(work));
    // Groups by message content rather than by queue name, because the deploy button chooses queue names freely.
    const { maintenance = [], wakes = [] } = Object.groupBy(batch.messages, (message) =>
      isMaintenanceMessage(message) ? "maintenance" : "wakes",
    );
    await Promise.all([
      consumeMaintenance(ctx, { messages: maintenance }, readDueFeed),
      wakePublishers(ctx, { messages: wakes }),
    ]);
  },
  async scheduled(_controller, env) {
    await ensureSweeper(env);
  },
} satisfies ExportedHandler<Env>;
