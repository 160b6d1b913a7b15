// How the real code is loaded into the simulation: as it stands, but for the exports that a planted bug replaces.
import { registerHooks } from "node:module";
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
      const resolved = next(specifier, context);
      return resolved.url.endsWith("/drizzle-orm/entity.js") ? { ...resolved, url: ENTITY, format: null } : resolved;
    },
    load(url, context, next) {
      const module = plantedModules().find((name) => url.endsWith(`/${name}`));
      if (module !== undefined) return { format: "module", source: wrapping(url, module), shortCircuit: true };
      return next(url, context);
    },
  });
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
