// Where the databases of workerd and the states of local runs are: in memory, if the machine offers room there, for SQLite waits
// for the disk at each write.
import { mkdtemp, rm, statfs } from "node:fs/promises";

const MEMORY = "/dev/shm";
/** Several times what a run writes. */
const ROOM_BYTES = 2 * 1024 ** 3;

/** Miniflare and the processes of tests begin after this, and make their folders where temporary files are. */
export default async function setup(): Promise<() => Promise<void>> {
  const before = process.env.TMPDIR;
  // Several projects ask for it; the first one that does makes it.
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
  const found = await statfs(MEMORY).catch(() => null);
  return found !== null && found.bavail * found.bsize >= ROOM_BYTES;
}
