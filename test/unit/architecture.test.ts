import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { files, findImports, type Import, imports, root } from "./imports.ts";

/** The layer of a file: its folder under src, or its own name at the top of src. */
function getLayer(file: string): string {
  const [top = "", second = "", third] = file.split("/");
  if (top !== "src") return top;
  return third === undefined ? second.replace(/\.tsx?$/, "") : second;
}

/** The modules of Node that the CLI may use. */
const NODE_OF_CLI = [
  "child_process",
  "crypto",
  "fs",
  "http",
  "https",
  "os",
  "path",
  "readline",
  "stream",
  "url",
  "util",
];

/** The layers that every background process may use. */
const INNER = ["networks", "store", "context", "domain", "adapters"];

/** The layers and packages that each layer may import. Every other import is forbidden. */
const LAW: Record<string, { layers: string[]; packages: string[] }> = {
  // The look of everything that people see: only constants.
  identity: { layers: ["identity"], packages: [] },
  domain: {
    layers: ["domain"],
    packages: ["ulid", "temporal-polyfill", "twitter-text", "image-size", "ipaddr.js", "htmlparser2"],
  },
  contract: { layers: ["contract", "domain"], packages: ["zod"] },
  networks: { layers: ["networks", "domain"], packages: ["zod", "tlds", "jose"] },
  store: { layers: ["store", "domain"], packages: ["drizzle-orm"] },
  adapters: {
    layers: ["adapters", "domain"],
    packages: [
      "@simplewebauthn/server",
      "aws4fetch",
      "csv42",
      "jose",
      "oauth4webapi",
      "worker-mailer",
      "node:crypto",
      "cloudflare:sockets",
    ],
  },
  settings: { layers: ["domain"], packages: [] },
  env: { layers: ["settings", "domain"], packages: [] },
  context: { layers: ["env", "settings", "store", "adapters", "domain", "networks"], packages: [] },
  compose: {
    layers: ["compose", "context", "env", "settings", "store", "adapters", "domain", "networks"],
    packages: [],
  },
  "limited-work": { layers: ["compose", "context", "env", "adapters", "domain"], packages: [] },
  views: { layers: ["views", "contract", "networks", "store", "domain"], packages: ["zod"] },
  operations: {
    layers: ["operations", "views", "contract", "networks", "store", "context", "domain", "adapters"],
    packages: ["jsonc-parser", "zod"],
  },
  delivery: { layers: ["delivery", ...INNER], packages: [] },
  "follow-up": { layers: ["follow-up", "delivery", ...INNER], packages: [] },
  publisher: {
    layers: ["publisher", "delivery", "follow-up", ...INNER],
    packages: [],
  },
  maintenance: { layers: ["maintenance", "views", ...INNER, "env"], packages: [] },
  webhooks: { layers: ["webhooks", ...INNER], packages: [] },
  http: {
    layers: [
      "http",
      "identity",
      "contract",
      "operations",
      "compose",
      "context",
      "domain",
      "settings",
      "env",
      "adapters",
    ],
    packages: ["hono", "@hono/zod-validator", "zod"],
  },
  mcp: {
    layers: [
      "mcp",
      "contract",
      "operations",
      "networks",
      "compose",
      "context",
      "domain",
      "settings",
      "env",
      "adapters",
    ],
    packages: ["agents", "@modelcontextprotocol/server", "zod"],
  },
  // The Durable Objects: each is a thin shell that connects the platform with the work of another layer.
  objects: {
    layers: [
      "objects",
      "publisher",
      "maintenance",
      "webhooks",
      "mcp",
      "operations",
      ...INNER,
      "settings",
      "env",
      "compose",
      "limited-work",
    ],
    packages: ["agents", "@modelcontextprotocol/server", "cloudflare:workers"],
  },
  index: {
    layers: ["compose", "delivery", "env", "http", "maintenance", "mcp", "objects", "operations"],
    packages: [],
  },
  // Published as its own package; it imports only types of the contract.
  client: { layers: ["client", "contract", "domain"], packages: ["zod"] },
  // Also published as its own package: nodes that call the API through the client.
  n8n: { layers: ["n8n", "client", "domain"], packages: ["n8n-workflow"] },
  // A client of the API like the CLI, in a browser; it shares the rules in `domain`.
  dashboard: {
    layers: ["dashboard", "identity", "client", "contract", "domain"],
    packages: [
      "@tanstack/react-query",
      "@vitejs/plugin-react",
      "diff",
      "react",
      "react-dom",
      "unicode-emoji-json",
      "uqr",
      "vite",
      "wouter",
      "node:fs",
      "node:path",
    ],
  },
  cli: {
    layers: ["cli", "client", "contract", "domain"],
    packages: ["citty", "fast-string-truncated-width", "jose", "zod", ...NODE_OF_CLI.map((name) => `node:${name}`)],
  },
};

it("every file imports only the layers and packages that its layer may use", () => {
  const breaches = imports.filter(({ from, to, isOwn }) => {
    const law = LAW[getLayer(from)];
    if (law === undefined) return true;
    return isOwn
      ? !law.layers.includes(getLayer(to))
      : !law.packages.some((name) => to === name || to.startsWith(`${name}/`));
  });
  expect(breaches.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

it("findImports recognizes every form of an import", () => {
  const text = `import { a } from "./a.ts";\nimport "./b.ts";\nexport * from "./c.ts";
    const { d } = await import("./d.ts");\n  type E = import("./e.ts").E;`;
  const targets = findImports("src/index.ts", text).map(({ to }) => to);
  expect(targets.sort()).toEqual(["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"]);
});

it("every relative import names an existing file", () => {
  expect(imports.filter(({ to, isOwn }) => isOwn && !existsSync(join(root, to)))).toEqual([]);
});

/** Finds the paths on which a file imports itself, directly or through other files. */
function findCycles(files: string[], imports: Import[]): string[] {
  const importsByFile = Map.groupBy(
    imports.filter(({ isOwn }) => isOwn),
    ({ from }) => from,
  );
  const visited = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      return;
    }
    if (visited.has(file)) return;
    for (const { to } of importsByFile.get(file) ?? []) visit(to, [...path, file]);
    visited.add(file);
  };
  for (const file of files) visit(file, []);
  return cycles;
}

it("no file imports itself, directly or through other files", () => {
  const cyclicImports = [
    ...findImports("src/a.ts", 'const b = () => import("./b.ts");'),
    ...findImports("src/b.ts", 'import { a } from "./a.ts";'),
  ];
  expect(findCycles(["src/a.ts", "src/b.ts"], cyclicImports)).toEqual(["src/a.ts -> src/b.ts -> src/a.ts"]);
  expect(findCycles(files, imports)).toEqual([]);
});
