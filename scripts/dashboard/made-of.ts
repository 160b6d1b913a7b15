// Remembers the sources of a build, so that unchanged sources are not built again.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** A build output. Its files may be missing, or from another build. */
export class MadeOf {
  readonly #record: string;
  readonly #hash: string;

  /** `record`: the file with the hash of the sources. `sources`: patterns of their paths. */
  constructor(record: string, sources: string[]) {
    const hash = createHash("sha256");
    const files = globSync([...sources, "package-lock.json"], { cwd: ROOT });
    for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
    this.#record = record;
    this.#hash = hash.digest("hex");
  }

  /** Whether these files exist and were built from the current sources. */
  isNew(files: string[]): boolean {
    return (
      [this.#record, ...files].every((file) => existsSync(file)) && readFileSync(this.#record, "utf8") === this.#hash
    );
  }

  record(): Promise<void> {
    return writeFile(this.#record, this.#hash);
  }
}
