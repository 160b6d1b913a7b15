// Lists the packages of third parties in the shipped code: the worker's bundle, the packed command line and the dashboard.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { ROOT } from "./markdown.ts";

/** The licences of packages whose `package.json` names none, from their LICENSE files. */
const UNNAMED: Record<string, string> = { csv42: "ISC", "twitter-text": "Apache-2.0" };

export interface Shipped {
  name: string;
  version: string;
  license: string;
  /** `worker`, `cli`, `dashboard`. */
  parts: string[];
}

const bundled = new Map<string, Set<string>>();

/** Lists the packages in the bundle of an entry point, which is bundled once. */
function listPackages(entry: string, conditions: string[]): Set<string> {
  const packages = bundled.get(entry) ?? bundle(entry, conditions);
  bundled.set(entry, packages);
  return packages;
}

function bundle(entry: string, conditions: string[]): Set<string> {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: "esm",
    conditions,
    external: ["cloudflare:*", "node:*"],
    outdir: "unwritten",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return new Set(inputs.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
}

export function listShipped(): Shipped[] {
  const worker = listPackages("src/index.ts", ["workerd", "worker", "browser"]);
  const cli = listPackages("cli/main.ts", ["node"]);
  const dashboard = listPackages("src/dashboard/main.tsx", ["browser"]);
  return [...new Set([...worker, ...cli, ...dashboard])].sort().map((name) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8"));
    const parts = [
      ...(worker.has(name) ? ["worker"] : []),
      ...(cli.has(name) ? ["cli"] : []),
      ...(dashboard.has(name) ? ["dashboard"] : []),
    ];
    return { name, version: manifest.version, license: manifest.license ?? UNNAMED[name] ?? "none", parts };
  });
}
