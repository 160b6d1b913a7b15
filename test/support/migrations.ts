import { applyD1Migrations } from "cloudflare:test";
import { testEnv } from "./env.ts";

await applyD1Migrations(testEnv.DB, testEnv.TEST_MIGRATIONS);
