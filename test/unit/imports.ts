// The imports of each file of the project.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const root = join(import.meta.dirname, "../..");
export const files = globSync(["src/**/*.{ts,tsx}", "cli/**/*.ts"], { cwd: root }).filter((file) =>
  existsSync(join(root, file)),
);

export interface Import {
  from: string;
  /** A file of the project, or the name of a package. */
  to: string;
  isOwn: boolean;
}
/** `import` and `export ... from`, imports for their side effects, and `import()`. */
const IMPORTS = [
  /(?:^|\n)(?:import|export)\b[^;"']*?from\s+["']([^"']+)["']/g,
  /(?:^|\n)import\s+["']([^"']+)["']/g,
  /\bimport\(\s*["'`]([^"'`]+)["'`]\s*\)/g,
];

export const findImports = (from: string, text: string): Import[] =>
  IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)]).map(([, target = ""]) =>
    target.startsWith(".")
      ? { from, to: normalize(join(dirname(from), target)), isOwn: true }
      : { from, to: target, isOwn: false },
  );

export const imports = files.flatMap((from) => findImports(from, readFileSync(join(root, from), "utf8")));
