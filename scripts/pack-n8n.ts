// `npm run pack:n8n`: bundles each node of src/n8n and its credential into a file of plain JavaScript and packs them as
// n8n-nodes-crier, whose only dependency comes with n8n. Prints the path of the tarball.
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(root, ".wrangler/n8n");
const { version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

const NODES = ["nodes/Crier/Crier.node", "nodes/CrierTrigger/CrierTrigger.node"];
const CREDENTIALS = ["credentials/CrierApi.credentials"];
const ICON = "crier.svg";

await rm(folder, { recursive: true, force: true });
await mkdir(join(folder, "dist"), { recursive: true });
await build({
  entryPoints: Object.fromEntries([...NODES, ...CREDENTIALS].map((name) => [name, join(root, `src/n8n/${name}.ts`)])),
  outdir: join(folder, "dist"),
  bundle: true,
  // n8n loads a file with require() and instantiates the class of that name.
  format: "cjs",
  platform: "node",
  target: "node20",
  external: ["n8n-workflow"],
  // Readable, so that users can review it before they trust it with a key.
  minify: false,
  legalComments: "none",
  logLevel: "warning",
});
await copyFile(join(root, "src/n8n", ICON), join(folder, "dist", ICON));

const built = (names: string[]) => names.map((name) => `dist/${name}.js`);
const manifest = {
  name: "n8n-nodes-crier",
  version,
  description: "Nodes of n8n for Crier: one post to many social networks, on time, exactly as written, never twice.",
  license,
  keywords: ["n8n-community-node-package"],
  files: ["dist"],
  n8n: { n8nNodesApiVersion: 1, credentials: built(CREDENTIALS), nodes: built(NODES) },
  peerDependencies: { "n8n-workflow": "*" },
  // AbortSignal.any
  engines: { node: ">=20.3" },
};
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(
  join(folder, "README.md"),
  `# n8n-nodes-crier

Nodes of n8n for Crier, which publishes one post to many social networks.

- **Crier**: post, find posts, wait for the outcome of a post.
- **Crier Trigger**: starts a workflow when a post is live, has failed, or needs somebody.

The credential is the address of your Crier and the key of a workspace.
`,
);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const [packed] = JSON.parse(
  execFileSync(npm, ["pack", "--json", "--loglevel=error"], { cwd: folder, encoding: "utf8" }),
);
console.log(join(folder, packed.filename));
