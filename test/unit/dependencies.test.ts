// What we take from others: exactly what was looked at, and nothing that runs by being installed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { shipped } from "../support/documents/licenses.ts";
import { ROOT } from "../support/documents/markdown.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const Versions = z.record(z.string(), z.string()).default({});
const manifest = z
  .object({
    dependencies: Versions,
    devDependencies: Versions,
    optionalDependencies: Versions,
    overrides: Versions,
  })
  .parse(JSON.parse(read("package.json")));
const Locked = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});
const { packages } = z.object({ packages: z.record(z.string(), Locked) }).parse(JSON.parse(read("package-lock.json")));
const { "": _root, ...installed } = packages;

const EXACT = /^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
/** Looked at: they work without what they would run when they are installed. */
const WITHOUT_SCRIPT = ["@modelcontextprotocol/inspector", "core-js", "core-js-pure", "esbuild", "workerd"];
/** They ask for no more than to be named. Of MPL-2.0 nothing is changed. */
const LICENSES = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense"];

describe("dependencies", () => {
  it("have exact versions, and the lock file has the same", () => {
    for (const [kind, versions] of Object.entries(manifest)) {
      for (const [name, version] of Object.entries(versions)) {
        expect(version, `${kind}: ${name}`).toMatch(EXACT);
        if (kind === "overrides") continue;
        expect(installed[`node_modules/${name}`]?.version, name).toBe(version.replace(/^npm:.*@/, ""));
      }
    }
  });

  it("come from the registry, with the hash of what was looked at", () => {
    const wrong = Object.entries(installed).filter(
      ([, { integrity, resolved, link }]) =>
        link === true || !integrity?.startsWith("sha512-") || (resolved !== undefined && !/^https:/.test(resolved)),
    );
    expect(wrong).toEqual([]);
  });

  it("run nothing when they are installed; who would is known to work without", () => {
    expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
    const scripted = Object.entries(installed).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript === true ? [path.replace(/.*node_modules\//, "")] : [],
    );
    // On Linux; other systems have `fsevents` besides, which is only looked for.
    expect([...new Set(scripted)].filter((name) => name !== "fsevents").sort()).toEqual(WITHOUT_SCRIPT);
  });

  it("that are shipped have licences that let us", () => {
    const all = shipped();
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter(({ license }) => !LICENSES.includes(license))).toEqual([]);
    expect(read("node_modules/twitter-text/LICENSE")).toContain("Apache License");
  });
});
