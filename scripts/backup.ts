// `npm run backup -- FILE --remote`: all rows of all databases as one file outside of Cloudflare (docs/operations.md).
import { endWithUsage, PLACE_OPTIONS, readArguments } from "./arguments.ts";
import { writeBackup } from "./backup/backup.ts";
import { openDatabases } from "./backup/databases.ts";
import { endWithFailure } from "./backup/failure.ts";

const USAGE = `npm run backup -- FILE --remote                                  a deployment that is paused
npm run backup -- FILE --local [--persist-to .wrangler/state]    a local run that has ended
  --database NAME   that of the accounts, by its name or binding in wrangler.toml (DB); those beside it are in the file too`;

const { values, positionals } = readArguments({ allowPositionals: true, options: PLACE_OPTIONS }, USAGE);
const { remote, local, database, "persist-to": persistTo } = values;
const [file, ...others] = positionals;
if (file === undefined || others.length > 0) endWithUsage("Say the file to write.", USAGE);
if (remote === local) endWithUsage("Say --remote or --local.", USAGE);

try {
  const { databases, close } = await openDatabases({ remote, persistTo, database }, null);
  try {
    const { rows } = await writeBackup(file, databases, console.log);
    console.log(
      `${file} has ${rows} rows. Keep it as safe as the database, and the secrets (SEAL_KEYS) somewhere else.`,
    );
  } finally {
    await close();
  }
} catch (error) {
  endWithFailure(error);
}
