// A video of any length that takes no room on a disk: the demo's, and a box after it that players skip.
import { open, readFile } from "node:fs/promises";

export async function sparseVideo(file: string, bytes: number): Promise<void> {
  const head = await readFile(`${import.meta.dirname}/demo.mp4`);
  const handle = await open(file, "w");
  await handle.write(head);
  // One box: its size in 64 bits, its type, and nothing in it.
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("free", 4, "latin1");
  box.writeBigUInt64BE(BigInt(bytes - head.byteLength), 8);
  await handle.write(box);
  await handle.truncate(bytes);
  await handle.close();
}
