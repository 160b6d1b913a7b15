// Does the work of a first start once for all local runs of the tests: it builds the dashboard and creates a state with all tables.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

export default async function setup(): Promise<() => Promise<void>> {
  // Several projects need the state; the first one creates it.
  if (process.env.CRIER_FIRST_STATE !== undefined) return async () => {};
  const folder = await mkdtemp(join(tmpdir(), "crier-first-"));
  // With the gallery, as local runs have it: another build would replace the files that they serve.
  await run(process.execPath, ["scripts/build-dashboard.ts"], {
    cwd: ROOT,
    env: { ...process.env, CRIER_GALLERY: "1" },
  });
  await run(process.execPath, ["scripts/local/migrate.ts", ROOT, folder], { cwd: ROOT });
  process.env.CRIER_FIRST_STATE = folder;
  return async () => {
    delete process.env.CRIER_FIRST_STATE;
    await rm(folder, { recursive: true, force: true });
  };
}
