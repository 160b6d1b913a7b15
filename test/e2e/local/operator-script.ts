// Scripts of the operator, run as from a terminal.
import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/** Runs a script of the checkout with these arguments. `output` has what it wrote to both of its streams. */
export async function runScript(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}
