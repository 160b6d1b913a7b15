// `npm run audit -- --remote`: checks a deployment's databases for rows that break a promise (src/store/invariants.ts), with
// read-only queries. Exit code 0: no violations; 1: violations; 2: a query failed.
import { INVARIANTS } from "../src/store/invariants.ts";
import { pageEnds, toPageQuestion, toPages } from "../src/store/invariants-page.ts";
import { endWithUsage, PLACE_OPTIONS, readArguments } from "./arguments.ts";
import { databasesBeside, openDatabase } from "./database.ts";
import type { Query, Row } from "./query.ts";

const USAGE = `npm run audit -- --remote                                     the deployment
npm run audit -- --local [--persist-to .wrangler/state]       a local run
  --database NAME   the accounts database, by its name or binding in wrangler.toml (DB); the databases beside it are checked too
  --json            print all findings as JSON
  --page COUNT      number of workspaces checked per query (500)
  NAME ...          run only these checks`;
/** Rows counted per query; only the first few are printed. */
const ROWS_MAX = 1_000;
const EXAMPLES = 5;

interface Finding {
  database: string;
  name: string;
  says: string;
  count: number;
  examples: Record<string, unknown>[];
}

const usage = (complaint: string) => endWithUsage(complaint, USAGE);
const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: { ...PLACE_OPTIONS, json: { type: "boolean", default: false }, page: { type: "string", default: "500" } },
  },
  USAGE,
);
if (values.remote === values.local) usage("Use --remote or --local.");
const pageSize = Number(values.page);
if (!Number.isInteger(pageSize) || pageSize < 1) usage("--page must be a number of workspaces.");
const unknown = positionals.find((name) => !INVARIANTS.some((invariant) => invariant.name === name));
if (unknown !== undefined)
  usage(`Unknown check ${unknown}; the checks are ${INVARIANTS.map(({ name }) => name).join(", ")}.`);
const selectedInvariants = INVARIANTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const place = { remote: values.remote, persistTo: values["persist-to"], database: values.database };
const findings: Finding[] = [];
let isComplete = true;

/** Runs all queries on one database. A query that fails is reported, and the next one still runs. */
async function examine(database: string, query: Query, print: (line: string) => void): Promise<void> {
  const ends = await query(pageEnds(pageSize));
  const pages = toPages(ends.map(({ id }) => String(id)));
  for (const { name, says, sql } of selectedInvariants) {
    const rows: Row[] = [];
    // One query at a time, so that each has the database's whole time limit.
    for (const page of pages) {
      const remainingRows = ROWS_MAX - rows.length;
      if (remainingRows === 0) break;
      rows.push(...(await query(`SELECT * FROM (${toPageQuestion(sql, page)}) LIMIT ${remainingRows}`)));
    }
    findings.push({ database, name, says, count: rows.length, examples: rows.slice(0, EXAMPLES) });
    print(`${name.padEnd(30)} ${rows.length}${rows.length === ROWS_MAX ? " or more" : ""}`);
    if (rows.length > 0) print(`  violated: ${says}`);
    for (const row of rows.slice(0, EXAMPLES)) print(`  ${JSON.stringify(row)}`);
  }
}

const refused = (subject: string, error: unknown) => {
  console.error(`${subject}: ${error instanceof Error ? error.message : error}`);
  isComplete = false;
};
const print = values.json ? () => {} : console.log;

/** Opens a database, and closes it after use. Errors are reported. */
async function withDatabase(database: string, act: (query: Query) => Promise<void>): Promise<void> {
  try {
    const { query, close } = await openDatabase({ ...place, database });
    try {
      await act(query);
    } finally {
      await close();
    }
  } catch (error) {
    refused(database, error);
  }
}

await withDatabase(values.database, async (query) => {
  const [accounts = "", ...beside] = await databasesBeside(place, query);
  if (beside.length > 0) print(accounts);
  await examine(accounts, query, print).catch((error) => refused(accounts, error));
  for (const database of beside) {
    print(database);
    await withDatabase(database, (homeQuery) => examine(database, homeQuery, print));
  }
});
if (values.json) console.log(JSON.stringify(findings, null, 2));
if (isComplete) process.exit(findings.every(({ count }) => count === 0) ? 0 : 1);
process.exit(2);
