// Builds the dashboard, unless its sources are unchanged since the last build.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BuildRecord } from "./build-record.ts";
import { moveInto } from "./move-into.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The folder that wrangler.toml serves; every file in it is public. */
export const FOLDER = join(ROOT, ".wrangler/dashboard");
const SOURCES = ["src/{dashboard,identity,client,domain,contract}/**/*.*"];

/** The page with every component, for local runs. */
const GALLERY = join(FOLDER, "gallery.html");

/** `gallery`: whether the build has the gallery; without it, either is good. */
export async function buildDashboard(gallery?: "with gallery" | "without gallery"): Promise<void> {
  const record = new BuildRecord(`${FOLDER}.sha256`, SOURCES);
  const isAsWanted = gallery === undefined || existsSync(GALLERY) === (gallery === "with gallery");
  if (isAsWanted && record.isCurrent([join(FOLDER, "index.html")])) return;
  // Vite is loaded only here, because most starts have nothing to build.
  const { build } = await import("vite");
  // Concurrent builds each use a folder of their own.
  const buildFolder = `${FOLDER}-${process.pid}`;
  // Vitest sets NODE_ENV to `test`. With that value, React would be built in development mode.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    await build({
      configFile: join(ROOT, "src/dashboard/vite.config.ts"),
      logLevel: "warn",
      build: { outDir: buildFolder, emptyOutDir: true },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await moveInto(buildFolder, FOLDER);
  await record.write();
}
