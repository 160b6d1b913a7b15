import { INVARIANTS } from "../../src/store/invariants.ts";
import { testEnv } from "./env.ts";

/** What the operator's audit finds in one workspace. */
export async function brokenInvariants(workspace: string): Promise<string[]> {
  const { DB } = testEnv;
  const answers = await DB.batch(
    INVARIANTS.map(({ sql }) => DB.prepare(`SELECT * FROM (${sql}) WHERE workspace_id = ?`).bind(workspace)),
  );
  return answers.flatMap(({ results }, i) => results.map((row) => `${INVARIANTS[i]?.name}: ${JSON.stringify(row)}`));
}
