// Starts the sweeper if it is not running. The cron trigger calls this every minute, so a failure is only logged.
import { errorText, log } from "../adapters/log.ts";
import { callObject } from "../adapters/object-call.ts";
import { type Env, getObject, SWEEPER } from "../env.ts";

/** Never throws. */
export async function ensureSweeper(env: Env): Promise<void> {
  try {
    await callObject(() => getObject(env, env.SWEEPER, SWEEPER).ensure());
  } catch (error) {
    log("error", "sweeper_not_started", { error: errorText(error) });
  }
}
