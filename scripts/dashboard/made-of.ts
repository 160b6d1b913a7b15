// What the build has made something of, so that it is not made again while none of that has changed.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** One thing that is built. Its files may be gone, or another's. */
export class MadeOf {
  readonly #record: string;
  readonly #hash: string;

  /** `record`: where the hash of its sources is kept. `sources`: patterns of their paths. */
  constructor(record: string, sources: string[]) {
    const hash = createHash("sha256");
    const files = globSync([...sources, "package-lock.json"], { cwd: ROOT });
    for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
    this.#record = record;
    this.#hash = hash.digest("hex");
  }

  /** Whether these files are there, and were made of the sources as they are now. */
  isNew(files: string[]): boolean {
    return (
      [this.#record, ...files].every((file) => existsSync(file)) && readFileSync(this.#record, "utf8") === this.#hash
    );
  }

  record(): Promise<void> {
    return writeFile(this.#record, this.#hash);
  }
}
