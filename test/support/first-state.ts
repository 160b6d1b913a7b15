// What every first start of Crier does, done once for all local runs of the tests: the dashboard is built, and a state has its tables.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

export default async function setup(): Promise<() => Promise<void>> {
  // Several projects ask for it; the first one that does makes it.
  if (process.env.CRIER_FIRST_STATE !== undefined) return async () => {};
  const folder = await mkdtemp(join(tmpdir(), "crier-first-"));
  await run(process.execPath, ["scripts/build-dashboard.ts"], { cwd: ROOT });
  await run(process.execPath, ["scripts/local/migrate.ts", ROOT, folder], { cwd: ROOT });
  process.env.CRIER_FIRST_STATE = folder;
  return async () => {
    delete process.env.CRIER_FIRST_STATE;
    await rm(folder, { recursive: true, force: true });
  };
}
