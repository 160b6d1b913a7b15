import { INVARIANTS } from "../../src/store/invariants.ts";
import { DATABASES } from "./env.ts";

/** Returns the invariants that the operator's audit finds broken in one workspace. */
export async function brokenInvariants(workspace: string): Promise<string[]> {
  const broken = DATABASES.map(async (db) => {
    const answers = await db.batch(
      INVARIANTS.map(({ sql }) => db.prepare(`SELECT * FROM (${sql}) WHERE workspace_id = ?`).bind(workspace)),
    );
    return answers.flatMap(({ results }, i) => results.map((row) => `${INVARIANTS[i]?.name}: ${JSON.stringify(row)}`));
  });
  return (await Promise.all(broken)).flat();
}
