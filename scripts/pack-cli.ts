// `npm run pack:cli`: bundles the CLI into plain JavaScript for Node 20 and packs it. Prints the path of the tarball.
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(root, ".wrangler/cli");
const { version, description, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

await rm(folder, { recursive: true, force: true });
await mkdir(join(folder, "bin"), { recursive: true });
await build({
  entryPoints: { crier: join(root, "cli/main.ts") },
  outdir: join(folder, "bin"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // The readers of images and videos are loaded only when a file is posted.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // The package that twitter-text means, not Node's deprecated module of that name.
  alias: { punycode: "punycode/" },
  minify: true,
  // Keeps names in error reports.
  keepNames: true,
  legalComments: "none",
  logLevel: "warning",
});
await chmod(join(folder, "bin/crier.mjs"), 0o755);
const manifest = {
  name: "crier",
  version,
  description: `${description} The command line.`,
  license,
  type: "module",
  bin: { crier: "bin/crier.mjs" },
  files: ["bin"],
  // AbortSignal.any
  engines: { node: ">=20.3" },
};
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(
  join(folder, "README.md"),
  "# crier\n\nThe command line of Crier: one post to many social networks.\n\n```sh\ncrier login --url https://crier.example.com\ncrier post 'Hello' --channel @you\ncrier --help\n```\n",
);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const [packed] = JSON.parse(
  execFileSync(npm, ["pack", "--json", "--loglevel=error"], { cwd: folder, encoding: "utf8" }),
);
console.log(join(folder, packed.filename));
