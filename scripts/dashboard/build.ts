// Builds the dashboard: not again as long as nothing that it is made of has changed.
import { join } from "node:path";
import { MadeOf } from "./made-of.ts";
import { moveInto } from "./move-into.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What wrangler.toml serves; whatever lies in it is public. */
export const FOLDER = join(ROOT, ".wrangler/dashboard");
const SOURCES = ["src/{dashboard,client,domain,contract}/**/*.*"];

export async function buildDashboard(): Promise<void> {
  const madeOf = new MadeOf(`${FOLDER}.sha256`, SOURCES);
  if (madeOf.isNew([join(FOLDER, "index.html")])) return;
  // Every start comes by here, and most have nothing to build.
  const { build } = await import("vite");
  // Two that start at once build each a folder of their own.
  const own = `${FOLDER}-${process.pid}`;
  // Vitest says `test`, and React would come with what is for its developers.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    await build({
      configFile: join(ROOT, "src/dashboard/vite.config.ts"),
      logLevel: "warn",
      build: { outDir: own, emptyOutDir: true },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await moveInto(own, FOLDER);
  await madeOf.record();
}
