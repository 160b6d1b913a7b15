// How the real code is loaded into the simulation: as it stands, but for the exports that a planted bug replaces.
import { type ResolveFnOutput, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { takeJson } from "../support/json-modules.ts";
import { plantedIn, plantedModules } from "./planting.ts";

const ENTITY = pathToFileURL(`${import.meta.dirname}/drizzle-entity.ts`).href;

/**
 * From now on modules in which something is planted are loaded with that (-> planting.ts), and drizzle with what is quicker
 * (-> drizzle-entity.ts).
 */
export function hookLoading(): void {
  takeJson();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = resolveQuickly(specifier, context.parentURL, () => next(specifier, context));
      return resolved.url.endsWith("/drizzle-orm/entity.js") ? { ...resolved, url: ENTITY, format: null } : resolved;
    },
    load(url, context, next) {
      const module = plantedModules().find((name) => url.endsWith(`/${name}`));
      if (module !== undefined) return { format: "module", source: wrapping(url, module), shortCircuit: true };
      return next(url, context);
    },
  });
}

/** Throws if drizzle was loaded before the hooks: all of it would do as ever, and take longer. */
export async function checkQuick(): Promise<void> {
  const [drizzle, quick] = await Promise.all([import("drizzle-orm"), import("./drizzle-entity.ts")]);
  if (drizzle.is.toString() !== quick.is.toString())
    throw new Error("drizzle was loaded before the hooks of loading.ts");
}

/** By what our own code calls a file of drizzle's. */
const filesOfDrizzle = new Map<string, ResolveFnOutput>();

/**
 * Which file a module imports, and of what format. Left to Node, each import from drizzle has it parse the `exports` of drizzle's
 * package anew, 180 KB, and so had the format of each of its 300 files: half of a process's start.
 */
function resolveQuickly(
  specifier: string,
  parent: string | undefined,
  resolve: () => ResolveFnOutput,
): ResolveFnOutput {
  if (parent === undefined) return resolve();
  const isOwn = !parent.includes("/node_modules/");
  const beside = (format: string) => ({ url: new URL(specifier, parent).href, format, shortCircuit: true });
  if (isOwn && /^\..*\.ts$/.test(specifier)) return beside("module-typescript");
  if (parent.includes("/node_modules/drizzle-orm/") && /^\..*\.js$/.test(specifier)) return beside("module");
  if (!isOwn || !specifier.startsWith("drizzle-orm")) return resolve();
  const file = filesOfDrizzle.get(specifier) ?? { ...resolve(), shortCircuit: true };
  filesOfDrizzle.set(specifier, file);
  return file;
}

/** A module that exports all that the one at `url` does, but for what is planted in its place. */
function wrapping(url: string, module: string): string {
  const original = JSON.stringify(`${url}?original`);
  const planting = JSON.stringify(pathToFileURL(`${import.meta.dirname}/planting.ts`).href);
  const exports = plantedIn(module).map(
    (name) => `export const ${name} = planted(${JSON.stringify(module)}, ${JSON.stringify(name)}, original);`,
  );
  return [
    `import * as original from ${original};`,
    `import { planted } from ${planting};`,
    `export * from ${original};`,
    ...exports,
  ].join("\n");
}
