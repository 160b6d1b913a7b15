// `npm run size`: bundles the worker as `wrangler deploy` does, prints its size and largest parts, and fails if it is too
// large.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, ".wrangler/size");
/** The maximum size in KiB, gzipped, because the platform limits the gzipped size: 3 MB on the free plan, 10 MB on the paid one. */
const SIZE_MAX_KIB = 736;
/** How many of the largest parts are listed. */
const PARTS = 10;

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** The package or folder of a file in the bundle. */
function getPackageOrFolder(file: string): string {
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  return inPackage?.[1] ?? file.split("/").slice(0, 2).join("/");
}

const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const output = execFileSync(
  process.execPath,
  [wrangler, "deploy", "--dry-run", "--outdir", FOLDER, "--metafile", join(FOLDER, "bundle-meta.json")],
  { cwd: ROOT, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" } },
);
const size = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
if (!(size > 0)) throw new Error(`wrangler did not print a size:\n${output}`);

const { outputs }: Metafile = JSON.parse(readFileSync(join(FOLDER, "bundle-meta.json"), "utf8"));
const bytesOf = new Map<string, number>();
for (const { inputs } of Object.values(outputs)) {
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    bytesOf.set(getPackageOrFolder(file), (bytesOf.get(getPackageOrFolder(file)) ?? 0) + bytesInOutput);
  }
}
const largest = [...bytesOf].sort(([, leftBytes], [, rightBytes]) => rightBytes - leftBytes).slice(0, PARTS);
for (const [partName, bytes] of largest) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KiB  ${partName}`);
console.log(`Worker size: ${size} of at most ${SIZE_MAX_KIB} KiB gzipped`);
if (size > SIZE_MAX_KIB) {
  console.error("The Worker is too large. See .wrangler/size/bundle-meta.json");
  process.exitCode = 1;
}
