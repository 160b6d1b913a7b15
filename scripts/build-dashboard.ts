// `[build]` of wrangler.toml: before dev, deploy and --dry-run.
import { buildDashboard } from "./dashboard/build.ts";
import { buildDocuments } from "./dashboard/documents.ts";

// `npm start` sets the variable (-> src/dashboard/vite.config.ts).
await buildDashboard(process.env.CRIER_GALLERY === "1" ? "with gallery" : "without gallery");
await buildDocuments();
