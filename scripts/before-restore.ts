// `npm run before-restore -- FILE --remote`: writes down what stands now, before Time Travel sets a database back: after it,
// `npm run after-restore -- FILE` stops again what was stopped since (docs/operations.md).
import { endWithUsage, PLACE_OPTIONS, readArguments } from "./arguments.ts";
import { openDatabases } from "./backup/databases.ts";
import { endWithFailure } from "./backup/failure.ts";
import { writeStops } from "./backup/stops.ts";

const USAGE = `npm run before-restore -- FILE --remote                                  a deployment that is paused
npm run before-restore -- FILE --local [--persist-to .wrangler/state]    a local run that has ended
  --database NAME   that of the accounts, by its name or binding in wrangler.toml (DB); those beside it are in the file too`;

const { values, positionals } = readArguments({ allowPositionals: true, options: PLACE_OPTIONS }, USAGE);
const { remote, local, database, "persist-to": persistTo } = values;
const [file, ...others] = positionals;
if (file === undefined || others.length > 0) endWithUsage("Say the file to write.", USAGE);
if (remote === local) endWithUsage("Say --remote or --local.", USAGE);

try {
  const { databases, close } = await openDatabases({ remote, persistTo, database }, null);
  try {
    const { rows } = await writeStops(file, databases);
    console.log(
      `${file} says what stands now (${rows} rows). Set the database back, then: npm run after-restore -- ${file}`,
    );
  } finally {
    await close();
  }
} catch (error) {
  endWithFailure(error);
}
