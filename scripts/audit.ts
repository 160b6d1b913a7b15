// `npm run audit -- --remote`: asks a deployment's database for anything that breaks a promise (src/store/invariants.ts), with
// questions that only read. The exit code is 0 when nothing does, 1 when something does, 2 when it could not be asked.
import { INVARIANTS } from "../src/store/invariants.ts";
import { endWithUsage, PLACE_OPTIONS, readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

const USAGE = `npm run audit -- --remote                                     the deployment
npm run audit -- --local [--persist-to .wrangler/state]       a local run
  --database NAME   its name or binding in wrangler.toml (DB)
  --json            all that was found, as JSON
  NAME ...          only these questions`;
/** Rows that are counted of each question; the first few are shown. */
const ROWS_MAX = 1_000;
const EXAMPLES = 5;

interface Finding {
  name: string;
  says: string;
  count: number;
  examples: Record<string, unknown>[];
}

const usage = (complaint: string) => endWithUsage(complaint, USAGE);
const { values, positionals } = readArguments(
  { allowPositionals: true, options: { ...PLACE_OPTIONS, json: { type: "boolean", default: false } } },
  USAGE,
);
if (values.remote === values.local) usage("Say --remote or --local.");
const unknown = positionals.find((name) => !INVARIANTS.some((invariant) => invariant.name === name));
if (unknown !== undefined)
  usage(`Unknown check ${unknown}; the checks are ${INVARIANTS.map(({ name }) => name).join(", ")}.`);
const asked = INVARIANTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const refused = (what: string) => (error: unknown) => {
  console.error(`${what}: ${error instanceof Error ? error.message : error}`);
  process.exit(2);
};
const place = { remote: values.remote, persistTo: values["persist-to"], database: values.database };
const query = await openDatabase(place).catch(refused("sign-in"));
const findings: Finding[] = [];
for (const { name, says, sql } of asked) {
  // One at a time: each has the database's whole time limit to itself.
  const rows = await query(`SELECT * FROM (${sql}) LIMIT ${ROWS_MAX}`).catch(refused(name));
  findings.push({ name, says, count: rows.length, examples: rows.slice(0, EXAMPLES) });
  if (values.json) continue;
  console.log(`${name.padEnd(30)} ${rows.length}${rows.length === ROWS_MAX ? " or more" : ""}`);
  if (rows.length > 0) console.log(`  not so: ${says}`);
  for (const row of rows.slice(0, EXAMPLES)) console.log(`  ${JSON.stringify(row)}`);
}
if (values.json) console.log(JSON.stringify(findings, null, 2));
process.exit(findings.every(({ count }) => count === 0) ? 0 : 1);
