// Moves the temporary files of a test run (the databases of workerd, the states of local runs) into memory if there is enough room,
// because SQLite waits for the disk at each write.
import { mkdtemp, rm, statfs } from "node:fs/promises";

const MEMORY = "/dev/shm";
/** The free memory that is required, several times the size of a run's files. */
const ROOM_BYTES = 2 * 1024 ** 3;

/** Sets the folder of temporary files. Miniflare and the processes of tests start later and use it. */
export default async function setup(): Promise<() => Promise<void>> {
  const before = process.env.TMPDIR;
  // Several projects need the folder; the first one creates it.
  if (before?.startsWith(MEMORY) || !(await hasRoom())) return async () => {};
  const folder = await mkdtemp(`${MEMORY}/crier-tests-`);
  process.env.TMPDIR = folder;
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true });
  };
}

async function hasRoom(): Promise<boolean> {
  const stats = await statfs(MEMORY).catch(() => null);
  return stats !== null && stats.bavail * stats.bsize >= ROOM_BYTES;
}
