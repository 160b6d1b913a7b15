// `npm run backup -- FILE --remote`: saves all rows of all databases in one file outside Cloudflare (docs/operations.md).
import { writeBackup } from "./backup/backup.ts";
import { writeFile } from "./backup/write-file.ts";

await writeFile("backup", async (file, databases) => {
  const { rows } = await writeBackup(file, databases, console.log);
  return `Wrote ${rows} rows to ${file}. Keep it as safe as the database, and keep the secrets (SEAL_KEYS) in another place.`;
});
