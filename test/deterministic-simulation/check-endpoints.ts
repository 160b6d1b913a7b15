// The endpoint that answers 500: it is switched off after five days without an acknowledgement, and not earlier.

import { FAILING } from "./endpoint-addresses.ts";
import type { Say } from "./promises.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** docs/webhooks.md: an endpoint that accepted nothing for this long is switched off. */
const SWITCHED_OFF_MS = 5 * 24 * HOUR_MS;
/** An attempt begins before it is written. */
const ATTEMPT_MS = HOUR_MS;

export function judgeFailingEndpoint({ database }: World, say: Say): void {
  const [endpoint] = database.rows("SELECT workspace_id, id, disabled_at FROM webhooks WHERE url = ?", FAILING);
  if (endpoint === undefined) return;
  const { workspace_id: workspace = "", id = "", disabled_at: disabledAt = null } = endpoint;
  const attempts = database.rows(
    "SELECT outcome, attempted_at FROM webhook_attempts WHERE workspace_id = ? AND webhook_id = ? ORDER BY attempted_at, id",
    workspace,
    id,
  );
  let failingSince: number | null = null;
  let longestMs = 0;
  for (const { outcome, attempted_at } of attempts) {
    const at = Number(attempted_at);
    if (outcome === "delivered") failingSince = null;
    else failingSince ??= at;
    if (failingSince !== null) longestMs = Math.max(longestMs, at - failingSince);
  }
  if (disabledAt !== null && longestMs < SWITCHED_OFF_MS)
    say("endpoint_stays_on", `an endpoint was switched off that had failed for ${longestMs / HOUR_MS} hours`);
  if (disabledAt === null && longestMs > SWITCHED_OFF_MS + ATTEMPT_MS)
    say("endpoint_stays_on", `an endpoint is called that has failed for ${longestMs / HOUR_MS} hours`);
  const pending = database.rows(
    "SELECT 1 FROM webhook_messages WHERE workspace_id = ? AND webhook_id = ? AND state = 'pending'",
    workspace,
    id,
  );
  if (disabledAt !== null && pending.length > 0)
    say("endpoint_stays_on", `${pending.length} messages wait for an endpoint that is switched off`);
}
