// The Worker: requests, queue messages, the cron trigger, and the objects that keep time. Wiring only.
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { app } from "./http/app.ts";
import { MCP_PATH, serveMcp } from "./mcp/front.ts";
import { consume } from "./publishing/consume.ts";
import { SWEEPER } from "./publishing/sweeper.ts";

export { Counter } from "./limits/counter.ts";
export { McpConnection } from "./mcp/connection.ts";
export { Clock } from "./publishing/clock.ts";
export { Sweeper } from "./publishing/sweeper.ts";
export { WebhookSender } from "./publishing/webhook-sender.ts";

let sweeperEnsured = false;

export default {
  fetch(request, env, execution) {
    if (!sweeperEnsured) {
      // Once in the life of an isolate is enough: the sweeper keeps itself going.
      sweeperEnsured = true;
      execution.waitUntil(env.SWEEPER.getByName(SWEEPER).ensure());
    }
    return new URL(request.url).pathname === MCP_PATH
      ? serveMcp(request, env, (work) => execution.waitUntil(work))
      : app.fetch(request, env, execution);
  },
  async queue(batch, env, execution) {
    await consume(
      compose(env, (work) => execution.waitUntil(work)),
      batch,
    );
  },
  async scheduled(_controller, env) {
    await env.SWEEPER.getByName(SWEEPER).ensure();
  },
} satisfies ExportedHandler<Env>;
