// The query parameters of each call, from the OpenAPI description 2.167. The emulator of xdevplatform/playground (commit
// fe224d5) refuses the same ones: built and queried on 2026-11-26. It accepts names that end in `.fields` for every call.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";
import { invalid } from "./problem.ts";

const IDS_MAX = 100;
const ID = /^\d{1,19}$/;
const TIMELINE_PARAMETERS = [
  "max_results",
  "pagination_token",
  "start_time",
  "end_time",
  "since_id",
  "until_id",
  "exclude",
  "expansions",
];
const RESULTS = { min: 5, max: 100 };

function checkNames(c: Context<SimulatorEnv>, known: readonly string[]): void {
  const unknown = Object.keys(c.req.query()).filter((name) => !known.includes(name) && !name.endsWith(".fields"));
  if (unknown.length > 0)
    throw invalid(`The query parameter [${unknown.join(",")}] is not one of [${known.join(",")}]`);
}

/** The ids of the posts in a look-up. */
export function readIds(c: Context<SimulatorEnv>): string[] {
  checkNames(c, ["ids", "expansions"]);
  const ids = (c.req.query("ids") ?? "").split(",");
  if (ids.length > IDS_MAX)
    throw invalid(
      `The number of values in the \`ids\` query parameter list [${ids.length}] is not between 1 and ${IDS_MAX}`,
    );
  const wrong = ids.find((id) => !ID.test(id));
  if (wrong !== undefined) throw invalid(`The \`ids\` query parameter value [${wrong}] is not valid`);
  return ids;
}

/** The start of a timeline request, in epoch milliseconds, and the maximum number of posts. */
export function readTimelineQuery(c: Context<SimulatorEnv>): { since: number; maxPosts: number } {
  checkNames(c, TIMELINE_PARAMETERS);
  const { max_results = "10", start_time = "1970-01-01T00:00:00Z" } = c.req.query();
  const maxPosts = Number(max_results);
  if (!Number.isInteger(maxPosts) || maxPosts < RESULTS.min || maxPosts > RESULTS.max)
    throw invalid(
      `The \`max_results\` query parameter value [${max_results}] is not between ${RESULTS.min} and ${RESULTS.max}`,
    );
  return { since: Date.parse(start_time), maxPosts };
}
