// Questions to a person. Nobody is asked where there is no terminal.
import { createInterface } from "node:readline/promises";
import type { Shell } from "./command.ts";
import { interrupted, usage } from "./failure.ts";

/** One line that is not shown while it is typed or pasted. */
export async function askHidden(question: string, { stdin, err }: Shell): Promise<string> {
  if (!stdin.isTTY) throw usage("There is no terminal to ask at.");
  err.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  try {
    let typed = "";
    for await (const part of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(part)) {
        if (character === "\r" || character === "\n") return typed;
        // Ctrl-C, and Ctrl-D on nothing.
        if (character === "\u0003" || (character === "\u0004" && typed === "")) throw interrupted();
        if (character === "\u007f" || character === "\b") typed = typed.slice(0, -1);
        else if (character === "\u0015") typed = "";
        else if (character >= " ") typed += character;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    err.write("\n");
  }
}

/** One line that is shown. */
export async function ask(question: string, { stdin, signal }: Shell): Promise<string> {
  if (!stdin.isTTY) throw usage("There is no terminal to ask at.");
  const lines = createInterface({ input: stdin, output: process.stderr });
  try {
    return (await lines.question(question, { signal })).trim();
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
  } finally {
    lines.close();
  }
}
