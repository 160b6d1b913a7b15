// `npm run deploy`: from an empty account to a running Worker (docs/deploy.md). Each step checks the current state and
// creates what is missing, so the next run finishes an interrupted one.

import { signIn } from "./deploy/account.ts";
import { askAccountPlan } from "./deploy/ask-account-plan.ts";
import { DeployFailure } from "./deploy/failure.ts";
import { readOptions, USAGE, UsageError } from "./deploy/options.ts";
import { deploy } from "./deploy/run.ts";
import { whenStopped } from "./local/when-stopped.ts";

const stopping = new AbortController();
whenStopped(() => stopping.abort());
process.exitCode = await main(process.argv.slice(2));

/** Exit code 0: the Worker answers, or the plan was printed; 1: a step failed; 2: invalid arguments. */
async function main(args: string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.help) {
      console.log(USAGE);
      return 0;
    }
    const { signal } = stopping;
    await deploy(options, {
      signIn: () => signIn(process.env, signal),
      askAccountPlan: () => askAccountPlan(signal),
      print: console.log,
      signal,
    });
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (stopping.signal.aborted) console.error("Stopped. Run the command again to finish; this is safe.");
    else if (error instanceof DeployFailure) {
      console.error(
        `\n${error.message}\n${error.fix}\nThen run the command again; it safely continues where it stopped.`,
      );
    } else console.error(error);
    return 1;
  }
}
