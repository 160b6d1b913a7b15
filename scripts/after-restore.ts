// `npm run after-restore -- FILE --remote`: run this after Time Travel has restored a database, and before anything is
// published (docs/operations.md). Posts that may have been sent since are reconciled with their networks and never sent
// again; the stops that `npm run before-restore` has saved are applied again.
import { afterRestore } from "../src/store/after-restore.ts";
import { endWithUsage, PLACE_OPTIONS, readArguments, readInstant } from "./arguments.ts";
import { openDatabases } from "./backup/databases.ts";
import { endWithFailure } from "./backup/failure.ts";
import { applyChanges, applyStops } from "./backup/stops.ts";
import { openDatabase } from "./database.ts";

const USAGE = `npm run after-restore -- FILE --remote             all databases, from the file that npm run before-restore wrote
npm run after-restore -- --remote --until INSTANT    without that file: one database, and nothing is stopped again
  --until INSTANT   the time when PAUSED was set, for example 2026-11-22T10:05:00Z; nothing was sent after it
  --database NAME   its name or binding in wrangler.toml (DB)
  --local [--persist-to .wrangler/state]   a local run`;

const { values, positionals } = readArguments(
  { allowPositionals: true, options: { ...PLACE_OPTIONS, until: { type: "string" } } },
  USAGE,
);
const { remote, local, "persist-to": persistTo, database, until } = values;
const [file, ...extraArguments] = positionals;
if (remote === local) endWithUsage("Use --remote or --local.", USAGE);
if ((file === undefined) === (until === undefined) || extraArguments.length > 0) {
  endWithUsage("Name the file that npm run before-restore wrote, or use --until.", USAGE);
}

try {
  if (file !== undefined) {
    const { databases, close } = await openDatabases({ remote, persistTo, database }, null);
    try {
      await applyStops(file, databases, console.log);
    } finally {
      await close();
    }
  } else {
    const stoppedAt = readInstant("--until", until ?? "", USAGE);
    const { query, close } = await openDatabase({ remote, persistTo, database });
    try {
      await applyChanges({ name: database, query }, afterRestore(stoppedAt), console.log);
    } finally {
      await close();
    }
  }
  console.log("Done. No post that was already sent will be sent again.");
} catch (error) {
  endWithFailure(error);
}
