// Moves a folder's files into another folder that is being served.
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/**
 * Moves all files of one folder into another, and deletes the other files there. The target folder always exists, and a page
 * (`.html`) is replaced after the files that it references. Two processes may do this with the same files at once.
 */
export async function moveInto(from: string, to: string): Promise<void> {
  const files = await filesIn(from);
  const isPage = (file: string) => file.endsWith(".html");
  for (const file of [...files.filter((file) => !isPage(file)), ...files.filter(isPage)]) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await rename(join(from, file), join(to, file));
  }
  const old = (await filesIn(to)).filter((file) => !files.includes(file));
  await Promise.all(old.map((file) => rm(join(to, file), { force: true })));
  await rm(from, { recursive: true });
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
