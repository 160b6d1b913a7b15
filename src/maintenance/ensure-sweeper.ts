// Starts the sweeper where it does not run. Each minute there is another occasion, so a failure is logged and nothing more.
import { errorText, log } from "../adapters/log.ts";
import { callObject } from "../adapters/object-call.ts";
import { type Env, getObject } from "../env.ts";
import { SWEEPER } from "./sweeper-object.ts";

/** Never throws. */
export async function ensureSweeper(env: Env): Promise<void> {
  try {
    await callObject(() => getObject(env, env.SWEEPER, SWEEPER).ensure());
  } catch (error) {
    log("error", "sweeper_not_started", { error: errorText(error) });
  }
}
