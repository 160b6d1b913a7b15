// `[build]` of wrangler.toml: before dev, deploy and --dry-run.
import { buildDashboard } from "./dashboard/build.ts";

await buildDashboard();
