// The suites, and how much of them each command runs (-> docs/testing.md): `npm test` (mode `test`), `npm run test:all`
// (mode `all`), `npm run test:browsers` (mode `browsers`) and `npm run test:nightly` (mode `nightly`).
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { findInstalledBrowser } from "./support/browser.ts";
import { LongestFirst } from "./support/longest-first.ts";
import { PARTS_DIVISOR } from "./support/small-parts.ts";

const root = `${import.meta.dirname}/..`;

/** A test that hangs is found all the same; one that waits for its turn on a busy machine is not red. */
const TIMEOUT_MS = 300_000;
/**
 * As many files at a time, each in a process or a workerd of its own. One more than a small machine has cores: much of a
 * test of the worker is waiting, for an alarm or for an answer.
 */
const SIDE_BY_SIDE = 3;

/** What each mode runs of the simulation: see simulation.test.ts. */
const SIMULATION: Record<string, Record<string, string>> = {
  test: { CRIER_SIMULATION_SEEDS: "150" },
  all: { CRIER_SIMULATION_SEEDS: "200", CRIER_SIMULATION_ALL: "1" },
  nightly: { CRIER_SIMULATION_SEEDS: "50000", CRIER_SIMULATION_ALL: "1", CRIER_SIMULATION_RARE: "1" },
};

/** `1`: nothing is sampled (-> support/sampled.ts, support/runs.ts). */
const isWhole = (mode: string): string => (mode === "test" ? "0" : "1");

const pure = (mode: string): TestProjectInlineConfiguration => ({
  root,
  resolve: { alias: { "n8n-workflow": `${root}/test/support/n8n-workflow.ts` } },
  test: {
    name: "pure",
    env: { CRIER_WHOLE: isWhole(mode) },
    include: ["test/{unit,networks,simulators}/**/*.test.ts"],
    fsModuleCache: true,
    setupFiles: ["test/support/after-each-test.ts"],
    isolate: false,
    maxWorkers: SIDE_BY_SIDE,
    testTimeout: TIMEOUT_MS,
  },
});

/** It replaces the clock, so its schedules run in processes of its own; it spreads them over the cores itself. */
const simulation = (mode: string): TestProjectInlineConfiguration => ({
  root,
  test: {
    name: "simulation",
    include: ["test/deterministic-simulation/**/*.test.ts"],
    env: { ...SIMULATION[mode], ...process.env },
    maxWorkers: SIDE_BY_SIDE,
    testTimeout: TIMEOUT_MS,
  },
});

/**
 * Libraries of the worker that are many files: each is made one, once. A workerd asks for every module by itself, and would
 * else do so for a thousand.
 */
const BUNDLED = [
  "@simplewebauthn/server",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/server",
  "agents/mcp/server",
  "csv42",
  "drizzle-orm",
  "drizzle-orm/d1",
  "drizzle-orm/sqlite-core",
  "hono",
  "hono/cookie",
  "hono/html",
  "hono/secure-headers",
  "image-size",
  "jose",
  "postal-mime",
  "temporal-polyfill/fns/Calendar",
  "temporal-polyfill/fns/Instant",
  "temporal-polyfill/fns/PlainDate",
  "temporal-polyfill/fns/PlainDateTime",
  "temporal-polyfill/fns/ZonedDateTime",
  "twitter-text",
  "zod",
];

/** Many edits of one post at once, of which a free account refuses some, and the streams that it does not have. */
const OTHERWISE_ON_FREE = ["drafts", "edits", "mcp/session", "roles"].map((name) => `test/worker-api/${name}.test.ts`);

