// `npm run before-restore -- FILE --remote`: saves the stops in effect, before Time Travel restores a database. Afterwards,
// `npm run after-restore -- FILE` applies the stops that the restore undid (docs/operations.md).
import { writeStops } from "./backup/stops.ts";
import { writeFile } from "./backup/write-file.ts";

await writeFile("before-restore", async (file, databases) => {
  const { rows } = await writeStops(file, databases);
  return `Wrote the current state (${rows} rows) to ${file}. Restore the database, then run: npm run after-restore -- ${file}`;
});
