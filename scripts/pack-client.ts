// `npm run pack:client`: bundles src/client into one file of plain JavaScript, generates its types, and packs both as
// @crier/client, which has no dependencies. Prints the path of the tarball.
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(root, ".wrangler/client");
const { version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
// A folder of its own: another process may pack at the same time.
const types = join(root, `.wrangler/client-types-${process.pid}`);

await rm(folder, { recursive: true, force: true });
await mkdir(join(folder, "dist"), { recursive: true });
await build({
  entryPoints: { index: join(root, "src/client/index.ts") },
  outdir: join(folder, "dist"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
});

/**
 * The contract's types are derived from zod's types. In declarations, the compiler writes an inferred type in full, but writes a
 * named type only by its name. So these constants make the compiler infer the types.
 */
const WRITTEN_OUT = `
import type { Calls as Derived, Code as Codes, RefusalBody as Body, WebhookEventName as Names } from "../../src/client/calls.ts";
declare function the<Type>(): Type;
type Parts = "params" | "query" | "body" | "answer";
export const Calls = the<{ [Name in keyof Derived]: { [Part in Parts]: Derived[Name][Part] } }>();
export const Code = the<Codes>();
export const RefusalBody = the<{ [Field in keyof Body]: Body[Field] }>();
export const WebhookEventNames = the<{ [Name in Names]: true }>();
`;
await rm(types, { recursive: true, force: true });
await mkdir(types, { recursive: true });
await writeFile(join(types, "calls.ts"), WRITTEN_OUT);
await writeFile(
  join(types, "tsconfig.json"),
  JSON.stringify({
    extends: "../../tsconfig.json",
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noErrorTruncation: true,
      rootDir: "../..",
      outDir: "out",
    },
    files: ["calls.ts", "../../src/client/index.ts"],
    include: [],
  }),
);
const tsc = join(root, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", types], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });

const declarationsPath = join(types, "out", relative(root, types), "calls.d.ts");
const calls = `${(await readFile(declarationsPath, "utf8")).replace(/^export declare const (\w+): /gm, "export type $1 = ")}
export type WebhookEventName = keyof WebhookEventNames;
`;
if (/\bimport\b(?!")/.test(calls)) throw new Error("the contract's types name one that is not written out");
await writeFile(join(folder, "dist/calls.d.ts"), calls);
const derived = join(types, "out/src/client");
for (const file of await readdir(derived)) {
  if (file === "calls.d.ts") continue;
  const text = (await readFile(join(derived, file), "utf8")).replace(/(from ".*)\.ts"/g, '$1.js"');
  if (/from "\.\.\//.test(text)) throw new Error(`${file} needs a type from outside src/client: move it to calls.ts`);
  await writeFile(join(folder, "dist", file), text);
}
await rm(types, { recursive: true });

const manifest = {
  name: "@crier/client",
  version,
  description:
    "A client of Crier for programs: one post to many social networks, on time, exactly as written, never twice.",
  license,
  type: "module",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.mjs" } },
  files: ["dist"],
  sideEffects: false,
  // AbortSignal.any
  engines: { node: ">=20.3" },
};
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(
  join(folder, "README.md"),
  `# @crier/client

One post to many social networks, from Node, browsers and Workers; fetch alone, no other package.

\`\`\`ts
import { createClient, finished, Refusal } from "@crier/client";

const crier = createClient({ url: "https://crier.example.com", key: process.env.CRIER_API_KEY ?? null });
try {
  const { body } = await crier.call("posts.create", { body: { text: "Hello", channels: ["ch_01…"] } });
  console.log(await finished(crier, body.id));
} catch (error) {
  if (error instanceof Refusal) console.error(error.code, error.body.violations);
  else throw error;
}
\`\`\`
`,
);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const [packed] = JSON.parse(
  execFileSync(npm, ["pack", "--json", "--loglevel=error"], { cwd: folder, encoding: "utf8" }),
);
console.log(join(folder, packed.filename));
