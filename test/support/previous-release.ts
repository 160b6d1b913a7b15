// Checks out the previous release, so that a test can run its worker. The previous release is the newest tag of an earlier version. While
// there is no tag, it is the commit before the first migration that follows the rewritten ones. If a rewritten migration was changed
// with that commit or later, older code cannot use its tables, and the commit before the last one is used.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BASELINE } from "./baseline.ts";
import { ROOT } from "./documents/markdown.ts";

const git = (...args: string[]): string => {
  try {
    return execFileSync("git", ["-C", ROOT, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
};

/** Finds the commit of the previous release, or null without a history or an earlier commit that fits. */
export function previousRelease(): string | null {
  const tag = git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^");
  if (tag !== "") return tag;
  const files = readdirSync(join(ROOT, "migrations"));
  const isNew = (file: string) => Number(file.slice(0, 4)) > BASELINE;
  const since = files.filter(isNew);
  const inFolder = (names: string[]) => names.map((file) => `migrations/${file}`);
  const rewritten = inFolder(files.filter((file) => !isNew(file)));
  const added = git("log", "--diff-filter=A", "--reverse", "--format=%H", "--", ...inFolder(since));
  const [first] = since.length === 0 ? [] : added.split("\n");
  const before = first === undefined ? "" : git("rev-parse", "--verify", "--quiet", `${first}^`);
  if (before !== "" && git("diff", "--name-only", before, "HEAD", "--", ...rewritten) === "") return before;
  const last = git("rev-parse", "--verify", "--quiet", "HEAD^");
  return last !== "" && git("diff", "--name-only", last, "HEAD", "--", ...rewritten) === "" ? last : null;
}

/** Checks out the files of a commit, with the modules of this checkout. Call `remove` when its worker has ended. */
export function checkedOut(commit: string): { root: string; remove(): void } {
  const root = join(ROOT, ".wrangler", `previous-${process.pid}`);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const files = execFileSync("git", ["-C", ROOT, "archive", "--format=tar", commit], { maxBuffer: 256 * 1024 ** 2 });
  execFileSync("tar", ["-x", "-C", root], { input: files });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
