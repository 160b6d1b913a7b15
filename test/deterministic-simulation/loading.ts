// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code is text here, with the templates that it has.
// How the real code is loaded into the simulation: as it stands, but for the exports that a planted bug replaces.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { plantedIn, plantedModules } from "./planting.ts";

export interface Change {
  /** From the root of the project. */
  file: string;
  /** Text that stands there exactly once. */
  find: string;
  replace: string;
}

const root = `${import.meta.dirname}/../..`;

/** What a changed file says. Throws when the text to be changed does not stand there once. */
export function changed(source: string, { file, find, replace }: Change): string {
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} does not have this text exactly once: ${find}`);
  return before + replace + after;
}

/** Drizzle's texts, made sooner: half of a run goes into them, and most of that into asking what is nearly always the same. */
const SOONER: readonly Change[] = [
  {
    file: "node_modules/drizzle-orm/entity.js",
    find: `  if (value instanceof type) {
    return true;
  }`,
    replace: `  const asked = value.constructor;
  if (asked === type) return true;
  if (typeof asked !== "function") return isOf(value, type);
  if (!Object.hasOwn(type, KNOWN)) type[KNOWN] = new Map();
  let answer = type[KNOWN].get(asked);
  if (answer === undefined) type[KNOWN].set(asked, (answer = isOf(value, type)));
  return answer;
}
const KNOWN = Symbol();
function isOf(value, type) {
  if (value instanceof type) {
    return true;
  }`,
  },
  {
    file: "node_modules/drizzle-orm/sqlite-core/dialect.js",
    find: '    return `"${name.replace(/"/g, \'""\')}"`;',
    replace: '    return `"${name}"`;',
  },
  {
    file: "node_modules/drizzle-orm/sql/sql.js",
    find: `    result.params.push(...query.params);
`,
    replace: `    if (query.params.length > 0) result.params.push(...query.params);
`,
  },
  {
    file: "node_modules/drizzle-orm/sql/sql.js",
    find: `      if (is(chunk, StringChunk)) {
        return { sql: chunk.value.join(""), params: [] };`,
    replace: `      if (chunk?.constructor === SQL) {
        return this.buildQueryFromSourceParams(chunk.queryChunks, {
          ...config,
          inlineParams: inlineParams || chunk.shouldInlineParams
        });
      }
      if (is(chunk, StringChunk)) {
        return { sql: chunk.value.length === 1 ? chunk.value[0] : chunk.value.join(""), params: [] };`,
  },
];

/** From now on drizzle is quicker, and modules in which something is planted are loaded with that (-> planting.ts). */
export function hookLoading(): void {
  for (const change of SOONER) changed(readFileSync(`${root}/${change.file}`, "utf8"), change);
  registerHooks({
    load(url, context, next) {
      // A bundler takes JSON as it comes; Node wants to be told.
      if (url.endsWith(".json")) {
        const source = `export default ${readFileSync(fileURLToPath(url), "utf8")}`;
        return { format: "module", source, shortCircuit: true };
      }
      const module = plantedModules().find((name) => url.endsWith(`/${name}`));
      if (module !== undefined) return { format: "module", source: wrapping(url, module), shortCircuit: true };
      const mine = SOONER.filter(({ file }) => url.endsWith(`/${file}`));
      if (mine.length === 0) return next(url, context);
      const loaded = next(url, context);
      return { ...loaded, source: mine.reduce(changed, String(loaded.source)) };
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
