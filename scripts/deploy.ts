// `npm run deploy`: from an account with nothing in it to a Worker that answers (docs/deploy.md). Each step looks at what is
// there and makes what is missing, so a run that was interrupted is finished by the next.

import { signIn } from "./deploy/account.ts";
import { askAccountPlan } from "./deploy/ask-account-plan.ts";
import { DeployFailure } from "./deploy/failure.ts";
import { readOptions, USAGE, UsageError } from "./deploy/options.ts";
import { deploy } from "./deploy/run.ts";
import { whenStopped } from "./local/when-stopped.ts";

const stopping = new AbortController();
whenStopped(() => stopping.abort());
process.exitCode = await main(process.argv.slice(2));

/** 0: it answers, or the plan is printed; 1: something refused; 2: wrong words. */
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
    if (stopping.signal.aborted) console.error("Stopped. Run it again to finish: that is safe.");
    else if (error instanceof DeployFailure) {
      console.error(`\n${error.message}\n${error.fix}\nThen run it again: that is safe, it goes on where it stopped.`);
    } else console.error(error);
    return 1;
  }
}
