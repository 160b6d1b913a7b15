// `npm run restore -- FILE --remote`: restores a backup into new databases, and prevents posts that may have been sent since
// the backup from being sent again (docs/operations.md). Run it again to resume.
import { afterRestore } from "../src/store/after-restore.ts";
import { endWithUsage, PLACE_OPTIONS, readArguments, readInstant } from "./arguments.ts";
import { openDatabases } from "./backup/databases.ts";
import { endWithFailure } from "./backup/failure.ts";
import { checkBackup, clearUp, isEnded, load, prepare } from "./backup/restore.ts";
import { applyChanges } from "./backup/stops.ts";

const USAGE = `npm run restore -- FILE --remote                                  a new, paused deployment
npm run restore -- FILE --local [--persist-to .wrangler/state]    a local run
  --until INSTANT   when the backed-up deployment stopped publishing, for example 2026-11-22T10:05:00Z. Default: now
  --stayed-paused   the backed-up deployment has not published since the backup
  --database NAME   the accounts database, by its name or binding in wrangler.toml (DB)`;

const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: { ...PLACE_OPTIONS, until: { type: "string" }, "stayed-paused": { type: "boolean", default: false } },
  },
  USAGE,
);
const { remote, local, database, "persist-to": persistTo, "stayed-paused": stayedPaused } = values;
const [file, ...extraArguments] = positionals;
if (file === undefined || extraArguments.length > 0) endWithUsage("Name the file to restore.", USAGE);
if (remote === local) endWithUsage("Use --remote or --local.", USAGE);
if (stayedPaused && values.until !== undefined) endWithUsage("Use --until or --stayed-paused.", USAGE);
const until = values.until === undefined ? Date.now() : readInstant("--until", values.until, USAGE);

try {
  const checked = await checkBackup(file);
  if (checked.header.crier !== "backup") endWithUsage(`${file} is not a backup.`, USAGE);
  console.log(`${file} is complete: ${checked.end.rows} rows, made at ${checked.header.made_at}`);
  const { databases, close } = await openDatabases({ remote, persistTo, database }, checked.header.databases);
  try {
    if (!(await isEnded(databases, checked))) {
      await prepare(databases, checked);
      await load(file, databases, console.log);
      for (const restoredDatabase of stayedPaused ? [] : databases)
        await applyChanges(restoredDatabase, afterRestore(until), console.log);
    }
    await clearUp(databases);
    console.log("Restored.");
  } finally {
    await close();
  }
} catch (error) {
  endWithFailure(error);
}
