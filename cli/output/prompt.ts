// Prompts and stdin. Without a terminal there are no prompts.
import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Shell } from "../command.ts";
import { Failure, interrupted, usage } from "../failure.ts";
import { oneLine } from "./terminal.ts";

/** Reads all of stdin. Ctrl-C stops it. */
export async function readStdin({ stdin, signal }: Shell): Promise<Buffer> {
  const parts: Buffer[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      if (signal.aborted) reject(interrupted());
      signal.addEventListener("abort", () => reject(interrupted()), { once: true });
      stdin.on("data", (chunk: Buffer) => parts.push(chunk));
      stdin.once("end", resolve);
      stdin.once("error", reject);
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`stdin cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return Buffer.concat(parts);
}

/** Asks for one line, which is shown as it is typed. */
export function ask(question: string, shell: Shell): Promise<string> {
  return answerTo(shell, process.stderr, (lines, signal) => lines.question(`${oneLine(question)} `, { signal }));
}

/** Asks for one line, which is hidden as it is typed or pasted. */
export async function askHidden(question: string, shell: Shell): Promise<string> {
  const nowhere = new Writable({ write: (_part, _encoding, callback) => callback() });
  return answerTo(shell, nowhere, async (lines, signal) => {
    // From here on the terminal does not echo input.
    shell.err.write(`${oneLine(question)} `);
    try {
      return await lines.question("", { signal });
    } finally {
      shell.err.write("\n");
    }
  });
}

async function answerTo(
  { stdin, signal }: Shell,
  output: NodeJS.WritableStream,
  readAnswer: (lines: Interface, signal: AbortSignal) => Promise<string>,
): Promise<string> {
  if (!stdin.isTTY) throw usage("Input is needed, but there is no terminal.");
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const stop = new AbortController();
  // During a prompt the terminal delivers Ctrl-C as a character. The end of input is not an answer either.
  for (const event of ["SIGINT", "close"]) lines.on(event, () => stop.abort());
  try {
    return (await readAnswer(lines, AbortSignal.any([signal, stop.signal]))).trim();
  } catch (error) {
    throw signal.aborted || stop.signal.aborted ? interrupted() : error;
  } finally {
    lines.close();
  }
}
