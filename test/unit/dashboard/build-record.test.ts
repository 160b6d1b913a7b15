// A build is skipped only if its outputs exist and come from the current sources (scripts/dashboard/build-record.ts).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BuildRecord } from "../../../scripts/dashboard/build-record.ts";
import { ROOT } from "../../support/documents/markdown.ts";

let folder: string;
const getPath = (name: string) => join(folder, name);
const isCurrent = () => readRecord().isCurrent([getPath("output.js")]);
const readRecord = () => new BuildRecord(getPath("build.sha256"), [`${relative(ROOT, folder)}/*.ts`]);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "crier-build-record-"));
  writeFileSync(getPath("source.ts"), "1");
  writeFileSync(getPath("output.js"), "1");
  expect(isCurrent()).toBe(false);
  await readRecord().write();
});
afterEach(() => rmSync(folder, { recursive: true }));

it("a build is skipped if its sources have not changed", () => {
  expect(isCurrent()).toBe(true);
});

it.each<[string, () => void]>([
  ["a source has changed", () => writeFileSync(getPath("source.ts"), "2")],
  ["a source was added", () => writeFileSync(getPath("later.ts"), "1")],
  ["a source was removed", () => rmSync(getPath("source.ts"))],
  ["an output is missing", () => rmSync(getPath("output.js"))],
  ["the record is missing", () => rmSync(getPath("build.sha256"))],
])("the build runs again if %s", (_, change) => {
  change();
  expect(isCurrent()).toBe(false);
});

it("the build runs again if the sources changed during the last build", async () => {
  const record = readRecord();
  writeFileSync(getPath("source.ts"), "2");
  await record.write();
  expect(isCurrent()).toBe(false);
});
