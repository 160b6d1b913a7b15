// A build is skipped only if its outputs exist and come from the current sources (scripts/dashboard/build-record.ts).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BuildRecord } from "../../../scripts/dashboard/build-record.ts";
import { ROOT } from "../../support/documents/markdown.ts";

let folder: string;
const pathOf = (name: string) => join(folder, name);
const isCurrent = () => readRecord().isCurrent([pathOf("output.js")]);
const readRecord = () => new BuildRecord(pathOf("build.sha256"), [`${relative(ROOT, folder)}/*.ts`]);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "crier-build-record-"));
  writeFileSync(pathOf("source.ts"), "1");
  writeFileSync(pathOf("output.js"), "1");
  expect(isCurrent()).toBe(false);
  await readRecord().write();
});
afterEach(() => rmSync(folder, { recursive: true }));

it("skips a build whose sources have not changed", () => {
  expect(isCurrent()).toBe(true);
});

it.each<[string, () => void]>([
  ["a source has changed", () => writeFileSync(pathOf("source.ts"), "2")],
  ["a source was added", () => writeFileSync(pathOf("later.ts"), "1")],
  ["a source was removed", () => rmSync(pathOf("source.ts"))],
  ["an output is missing", () => rmSync(pathOf("output.js"))],
  ["the record is missing", () => rmSync(pathOf("build.sha256"))],
])("builds again if %s", (_, change) => {
  change();
  expect(isCurrent()).toBe(false);
});

it("builds again if the sources changed while they were built", async () => {
  const record = readRecord();
  writeFileSync(pathOf("source.ts"), "2");
  await record.write();
  expect(isCurrent()).toBe(false);
});
