import { endWithUsage, PLACE_OPTIONS, readArguments } from "../arguments.ts";
import { type OpenDatabase, openDatabases } from "./databases.ts";
import { endWithFailure } from "./failure.ts";

const describeUsage = (name: string) => {
  const [remote, local] = [
    `npm run ${name} -- FILE --remote`,
    `npm run ${name} -- FILE --local [--persist-to .wrangler/state]`,
  ];
  return `${remote.padEnd(local.length)}    a paused deployment
${local}    a local run that has ended
  --database NAME   the accounts database, by its name or binding in wrangler.toml (DB); the databases beside it are included`;
};

/**
 * Runs the command `name`, which writes a file about all databases of a deployment or local run. `write` returns the text to
 * print at the end.
 */
export async function writeFile(
  name: string,
  write: (file: string, databases: OpenDatabase[]) => Promise<string>,
): Promise<void> {
  const usage = describeUsage(name);
  const { values, positionals } = readArguments({ allowPositionals: true, options: PLACE_OPTIONS }, usage);
  const { remote, local, database, "persist-to": persistTo } = values;
  const [file, ...extraArguments] = positionals;
  if (file === undefined || extraArguments.length > 0) endWithUsage("Name the file to write.", usage);
  if (remote === local) endWithUsage("Use --remote or --local.", usage);
  try {
    const { databases, close } = await openDatabases({ remote, persistTo, database }, null);
    try {
      console.log(await write(file, databases));
    } finally {
      await close();
    }
  } catch (error) {
    endWithFailure(error);
  }
}
