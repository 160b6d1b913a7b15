import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { moveInto } from "../../../scripts/dashboard/move-into.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "crier-move-"));
});
afterEach(() => rm(root, { recursive: true }));

/** Makes a folder with a page and a script. */
async function build(name: string, version: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "index.html"), version);
  await writeFile(join(folder, `assets/${version}.js`), version);
  return folder;
}
const listFiles = async (folder: string) => [
  ...(await readdir(folder)).sort(),
  ...(await readdir(join(folder, "assets"))).sort(),
];

it("an existing folder keeps its inode, and then has only the new files", async () => {
  const served = await build("served", "old");
  const { ino } = await stat(served);
  await moveInto(await build("own", "new"), served);
  expect((await stat(served)).ino).toBe(ino);
  expect(await listFiles(served)).toEqual(["assets", "index.html", "new.js"]);
  expect(await readFile(join(served, "index.html"), "utf8")).toBe("new");
  expect(await readdir(root)).toEqual(["served"]);
});

it("a missing folder is created", async () => {
  await moveInto(await build("own", "new"), join(root, "served"));
  expect(await listFiles(join(root, "served"))).toEqual(["assets", "index.html", "new.js"]);
});

it("two simultaneous builds of the same version do not disturb each other", async () => {
  const served = join(root, "served");
  await Promise.all([moveInto(await build("one", "new"), served), moveInto(await build("other", "new"), served)]);
  expect(await listFiles(served)).toEqual(["assets", "index.html", "new.js"]);
});
