import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { moveInto } from "../../../scripts/dashboard/move-into.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "crier-move-"));
});
afterEach(() => rm(place, { recursive: true }));

/** A folder with a page and the script that it names. */
async function build(name: string, version: string): Promise<string> {
  const folder = join(place, name);
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "index.html"), version);
  await writeFile(join(folder, `assets/${version}.js`), version);
  return folder;
}
const filesOf = async (folder: string) => [
  ...(await readdir(folder)).sort(),
  ...(await readdir(join(folder, "assets"))).sort(),
];

it("a folder that is there stays the same one, and holds what is new and nothing else", async () => {
  const served = await build("served", "old");
  const { ino } = await stat(served);
  await moveInto(await build("own", "new"), served);
  expect((await stat(served)).ino).toBe(ino);
  expect(await filesOf(served)).toEqual(["assets", "index.html", "new.js"]);
  expect(await readFile(join(served, "index.html"), "utf8")).toBe("new");
  expect(await readdir(place)).toEqual(["served"]);
});

it("a folder that is not there is made", async () => {
  await moveInto(await build("own", "new"), join(place, "served"));
  expect(await filesOf(join(place, "served"))).toEqual(["assets", "index.html", "new.js"]);
});

it("two that made the same do not disturb each other", async () => {
  const served = join(place, "served");
  await Promise.all([moveInto(await build("one", "new"), served), moveInto(await build("other", "new"), served)]);
  expect(await filesOf(served)).toEqual(["assets", "index.html", "new.js"]);
});
