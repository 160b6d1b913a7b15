// Three projects: `pure` in Node, `worker` in workerd with real D1, R2, queue and objects, `local` drives the local run and kills it.
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const root = `${import.meta.dirname}/..`;

export default defineConfig({
  root,
  test: {
    projects: [
      {
        root,
        test: {
          name: "pure",
          include: ["test/{unit,networks,simulators,deterministic-simulation}/**/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        root,
        plugins: [
          cloudflareTest(async ({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              email: { send_email: [{ name: "EMAIL" }] },
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations(`${root}/migrations`),
                ...inject("peers"),
                BASE_URL: "http://crier.test",
                MEDIA_URL: "http://media.crier.test",
                PROVIDER: "sandbox",
                SANDBOX_URL: inject("peers").SIMULATORS,
                SEAL_KEYS: JSON.stringify({ test: btoa("0123456789abcdef0123456789abcdef") }),
                PASSWORD_PEPPER: "pepper",
                SIGNING_KEY: "signing key of the tests",
                MAIL_FROM: "crier@example.com",
                OIDC_CLIENT_ID: "crier",
                OIDC_CLIENT_SECRET: "crier-secret-crier-secret-crier-secret",
                S3_ENDPOINT: "http://crier.test/s3",
                S3_BUCKET: "media",
                S3_ACCESS_KEY_ID: "local",
                S3_SECRET_ACCESS_KEY: "local-secret",
                ALLOW_PRIVATE_ADDRESSES: "1",
                CRIER_FUZZ_RUNS: process.env.CRIER_FUZZ_RUNS ?? "200",
                CRIER_FUZZ_SEED: process.env.CRIER_FUZZ_SEED ?? "20261121",
              },
            },
          })),
        ],
        test: {
          name: "worker",
          include: ["test/{worker-api,worker-delivery}/**/*.test.ts"],
          globalSetup: ["test/support/peers.ts"],
          setupFiles: ["test/support/migrations.ts"],
          isolate: false,
          // Bundled as it is in the worker: only so its Node files are left out, which the worker has no modules for.
          deps: { optimizer: { ssr: { enabled: true, include: ["mediabunny"] } } },
          testTimeout: 30_000,
        },
      },
      {
        root,
        test: {
          name: "local",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
