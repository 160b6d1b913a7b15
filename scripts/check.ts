// `npm run check`: types, lint, format and unused code. All of them run, at once, and each prints its output when it ends.
import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const CHECKS = [
  ["tsc", "--noEmit"],
  ["tsc", "-p", "src/dashboard"],
  ["biome", "check", "--error-on-warnings", "."],
  ["knip"],
];

/** Resolves with the exit code. */
const check = ([command = "", ...args]: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, "node_modules/.bin", command), args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => {
      console.log(`${command} ${args.join(" ")}: ${code === 0 ? "no problem" : "failed"}\n${output}`);
      resolve(code ?? 1);
    });
  });

const codes = await Promise.all(CHECKS.map(check));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
