// `npm run after-restore -- --remote --until 2026-11-22T10:05:00Z`: after Time Travel has set the database back, and before anything
// publishes again (docs/operations.md). What may have been sent by then is looked for on its network, and never sent again.
import { afterRestore } from "../src/store/after-restore.ts";
import { endWithUsage, PLACE_OPTIONS, readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";

const USAGE = `npm run after-restore -- --remote --until 2026-11-22T10:05:00Z
  --until INSTANT   when PAUSED was set: nothing was sent from then on
  --database NAME   its name or binding in wrangler.toml (DB)
  --local [--persist-to .wrangler/state]   a local run`;

const usage = (complaint: string) => endWithUsage(complaint, USAGE);
const { values } = readArguments({ options: { ...PLACE_OPTIONS, until: { type: "string", default: "" } } }, USAGE);
const { remote, local, "persist-to": persistTo, database, until } = values;
if (remote === local) usage("Say --remote or --local.");
if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(until) || Number.isNaN(Date.parse(until))) {
  usage("Say --until as an instant in UTC, as 2026-11-22T10:05:00Z.");
}
if (Date.parse(until) > Date.now()) usage("--until must have passed.");

try {
  const query = await openDatabase({ remote, persistTo, database });
  const [deliveries = "", comments = "", unfinished = ""] = afterRestore(Date.parse(until));
  console.log(`${(await query(deliveries)).length} deliveries may have been sent: they are looked for`);
  console.log(
    `${(await query(comments)).length} live posts wait for a first comment or an addition that may have been made: it is not made again`,
  );
  console.log(
    `${(await query(unfinished)).length} deliveries with an open call make no comment or addition, should they be live`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
