// A video of any length that uses no disk space: the demo's, followed by a box that players skip.
import { open, readFile } from "node:fs/promises";

export async function sparseVideo(file: string, bytes: number): Promise<void> {
  const head = await readFile(`${import.meta.dirname}/demo.mp4`);
  const openFile = await open(file, "w");
  await openFile.write(head);
  // One empty box: its size in 64 bits, and its type.
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("free", 4, "latin1");
  box.writeBigUInt64BE(BigInt(bytes - head.byteLength), 8);
  await openFile.write(box);
  await openFile.truncate(bytes);
  await openFile.close();
}
