// The suites, and how much of them each command runs (-> docs/testing.md): `npm test` (mode `test`), `npm run test:all`
// (mode `all`), `npm run test:browsers` (mode `browsers`) and `npm run test:nightly` (mode `nightly`).
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { findInstalledBrowser } from "./support/browser.ts";
import { LongestFirst } from "./support/longest-first.ts";
import { CHUNKS_DIVISOR } from "./support/small-chunks.ts";

const root = `${import.meta.dirname}/..`;

/** Long enough that a test does not fail because a busy machine makes it wait. A test that hangs still fails. */
const TIMEOUT_MS = 300_000;
/**
 * How many test files run at once, each in its own process or workerd. A small machine has one core fewer, because a worker
 * test spends much of its time waiting for an alarm or an answer.
 */
const FILES_AT_ONCE = 3;

/** How many random schedules each mode runs. */
const SEEDS: Record<string, string> = { test: "24", all: "100", nightly: "50000" };

/** How many of the expensive cases run (-> support/sampled.ts, support/runs.ts). */
const EXTENTS: Record<string, string> = { test: "sample", nightly: "whole" };
const toExtent = (mode: string): string => EXTENTS[mode] ?? "most";

const makePureProject = (mode: string): TestProjectInlineConfiguration => ({
  root,
  resolve: { alias: { "n8n-workflow": `${root}/test/support/n8n-workflow.ts` } },
  test: {
    name: "pure",
    env: { CRIER_EXTENT: toExtent(mode) },
    include: ["test/{unit,networks,simulators}/**/*.test.ts"],
    fsModuleCache: true,
    setupFiles: ["test/support/after-each-test.ts"],
    isolate: false,
    maxWorkers: FILES_AT_ONCE,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});

/** The simulation replaces the clock, so it starts separate processes for its schedules and spreads them over the cores. */
const makeSimulationProject = (mode: string): TestProjectInlineConfiguration => ({
  root,
  test: {
    name: "simulation",
    include: ["test/deterministic-simulation/**/*.test.ts"],
    env: { CRIER_EXTENT: toExtent(mode), CRIER_SIMULATION_SEEDS: SEEDS[mode] ?? "100", ...process.env },
    maxWorkers: FILES_AT_ONCE,
    testTimeout: TIMEOUT_MS,
  },
});

/**
 * Libraries that consist of many files. Each is bundled into one module, once, because workerd requests every module
 * separately and would otherwise make a thousand requests.
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

/** Tests that need a paid account: they edit one post more often at once than a free account allows, or open MCP streams. */
const NOT_ON_FREE = ["drafts", "edits", "mcp/session", "roles"].map((name) => `test/worker-api/${name}.test.ts`);

/** Runs in workerd, with real D1, R2, queues and objects. All files that a workerd runs share its databases. */
const makeWorkerdProject = (
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
          UPLOAD_CHUNKS_DIVISOR: String(CHUNKS_DIVISOR),
          CRIER_FUZZ_RUNS: process.env.CRIER_FUZZ_RUNS ?? (mode === "test" ? "100" : "200"),
          CRIER_FUZZ_SEED: process.env.CRIER_FUZZ_SEED ?? "20261121",
          CRIER_EXTENT: toExtent(mode),
        },
      },
    })),
  ],
  test: {
    name,
    include: [`test/${folders}/**/*.test.ts`],
    exclude: accountPlan === "free" ? NOT_ON_FREE : [],
    globalSetup: ["test/support/peers.ts", "test/support/memory-folder.ts"],
    setupFiles: ["test/support/migrations.ts"],
    deps: {
      optimizer: { ssr: { enabled: true, include: BUNDLED, rolldownOptions: { external: /^(node|cloudflare):/ } } },
    },
    isolate: false,
    // Intercepted output would be lost if an object logs while its test file ends, and the run would never end.
    disableConsoleIntercept: true,
    maxWorkers: FILES_AT_ONCE,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});

/** Starts, kills and restarts `npm start` and its worker. */
const makeLocalProject = (
  name: string,
  mode: string,
  { browser, include, exclude = [] }: { browser: "packed" | "installed"; include: string[]; exclude?: string[] },
): TestProjectInlineConfiguration => ({
  root,
  test: {
    name,
    env: {
      CRIER_EVERY_LOOK: mode === "nightly" ? "1" : "0",
      CRIER_BROWSER: browser,
      // A short process spends most of its time compiling the modules that it loads.
      NODE_COMPILE_CACHE: `${root}/node_modules/.cache/crier-tests`,
    },
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    globalSetup: [
      "test/support/memory-folder.ts",
      "test/support/first-state.ts",
      ...(browser === "packed" ? ["test/support/unpack-browser.ts"] : []),
    ],
    setupFiles: ["test/support/after-each-test.ts"],
    maxWorkers: 3,
    sequence: { groupOrder: 1 },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

/**
 * The tests of an operator's rarer work: they start wrangler and several workers for each step, and together take longer than all
 * others. They run in `npm run test:nightly`, and are due before a release and after a change of these scripts.
 */
const OPERATOR_TESTS = [
  "chaos/chaos",
  "local/backup-remote",
  "local/deploy-databases",
  "local/deploy-free",
  "local/deploy-installations",
  "local/deploy-interrupted",
  "local/deploy-places",
  "local/doctor",
  "local/restore-drill",
  "local/smoke",
  "local/upgrade",
].map((name) => `test/e2e/${name}.test.ts`);

const BROWSER_TESTS = ["test/e2e/browser/**/*.test.ts"];
/**
 * The tests of features in which browsers differ: keys, drags, the palette, recovery from errors, and journeys over all pages.
 * `npm run test:browsers` checks every page in every state.
 */
const WHERE_BROWSERS_DIFFER = ["broken", "calendar", "calendar-selection", "journeys", "keyboard", "offline"].map(
  (name) => `test/e2e/browser/${name}.test.ts`,
);

/** The tests that run `npm start`. If this machine has a current browser, the tests in which browsers differ run in that one. */
function makeLocalProjects(mode: string): TestProjectInlineConfiguration[] {
  const isWholeInBoth = mode === "browsers" || mode === "nightly";
  const include = mode === "browsers" ? BROWSER_TESTS : ["test/e2e/**/*.test.ts"];
  const rare = isWholeInBoth ? [] : OPERATOR_TESTS;
  if (findInstalledBrowser() === null)
    return [makeLocalProject("local", mode, { browser: "packed", include, exclude: rare })];
  const installed = isWholeInBoth ? BROWSER_TESTS : WHERE_BROWSERS_DIFFER;
  return [
    makeLocalProject("local", mode, {
      browser: "packed",
      include,
      exclude: isWholeInBoth ? [] : [...rare, ...installed],
    }),
    makeLocalProject("installed-browser", mode, { browser: "installed", include: installed }),
  ];
}

export default defineConfig(({ mode }) => ({
  root,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      makePureProject(mode),
      makeSimulationProject(mode),
      // A single project, because each project starts its own server, which loads the whole worker, and its own workerds.
      // The simulation proves delivery in less time.
      makeWorkerdProject("worker", mode === "test" ? "worker-api" : "worker-{api,delivery}", mode),
      // On the free plan, no call may use more than forty statements.
      ...(mode === "nightly" ? [makeWorkerdProject("worker-free", "worker-api", mode, { accountPlan: "free" })] : []),
      ...(mode === "test"
        ? []
        : [
            makeWorkerdProject("worker-databases", "worker-databases", mode, { furtherDatabases: ["DB_1", "DB_2"] }),
            ...makeLocalProjects(mode),
          ]),
    ],
  },
}));
