// `[build]` of wrangler.toml: before dev, deploy and --dry-run.
import { buildDashboard } from "./dashboard/build.ts";
import { buildDocuments } from "./dashboard/documents.ts";

await buildDashboard();
await buildDocuments();
