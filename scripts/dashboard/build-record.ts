// Records from which sources something was built, so that it is not built again while they are unchanged.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The record of one build. */
export class BuildRecord {
  readonly #file: string;
  readonly #hash: string;

  /** `file`: where the hash of the sources is stored. `sources`: patterns of their paths. */
  constructor(file: string, sources: string[]) {
    const hash = createHash("sha256");
    const files = globSync([...sources, "package-lock.json"], { cwd: ROOT });
    for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
    this.#file = file;
    this.#hash = hash.digest("hex");
  }

  /** Whether these outputs exist and were built from the current sources. */
  isCurrent(outputs: string[]): boolean {
    return (
      [this.#file, ...outputs].every((file) => existsSync(file)) && readFileSync(this.#file, "utf8") === this.#hash
    );
  }

  write(): Promise<void> {
    return writeFile(this.#file, this.#hash);
  }
}
