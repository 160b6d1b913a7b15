// The import law, and no cycles.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { files, type Import, imports, importsIn, root } from "./imports.ts";

/** The layer of a file: its folder under src, or its own name at the top of src. */
function layerOf(file: string): string {
  const [top = "", second = "", third] = file.split("/");
  if (top !== "src") return top;
  return third === undefined ? second.replace(/\.tsx?$/, "") : second;
}

/** What the CLI needs of Node. */
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

/** What every process in the background may use. */
const INNER = ["networks", "store", "context", "domain", "adapters"];

/** Who may import whom, and which packages; what is not named here is not allowed. */
const LAW: Record<string, { layers: string[]; packages: string[] }> = {
  domain: { layers: ["domain"], packages: ["ulid", "temporal-polyfill", "twitter-text", "image-size", "ipaddr.js"] },
  contract: { layers: ["contract", "domain"], packages: ["zod"] },
  networks: { layers: ["networks", "domain"], packages: ["zod", "tlds"] },
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
    layers: ["http", "contract", "operations", "compose", "context", "domain", "settings", "env", "adapters"],
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
  // The Durable Objects: each is a thin shell of the platform around the work of another layer.
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
    layers: ["compose", "delivery", "env", "http", "maintenance", "mcp", "objects"],
    packages: [],
  },
  // A package of its own: from the contract it takes types alone.
  client: { layers: ["client", "contract", "domain"], packages: ["zod"] },
  // A package of its own, too: nodes that call through the client.
  n8n: { layers: ["n8n", "client", "domain"], packages: ["n8n-workflow"] },
  // A client like the command line, in a browser: `domain` for what needs no rule of its own.
  dashboard: {
    layers: ["dashboard", "client", "contract", "domain"],
    packages: ["@tanstack/react-query", "@vitejs/plugin-react", "react", "react-dom", "uqr", "vite", "wouter"],
  },
  cli: {
    layers: ["cli", "client", "contract", "domain"],
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

it("an import is seen in each of its forms", () => {
  const text = `import { a } from "./a.ts";\nimport "./b.ts";\nexport * from "./c.ts";
    const { d } = await import("./d.ts");\n  type E = import("./e.ts").E;`;
  const seen = importsIn("src/index.ts", text).map(({ to }) => to);
  expect(seen.sort()).toEqual(["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"]);
});

it("every import of the project's own leads to a file", () => {
  expect(imports.filter(({ to, own }) => own && !existsSync(join(root, to)))).toEqual([]);
});

/** Each way on which a file imports itself, over however many others. */
function cyclesIn(files: string[], imports: Import[]): string[] {
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
  return cycles;
}

it("no file imports itself, over however many others", () => {
  const closed = [
    ...importsIn("src/a.ts", 'const b = () => import("./b.ts");'),
    ...importsIn("src/b.ts", 'import { a } from "./a.ts";'),
  ];
  expect(cyclesIn(["src/a.ts", "src/b.ts"], closed)).toEqual(["src/a.ts -> src/b.ts -> src/a.ts"]);
  expect(cyclesIn(files, imports)).toEqual([]);
});
