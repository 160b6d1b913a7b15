// Builds the dashboard: not again as long as nothing that it is made of has changed.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";
import { moveInto } from "./move-into.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What wrangler.toml serves; whatever lies in it is public. */
export const FOLDER = join(ROOT, ".wrangler/dashboard");
/** What the folder was made of. */
const MADE_OF = join(ROOT, ".wrangler/dashboard.sha256");

export async function buildDashboard(): Promise<void> {
  const madeOf = hashOfSources();
  const isThere = existsSync(join(FOLDER, "index.html")) && existsSync(MADE_OF);
  if (isThere && readFileSync(MADE_OF, "utf8") === madeOf) return;
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
  await writeFile(MADE_OF, madeOf);
}

function hashOfSources(): string {
  const hash = createHash("sha256");
  const sources = globSync(["src/{dashboard,client,domain,contract}/**/*.*", "package-lock.json"], { cwd: ROOT });
  for (const file of sources.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}
