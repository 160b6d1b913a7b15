import { DeployFailure } from "../deploy/failure.ts";

/** Ends the process with 1, and says why and what helps. */
export function endWithFailure(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof DeployFailure) console.error(error.fix);
  process.exit(1);
}
