import { applyD1Migrations } from "cloudflare:test";
import { DATABASES, testEnv } from "./env.ts";

for (const database of DATABASES) await applyD1Migrations(database, testEnv.TEST_MIGRATIONS);
