// The files that every page of the dashboard loads before it shows anything.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { buildDashboard, FOLDER } from "../../../scripts/dashboard/build.ts";

const SHELL_KIB_MAX = 130;

beforeAll(() => buildDashboard());

it("the frame and its libraries stay small, and come from the dashboard's own origin", () => {
  const page = readFileSync(join(FOLDER, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
  expect(files.filter((file) => !file.startsWith("/"))).toEqual([]);
  const bytes = files
    .filter((file) => file.startsWith("/assets/"))
    .map((file) => gzipSync(readFileSync(join(FOLDER, file))).byteLength);
  expect(bytes.length).toBeGreaterThan(1);
  expect(bytes.reduce((sum, size) => sum + size, 0) / 1024).toBeLessThanOrEqual(SHELL_KIB_MAX);
});
