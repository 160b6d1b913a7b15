// What each file of the project imports.
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
  own: boolean;
}
/** `import` and `export ... from`, an import for its effect, and `import()`. */
const IMPORTS = [
  /(?:^|\n)(?:import|export)\b[^;"']*?from\s+["']([^"']+)["']/g,
  /(?:^|\n)import\s+["']([^"']+)["']/g,
  /\bimport\(\s*["'`]([^"'`]+)["'`]\s*\)/g,
];

export const importsIn = (from: string, text: string): Import[] =>
  IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)]).map(([, target = ""]) =>
    target.startsWith(".")
      ? { from, to: normalize(join(dirname(from), target)), own: true }
      : { from, to: target, own: false },
  );

export const imports = files.flatMap((from) => importsIn(from, readFileSync(join(root, from), "utf8")));
