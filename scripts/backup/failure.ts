import { DeployFailure } from "../deploy/failure.ts";

/** Exits with code 1, and prints the reason and the fix. */
export function endWithFailure(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof DeployFailure) console.error(error.fix);
  process.exit(1);
}
