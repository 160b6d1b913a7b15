// How the real code is loaded into the simulation: as it stands, but for the one place that a planted bug changes.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

export interface Change {
  /** From the root of the project. */
  file: string;
  /** Text that stands there exactly once. */
  find: string;
  replace: string;
}

const root = `${import.meta.dirname}/../..`;

/** What a changed file says. Throws when the text to be changed does not stand there once: the planted bug is out of date. */
export function changed(source: string, { file, find, replace }: Change): string {
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} does not have this text exactly once, so the bug cannot be planted: ${find}`);
  return before + replace + after;
}

/** The same answers sooner: a question that drizzle asks of the same two classes a thousand times a run. */
const SOONER: Change = {
  file: "node_modules/drizzle-orm/entity.js",
  find: "  let cls = Object.getPrototypeOf(value).constructor;",
  replace: `  const asked = Object.getPrototypeOf(value).constructor;
  let known = type[Symbol.for("asked")];
  if (!Object.hasOwn(type, Symbol.for("asked"))) known = type[Symbol.for("asked")] = new Map();
  if (!known.has(asked)) known.set(asked, isOf(asked, type));
  return known.get(asked);
}
function isOf(asked, type) {
  let cls = asked;`,
};

/** From now on modules are loaded with these changes. */
export function hookLoading(planted: readonly Change[]): void {
  const changes = [SOONER, ...planted];
  for (const change of changes) changed(readFileSync(`${root}/${change.file}`, "utf8"), change);
  registerHooks({
    load(url, context, next) {
      // A bundler takes JSON as it comes; Node wants to be told.
      if (url.endsWith(".json")) {
        const source = `export default ${readFileSync(fileURLToPath(url), "utf8")}`;
        return { format: "module", source, shortCircuit: true };
      }
      const mine = changes.filter(({ file }) => url.endsWith(`/${file}`));
      if (mine.length === 0) return next(url, context);
      const loaded = next(url, context);
      return { ...loaded, source: mine.reduce(changed, String(loaded.source)) };
    },
  });
}
