// The import law, and no cycles.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const files = globSync(["src/**/*.{ts,tsx}", "cli/**/*.ts"], { cwd: root }).filter((file) =>
  existsSync(join(root, file)),
);

interface Import {
  from: string;
  /** A file of the project, or the name of a package. */
  to: string;
  own: boolean;
}
const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(root, from), "utf8");
  return [...text.matchAll(/(?:^|\n)(?:import|export)\b[^;"']*?from\s+["']([^"']+)["']/g)].map(([, target = ""]) =>
    target.startsWith(".")
      ? { from, to: normalize(join(dirname(from), target)), own: true }
      : { from, to: target, own: false },
  );
});

/** The layer of a file: its folder under src, or its own name at the top of src. */
function layerOf(file: string): string {
  const [top = "", second = "", third] = file.split("/");
  if (top !== "src") return top;
  return third === undefined ? second.replace(/\.tsx?$/, "") : second;
}

/** What the CLI needs of Node. */
const NODE_OF_CLI = ["crypto", "fs", "http", "https", "os", "path", "readline", "stream", "url", "util"];

/** What every process in the background may use. */
const INNER = ["networks", "store", "context", "domain", "adapters"];

/** Who may import whom, and which packages; what is not named here is not allowed. */
const LAW: Record<string, { layers: string[]; packages: string[] }> = {
  domain: { layers: ["domain"], packages: ["ulid", "temporal-polyfill", "twitter-text", "image-size", "mediabunny"] },
  contract: { layers: ["contract", "domain"], packages: ["zod"] },
  networks: { layers: ["networks", "domain"], packages: ["zod", "tlds"] },
  store: { layers: ["store", "domain"], packages: ["drizzle-orm"] },
  adapters: {
    layers: ["adapters", "domain"],
    packages: ["aws4fetch", "jose", "oauth4webapi", "worker-mailer", "node:crypto"],
  },
  "rate-limit": { layers: ["domain", "env"], packages: ["cloudflare:workers"] },
  env: { layers: ["domain"], packages: [] },
  context: { layers: ["env", "store", "adapters", "domain", "networks"], packages: [] },
  compose: { layers: ["context", "env", "store", "adapters", "domain", "networks"], packages: [] },
  operations: {
    layers: ["operations", "contract", "networks", "store", "context", "domain", "adapters"],
    packages: ["jsonc-parser", "zod"],
  },
  delivery: { layers: ["delivery", ...INNER], packages: [] },
  "follow-up": { layers: ["follow-up", "delivery", ...INNER], packages: [] },
  publisher: {
    layers: ["publisher", "delivery", "follow-up", ...INNER, "compose", "env"],
    packages: ["cloudflare:workers"],
  },
  maintenance: { layers: ["maintenance", ...INNER, "compose", "env"], packages: ["cloudflare:workers"] },
  webhooks: { layers: ["webhooks", ...INNER, "compose", "env"], packages: ["cloudflare:workers"] },
  http: {
    layers: ["http", "contract", "operations", "compose", "context", "domain", "env", "adapters"],
    packages: ["hono", "@hono/zod-validator", "zod"],
  },
  mcp: {
    layers: ["mcp", "contract", "operations", "networks", "compose", "context", "domain", "env", "adapters"],
    packages: ["agents", "@modelcontextprotocol/server", "cloudflare:workers", "zod"],
  },
  index: {
    layers: ["compose", "delivery", "env", "http", "maintenance", "mcp", "publisher", "rate-limit", "webhooks"],
    packages: [],
  },
  cli: {
    layers: ["cli", "contract", "domain"],
    packages: ["citty", "fast-string-truncated-width", "zod", ...NODE_OF_CLI.map((name) => `node:${name}`)],
  },
};

it("every file imports only what its layer may", () => {
  const breaches = imports.filter(({ from, to, own }) => {
    const law = LAW[layerOf(from)];
    if (law === undefined) return true;
    return own
      ? !law.layers.includes(layerOf(to))
      : !law.packages.some((name) => to === name || to.startsWith(`${name}/`));
  });
  expect(breaches.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

it("every import of the project's own leads to a file", () => {
  expect(imports.filter(({ to, own }) => own && !existsSync(join(root, to)))).toEqual([]);
});

it("no file imports itself, over however many others", () => {
  const next = Map.groupBy(
    imports.filter(({ own }) => own),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      return;
    }
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

it("the name of a network stands nowhere but in its own folder", () => {
  const names = globSync("src/networks/*/rule.ts", { cwd: root })
    .map((file) => file.split("/")[2] ?? "")
    .filter((name) => name !== "protocols");
  expect(names.length).toBeGreaterThan(0);
  const elsewhere = files.filter(
    (file) =>
      !file.startsWith("src/networks/") &&
      names.some((name) =>
        new RegExp(name.length > 1 ? `\\b${name}\\b` : `["'\`]${name}["'\`]`, "i").test(
          readFileSync(join(root, file), "utf8"),
        ),
      ),
  );
  expect(elsewhere).toEqual([]);
});
