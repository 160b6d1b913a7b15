import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const manifest = join(dirname(fileURLToPath(import.meta.url)), "../package.json");

/** The version of the package, whether it runs from source or packed. */
export const VERSION: string = JSON.parse(readFileSync(manifest, "utf8")).version;
