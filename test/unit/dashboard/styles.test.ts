// The style sheets of pages stay loaded once their page was opened, so none may style the elements of another page.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const dashboard = join(import.meta.dirname, "../../../src/dashboard");

/** The class that each selector of a sheet depends on: the one inside its `:has()`, or else its first class or attribute. */
function listSubjects(file: string): string[] {
  const rules = readFileSync(join(dashboard, file), "utf8").replace(/\/\*.*?\*\//gs, "");
  return [...rules.matchAll(/([^{};]+)\{/g)]
    .map(([, selector = ""]) => selector.trim())
    .filter((selector) => !selector.startsWith("@") && !/^(?:from|to|\d+%)$/.test(selector))
    .flatMap((selector) => selector.split(/,(?![^()]*\))/))
    .map((selector) => {
      const condition = /:has\((\.[a-z][\w-]*)/i.exec(selector)?.[1];
      return condition ?? /\.[a-z][\w-]*|\[data-[\w-]+/i.exec(selector)?.[0] ?? selector.trim();
    });
}

/** By folder, the subjects of its sheets. */
const subjects = Map.groupBy(
  globSync("**/*.css", { cwd: dashboard }).flatMap((file) =>
    listSubjects(file).map((subject) => ({ folder: dirname(file), subject })),
  ),
  ({ folder }) => folder,
);
/** Sheets that every page loads. */
const SHARED = "styles";

it("each selector of a page's style sheet begins with a class that no other folder styles", () => {
  expect(subjects.size).toBeGreaterThan(5);
  const styledBy = new Map<string, Set<string>>();
  for (const { folder, subject } of [...subjects.values()].flat())
    styledBy.set(subject, (styledBy.get(subject) ?? new Set()).add(folder));
  const collisions = [...styledBy].filter(([, folders]) => folders.size > 1);
  expect(collisions.map(([subject, folders]) => `${subject}: ${[...folders].sort().join(", ")}`)).toEqual([]);
  const bare = [...subjects].flatMap(([folder, list]) =>
    folder === SHARED
      ? []
      : list.filter(({ subject }) => !/^[.[]/.test(subject)).map(({ subject }) => `${folder}: ${subject}`),
  );
  expect(bare).toEqual([]);
});
