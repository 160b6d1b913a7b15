// The order of the test files: the slowest files start first, so that no core is idle while one long file ends the run.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files that take a minute or more by themselves, the longest first (`npm run test:all`, 2026-11-26). */
const LONGEST = [
  "deterministic-simulation/simulation",
  "e2e/browser/pages",
  "e2e/local/restore-drill",
  "e2e/local/smoke",
  "e2e/local/deploy-databases",
  "e2e/chaos/chaos",
  "e2e/local/mcp-clients",
  "e2e/local/backup-remote",
  "e2e/local/starts",
  "e2e/local/deploy-interrupted",
  "e2e/local/deploy",
  "e2e/local/deploy-free",
  "e2e/local/doctor",
  "e2e/browser/dashboard",
  "e2e/browser/members",
  "e2e/browser/previews",
];

/** The position of a file in this list; files that are not in the list come last. */
function findPosition({ moduleId }: TestSpecification): number {
  const position = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return position === -1 ? LONGEST.length : position;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => findPosition(a) - findPosition(b));
  }
}
