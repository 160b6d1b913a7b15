// Sends changes of workspaces in the accounts database to the databases that hold their rows: at once, and by the
// sweeper if that fails.
import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { carryChanges } from "../../store/accounts/homes.ts";
import { ANSWER_MAX_MS, inTime } from "../../store/db/in-time.ts";

/** `homes`: the numbers of these databases; default: all. */
export async function tellHomes(ctx: Context, homes: number[] = [...ctx.databases.keys()]): Promise<void> {
  const tell = async (home: number) => {
    try {
      await inTime(ctx.pause, ANSWER_MAX_MS, carryChanges(ctx.accounts, home, ctx.homes.at(home)));
    } catch (error) {
      log("error", "home_not_told", { operation: `database ${home}`, error: errorText(error) });
    }
  };
  await Promise.all(homes.filter((home) => home !== 0).map(tell));
}
