// The release before this one, as a folder that its worker runs from. It is the newest tag of an earlier version; while there is
// none, what stood in the repository before the first migration after those that were written anew; and where one of these came with
// it or later, so that no code before it can work on them, the commit before the last.
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

/** The commit of the release before; null: this is no repository with a history, or nothing has come since. */
export function previousRelease(): string | null {
  const tag = git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^");
  if (tag !== "") return tag;
  const files = readdirSync(join(ROOT, "migrations"));
  const isNew = (file: string) => Number(file.slice(0, 4)) > BASELINE;
  const since = files.filter(isNew);
  const inFolder = (names: string[]) => names.map((file) => `migrations/${file}`);
  const anew = inFolder(files.filter((file) => !isNew(file)));
  const added = git("log", "--diff-filter=A", "--reverse", "--format=%H", "--", ...inFolder(since));
  const [first] = since.length === 0 ? [] : added.split("\n");
  const before = first === undefined ? "" : git("rev-parse", "--verify", "--quiet", `${first}^`);
  if (before !== "" && git("diff", "--name-only", before, "HEAD", "--", ...anew) === "") return before;
  const last = git("rev-parse", "--verify", "--quiet", "HEAD^");
  return last !== "" && git("diff", "--name-only", last, "HEAD", "--", ...anew) === "" ? last : null;
}

/** Its files, with the modules of this checkout. `remove` when its worker has ended. */
export function checkedOut(commit: string): { root: string; remove(): void } {
  const root = join(ROOT, ".wrangler", `previous-${process.pid}`);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const files = execFileSync("git", ["-C", ROOT, "archive", "--format=tar", commit], { maxBuffer: 256 * 1024 ** 2 });
  execFileSync("tar", ["-x", "-C", root], { input: files });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