/** In workerd, with real D1, R2, queues and objects. All files that a workerd takes share it, and its databases. */
const inWorkerd = (
  name: string,
  folders: string,
  mode: string,
  { furtherDatabases = [], accountPlan = "paid" }: { furtherDatabases?: string[]; accountPlan?: "free" | "paid" } = {},
): TestProjectInlineConfiguration => ({
  root,
  plugins: [
    cloudflareTest(async ({ inject }) => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        email: { send_email: [{ name: "EMAIL" }] },
        d1Databases: furtherDatabases,
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${root}/migrations`),
          ...inject("peers"),
          BASE_URL: "http://crier.test",
          MEDIA_URL: "http://media.crier.test",
          PROVIDER: "sandbox",
          SANDBOX_URL: inject("peers").SIMULATORS,
          SEAL_KEYS: JSON.stringify({ test: btoa("0123456789abcdef0123456789abcdef") }),
          PASSWORD_PEPPER: "pepper",
          SIGNING_KEY: "signing key of the tests, 32 bytes long",
          MAIL_FROM: "crier@example.com",
          OIDC_CLIENT_ID: "crier",
          OIDC_CLIENT_SECRET: "crier-secret-crier-secret-crier-secret",
          S3_ENDPOINT: "http://crier.test/s3",
          S3_BUCKET: "crier-media",
          S3_ACCESS_KEY_ID: "local",
          S3_SECRET_ACCESS_KEY: "local-secret",
          ALLOW_PRIVATE_ADDRESSES: "1",
          FAST_PASSWORD_HASHES: "1",
          SIGN_UP: "open",
          ACCOUNT_PLAN: accountPlan,
          UPLOAD_PARTS_DIVISOR: String(PARTS_DIVISOR),
          CRIER_FUZZ_RUNS: process.env.CRIER_FUZZ_RUNS ?? (mode === "test" ? "100" : "200"),
          CRIER_FUZZ_SEED: process.env.CRIER_FUZZ_SEED ?? "20261121",
          CRIER_WHOLE: isWhole(mode),
        },
      },
    })),
  ],
  test: {
    name,
    include: [`test/${folders}/**/*.test.ts`],
    exclude: accountPlan === "free" ? OTHERWISE_ON_FREE : [],
    globalSetup: ["test/support/peers.ts", "test/support/memory-folder.ts"],
    setupFiles: ["test/support/migrations.ts"],
    deps: {
      optimizer: { ssr: { enabled: true, include: BUNDLED, rolldownOptions: { external: /^(node|cloudflare):/ } } },
    },
    isolate: false,
    // A line that an object logs while its file ends would never be sent, and the run would never end.
    disableConsoleIntercept: true,
    maxWorkers: SIDE_BY_SIDE,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});

/** `npm start` and its worker, killed and started again. More files at a time than cores: half of what they do is waiting. */
const localRuns = (
  name: string,
  mode: string,
  { browser, include }: { browser: "packed" | "installed"; include: string[] },
): TestProjectInlineConfiguration => ({
  root,
  test: {
    name,
    env: {
      CRIER_EVERY_LOOK: mode === "nightly" ? "1" : "0",
      CRIER_BROWSER: browser,
      // Of all that tests start: most of a short process is compiling what it loads.
      NODE_COMPILE_CACHE: `${root}/node_modules/.cache/crier-tests`,
    },
    include,
    globalSetup: [
      "test/support/memory-folder.ts",
      "test/support/first-state.ts",
      ...(browser === "packed" ? ["test/support/unpack-browser.ts"] : []),
    ],
    setupFiles: ["test/support/after-each-test.ts"],
    maxWorkers: 5,
    sequence: { groupOrder: 1 },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

const ALL_OF_THE_BROWSER = ["test/e2e/browser/**/*.test.ts"];
/**
 * The keys, the drags, the palette, what a page does after a mistake, and journeys over all pages: where browsers differ. The
 * rules of accessibility are asked wherever these ask them; every page in every state is looked at by `npm run test:browsers`.
 */
const WHERE_BROWSERS_DIFFER = ["broken", "calendar", "journeys", "keyboard", "offline"].map(
  (name) => `test/e2e/browser/${name}.test.ts`,
);

/** What runs `npm start`; browser tests a second time where this machine has a current browser. */
function local(mode: string): TestProjectInlineConfiguration[] {
  const isWholeInBoth = mode === "browsers" || mode === "nightly";
  const everything = mode === "browsers" ? ALL_OF_THE_BROWSER : ["test/e2e/**/*.test.ts"];
  const packed = localRuns("local", mode, { browser: "packed", include: everything });
  if (findInstalledBrowser() === null) return [packed];
  const include = isWholeInBoth ? ALL_OF_THE_BROWSER : WHERE_BROWSERS_DIFFER;
  return [packed, localRuns("installed-browser", mode, { browser: "installed", include })];
}

export default defineConfig(({ mode }) => ({
  root,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      pure(mode),
      simulation(mode),
      // One project: each has a server of its own, which loads the whole worker, and workerds that others cannot use.
      inWorkerd("worker", "worker-{api,delivery}", mode),
      // On the free plan no call may take more than forty statements, whatever a caller asks for.
      ...(mode === "nightly" ? [inWorkerd("worker-free", "worker-api", mode, { accountPlan: "free" })] : []),
      ...(mode === "test"
        ? []
        : [
            inWorkerd("worker-databases", "worker-databases", mode, { furtherDatabases: ["DB_1", "DB_2"] }),
            ...local(mode),
          ]),
    ],
  },
}));
