// `npm run before-restore -- FILE --remote`: writes down what stands now, before Time Travel sets a database back: after it,
// `npm run after-restore -- FILE` stops again what was stopped since (docs/operations.md).
import { writeStops } from "./backup/stops.ts";
import { writeFile } from "./backup/write-file.ts";

await writeFile("before-restore", async (file, databases) => {
  const { rows } = await writeStops(file, databases);
  return `${file} says what stands now (${rows} rows). Set the database back, then: npm run after-restore -- ${file}`;
});
