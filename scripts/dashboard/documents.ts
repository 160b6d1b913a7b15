// Writes the OpenAPI document and its page at build time, because both take too much work for one request.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WRITTEN_FILES } from "../../src/http/docs/written-files.ts";
import { FOLDER } from "./build.ts";
import { BuildRecord } from "./build-record.ts";

const SOURCES = ["src/**/*.*", "scripts/dashboard/*.ts"];

export async function buildDocuments(): Promise<void> {
  const record = new BuildRecord(`${FOLDER}-documents.sha256`, SOURCES);
  if (record.isCurrent(Object.values(WRITTEN_FILES).map((name) => join(FOLDER, name)))) return;
  const { writeTemplates } = await import("../../src/http/docs/written.ts");
  const templates = await writeTemplates();
  await mkdir(FOLDER, { recursive: true });
  for (const name of ["openApi", "docs"] as const) {
    // Another process may be reading the file, and another build may be writing it or deleting unknown files in the folder.
    const temporaryPath = `${FOLDER}-${WRITTEN_FILES[name]}-${process.pid}`;
    await writeFile(temporaryPath, templates[name]);
    await rename(temporaryPath, join(FOLDER, WRITTEN_FILES[name]));
  }
  await record.write();
}
