// The query parameters of each call, from the OpenAPI description 2.167. The emulator of xdevplatform/playground (commit
// fe224d5) refuses the same ones: built and queried on 2026-11-26. It accepts names that end in `.fields` for every call.
import type { Context } from "hono";
import type { SimulatorEnv } from "../simulator.ts";
import { invalidParameter } from "./problem.ts";

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

/** Times as X writes them, to the second or more exact. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;
/** "Minimum allowable time" of a timeline: X's own collection for Postman, as developers.qodex.ai shows it, read 2026-11-26. */
const OLDEST = "2010-11-06T00:00:00Z";
/** In answers that users of X quote ("must be a minimum of 10 seconds prior to the request time"), read 2026-11-26. */
const NEWEST_MS = 10_000;

function checkNames(c: Context<SimulatorEnv>, known: readonly string[]): void {
  const query = Object.entries(c.req.query());
  const [unknown] = query.filter(([name]) => !known.includes(name) && !name.endsWith(".fields"));
  if (unknown === undefined) return;
  const [name, value] = unknown;
  throw invalidParameter(name, value, `The query parameter [${name}] is not one of [${known.join(",")}]`);
}

/** The ids of the posts in a look-up. */
export function readIds(c: Context<SimulatorEnv>): string[] {
  checkNames(c, ["ids", "expansions"]);
  const list = c.req.query("ids") ?? "";
  const ids = list.split(",");
  if (ids.length > IDS_MAX) {
    const message = `The number of values in the \`ids\` query parameter list [${ids.length}] is not between 1 and ${IDS_MAX}`;
    throw invalidParameter("ids", list, message);
  }
  const wrong = ids.find((id) => !ID.test(id));
  if (wrong !== undefined)
    throw invalidParameter("ids", list, `The \`ids\` query parameter value [${wrong}] is not valid`);
  return ids;
}

/** A time in epoch milliseconds; undefined if the query has none. */
function readTime(c: Context<SimulatorEnv>, name: "start_time" | "end_time"): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  const refuse = (rule: string) => invalidParameter(name, text, `Invalid '${name}':'${text}'. '${name}' ${rule}`);
  // 2026-02-30 is read as a day of March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== text.slice(0, 19))
    throw invalidParameter(name, text, `The \`${name}\` query parameter value [${text}] is not valid`);
  if (time < Date.parse(OLDEST)) throw refuse(`must be on or after ${OLDEST}`);
  if (time > Date.now() - NEWEST_MS) throw refuse("must be a minimum of 10 seconds prior to the request time.");
  return time;
}

/** The start of a timeline request, in epoch milliseconds, and the maximum number of posts. */
export function readTimelineQuery(c: Context<SimulatorEnv>): { since: number; maxPosts: number } {
  checkNames(c, TIMELINE_PARAMETERS);
  const { max_results = "10" } = c.req.query();
  const maxPosts = Number(max_results);
  if (!Number.isInteger(maxPosts) || maxPosts < RESULTS.min || maxPosts > RESULTS.max) {
    const message = `The \`max_results\` query parameter value [${max_results}] is not between ${RESULTS.min} and ${RESULTS.max}`;
    throw invalidParameter("max_results", max_results, message);
  }
  readTime(c, "end_time");
  return { since: readTime(c, "start_time") ?? 0, maxPosts };
}
