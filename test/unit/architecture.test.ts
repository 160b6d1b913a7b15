// The import law, no cycles, and the files of a network.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { COMMON_PASSWORDS_FILE } from "../../scripts/common-passwords.ts";

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
/** `import` and `export ... from`, an import for its effect, and `import()`. */
const IMPORTS = [
  /(?:^|\n)(?:import|export)\b[^;"']*?from\s+["']([^"']+)["']/g,
  /(?:^|\n)import\s+["']([^"']+)["']/g,
  /\bimport\(\s*["'`]([^"'`]+)["'`]\s*\)/g,
];

const importsIn = (from: string, text: string): Import[] =>
  IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)]).map(([, target = ""]) =>
    target.startsWith(".")
      ? { from, to: normalize(join(dirname(from), target)), own: true }
      : { from, to: target, own: false },
  );

const imports = files.flatMap((from) => importsIn(from, readFileSync(join(root, from), "utf8")));

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
  domain: { layers: ["domain"], packages: ["ulid", "temporal-polyfill", "twitter-text", "image-size"] },
  contract: { layers: ["contract", "domain"], packages: ["zod"] },
  networks: { layers: ["networks", "domain"], packages: ["zod", "tlds"] },
  store: { layers: ["store", "domain"], packages: ["drizzle-orm"] },
  adapters: {
    layers: ["adapters", "domain"],
    packages: ["aws4fetch", "csv42", "jose", "oauth4webapi", "worker-mailer", "node:crypto", "cloudflare:sockets"],
  },
  "rate-limit": { layers: ["domain", "env"], packages: ["cloudflare:workers"] },
  settings: { layers: ["domain"], packages: [] },
  env: { layers: ["settings", "domain"], packages: [] },
  context: { layers: ["env", "settings", "store", "adapters", "domain", "networks"], packages: [] },
  compose: { layers: ["context", "env", "settings", "store", "adapters", "domain", "networks"], packages: [] },
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
  status: { layers: ["domain", "env"], packages: ["cloudflare:workers"] },
  maintenance: { layers: ["maintenance", ...INNER, "compose", "env"], packages: ["cloudflare:workers"] },
  webhooks: { layers: ["webhooks", ...INNER, "compose", "env"], packages: ["cloudflare:workers"] },
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
    packages: ["agents", "@modelcontextprotocol/server", "cloudflare:workers", "zod"],
  },
  index: {
    layers: [
      "compose",
      "delivery",
      "env",
      "http",
      "maintenance",
      "mcp",
      "publisher",
      "rate-limit",
      "status",
      "webhooks",
    ],
    packages: [],
  },
  // A package of its own: from the contract it takes types alone.
  client: { layers: ["client", "contract", "domain"], packages: ["zod"] },
  // A package of its own, too: nodes that call through the client.
  n8n: { layers: ["n8n", "client", "domain"], packages: ["n8n-workflow"] },
  // A client like the command line, in a browser: `domain` for what needs no rule of its own.
  dashboard: {
    layers: ["dashboard", "client", "contract", "domain"],
    packages: ["@tanstack/react-query", "@vitejs/plugin-react", "react", "react-dom", "vite", "wouter"],
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

/** The files that each network has, and what its index takes from them. */
const NETWORK_FILES: Record<string, string[]> = {
  index: [],
  rule: ["rule"],
  api: [],
  errors: [],
  auth: ["connect", "consent", "refreshAt", "refresh"],
  publish: ["prepare", "publish", "reconcile", "firstComment"],
  inspect: ["verify", "readMetrics"],
};
/** What a network may have besides, for itself alone, and what such a file holds. */
const PRIVATE_FILES: Record<string, string> = {
  additions: "options that are carried out once the post is live",
  creator: "what an account may post now",
  "link-card": "what a page says of itself",
  "look-ups": "the lists of values of options",
  media: "the upload of files of every kind",
  pages: "the accounts that a grant covers",
  photos: "the upload of photos",
  "post-kind": "which of several ways a post goes out",
  reconcile: "the search for a post, where publish has no room for it",
  record: "a post as the network stores it",
  request: "the bodies of the calls that publish",
  "rich-text": "links, mentions and tags in a text",
  "take-down": "taking a post down",
  text: "a text as the network stores and shows it",
  timeline: "a post as the account's own list shows it",
  upload: "the upload of a video",
  video: "a video from its upload to the moment it is public",
  "video-status": "what the network says of a video",
  "video-upload": "the upload of a video in parts",
};
const NETWORK_FILE_LINES_MAX = 300;
const INDEX_LINES_MAX = 40;

const networkFiles = Map.groupBy(
  globSync("src/networks/*/*.ts", { cwd: root }).filter((file) => !file.startsWith("src/networks/shared/")),
  (file) => file.split("/")[2] ?? "",
);

it("all networks have one set of files", () => {
  expect(networkFiles.size).toBeGreaterThan(0);
  for (const [network, paths] of networkFiles) {
    const names = paths.map((path) => basename(path, ".ts"));
    expect(names, network).toEqual(expect.arrayContaining(Object.keys(NETWORK_FILES)));
    const unknown = names.filter((name) => !(name in NETWORK_FILES) && !(name in PRIVATE_FILES));
    expect(unknown, `${network}: no network has files of these names`).toEqual([]);
    const long = paths.filter(
      (path) => readFileSync(join(root, path), "utf8").split("\n").length > NETWORK_FILE_LINES_MAX,
    );
    expect(long, network).toEqual([]);
  }
  const used = new Set([...networkFiles.values()].flat().map((path) => basename(path, ".ts")));
  expect(Object.keys(PRIVATE_FILES).filter((name) => !used.has(name))).toEqual([]);
});

/** What is wrong with an index that should only wire a network up. */
function wiringFaults(text: string): string[] {
  const code = text.replace(/^\s*\/\/.*\n/gm, "").replace(/^import\b[^;]*;\n/gm, "");
  const members = /^\s*export const \w+ = network\(\{\n([^{}]*)\}\);\n$/.exec(code)?.[1];
  const faults = members === undefined || /=>|\bfunction\b|\bawait\b/.test(members) ? ["it computes"] : [];
  if (text.split("\n").length > INDEX_LINES_MAX) faults.push("it is long");
  for (const [file, names] of Object.entries(NETWORK_FILES)) {
    const taken =
      new RegExp(`^import \\{([^}]*)\\} from "\\./${file}\\.ts";`, "m").exec(text)?.[1]?.split(/[\s,]+/) ?? [];
    for (const name of names.filter((name) => new RegExp(`^\\s+${name}\\b`, "m").test(members ?? ""))) {
      if (!new RegExp(`^\\s+${name},$`, "m").test(members ?? "") || !taken.includes(name))
        faults.push(`${name} is not of ${file}`);
    }
  }
  return faults;
}

it("the index of a network only wires it up", () => {
  for (const network of networkFiles.keys()) {
    const text = readFileSync(join(root, `src/networks/${network}/index.ts`), "utf8");
    expect(wiringFaults(text), network).toEqual([]);
    expect(wiringFaults(text.replace("  prepare,\n", "  prepare: async () => null,\n")), network).toContain(
      "it computes",
    );
    expect(wiringFaults(text.replace("./inspect.ts", "./publish.ts")), network).toContain("verify is not of inspect");
  }
});

it("a network's files are its own: others know the registry and the interface", () => {
  const open = ["index", "network", "renewal", "request-only"].map((name) => `src/networks/${name}.ts`);
  const breaches = imports.filter(({ from, to, own }) => {
    if (!own || !to.startsWith("src/networks/") || open.includes(to)) return false;
    const folder = dirname(to);
    if (dirname(from) === folder) return false;
    if (folder.startsWith("src/networks/shared")) return !from.startsWith("src/networks/");
    return !(from === "src/networks/index.ts" && basename(to) === "index.ts");
  });
  expect(breaches.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

it("the name of a network stands nowhere but in its own folder", () => {
  const names = globSync("src/networks/*/rule.ts", { cwd: root }).map((file) => file.split("/")[2] ?? "");
  expect(names.length).toBeGreaterThan(0);
  const elsewhere = files.filter(
    (file) =>
      !file.startsWith("src/networks/") &&
      // Some are common passwords.
      file !== COMMON_PASSWORDS_FILE &&
      // What people call them.
      file !== "src/domain/network-name.ts" &&
      // What they show of a text.
      file !== "src/dashboard/ui/networks.ts" &&
      names.some((name) =>
        new RegExp(name.length > 1 ? `\\b${name}\\b` : `["'\`]${name}["'\`]`, "i").test(
          readFileSync(join(root, file), "utf8"),
        ),
      ),
  );
  expect(elsewhere).toEqual([]);
});
