// Writes the OpenAPI document and its page, so that the Worker need not: both are much work for one request.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WRITTEN_FILES, writeTemplates } from "../../src/http/docs/written.ts";
import { FOLDER } from "./build.ts";

export async function buildDocuments(): Promise<void> {
  const written = await writeTemplates();
  await mkdir(FOLDER, { recursive: true });
  for (const name of ["openApi", "docs"] as const) {
    // Somebody may be reading the file, and another build may be writing it, or deleting all files of the folder that it does not know.
    const own = `${FOLDER}-${WRITTEN_FILES[name]}-${process.pid}`;
    await writeFile(own, written[name]);
    await rename(own, join(FOLDER, WRITTEN_FILES[name]));
  }
}
