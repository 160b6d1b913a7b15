// Crier installs exactly the versions of its dependencies that were reviewed, and no dependency runs a script when it is installed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { listShipped } from "../support/documents/licenses.ts";
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
/** These packages have install scripts, and were found to work without running them. */
const WITHOUT_SCRIPT = ["@modelcontextprotocol/inspector", "core-js", "core-js-pure", "esbuild", "workerd"];
/** These licences only require attribution. MPL-2.0 also covers changes, and Crier changes none of that code. */
const LICENSES = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense"];

describe("dependencies", () => {
  it("every dependency has an exact version, the same as in the lock file", () => {
    for (const [kind, versions] of Object.entries(manifest)) {
      for (const [name, version] of Object.entries(versions)) {
        expect(version, `${kind}: ${name}`).toMatch(EXACT);
        if (kind === "overrides") continue;
        expect(installed[`node_modules/${name}`]?.version, name).toBe(version.replace(/^npm:.*@/, ""));
      }
    }
  });

  it("every dependency comes from the registry and has a sha512 hash", () => {
    const wrong = Object.entries(installed).filter(
      ([, { integrity, resolved, link }]) =>
        link === true || !integrity?.startsWith("sha512-") || (resolved !== undefined && !/^https:/.test(resolved)),
    );
    expect(wrong).toEqual([]);
  });

  it("installing runs no scripts, and every package with an install script works without it", () => {
    expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
    const scripted = Object.entries(installed).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript === true ? [path.replace(/.*node_modules\//, "")] : [],
    );
    // On macOS, `fsevents` is installed as well.
    expect([...new Set(scripted)].filter((name) => name !== "fsevents").sort()).toEqual(WITHOUT_SCRIPT);
  });

  it("every shipped dependency has a permitted licence", () => {
    const packagesShipped = listShipped();
    expect(packagesShipped.length).toBeGreaterThan(10);
    expect(packagesShipped.filter(({ license }) => !LICENSES.includes(license))).toEqual([]);
    expect(read("node_modules/twitter-text/LICENSE")).toContain("Apache License");
  });
});
