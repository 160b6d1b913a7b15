// Loads the real code into the simulation, unchanged except for the exports that a planted bug replaces.
import { type ResolveFnOutput, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { takeJson } from "../support/json-modules.ts";
import { plantedIn, plantedModules } from "./planting.ts";

/** From now on, modules with a planted bug are loaded with it (planting.ts). */
export function hookLoading(): void {
  takeJson();
  registerHooks({
    resolve(specifier, context, next) {
      return resolveQuickly(specifier, context.parentURL, () => next(specifier, context));
    },
    load(url, context, next) {
      const module = plantedModules().find((name) => url.endsWith(`/${name}`));
      if (module !== undefined) return { format: "module", source: wrapping(url, module), shortCircuit: true };
      return next(url, context);
    },
  });
}

/** By the specifier with which our own code imports a file of drizzle. */
const filesOfDrizzle = new Map<string, ResolveFnOutput>();

/**
 * The file and the format of a module's import. Node itself parses the `exports` of drizzle's package (180 KB) for each import
 * and each of its 300 files, which takes half of a process's start.
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

/** A module with all exports of the one at `url`, some of them replaced by planted bugs. */
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
