// Texts that people give as an argument, a file or stdin.
import { readFile } from "node:fs/promises";
import type { Shell } from "./command.ts";
import { Failure, usage } from "./failure.ts";

/** The text as given, without the line ending that files and pipes end with. */
export async function readText(
  word: string | undefined,
  file: string | undefined,
  shell: Shell,
): Promise<string | undefined> {
  if (word !== undefined && file !== undefined)
    throw usage("The text is given twice: as an argument and with --text-file.");
  if (file === undefined && word !== "-") return word;
  let bytes: Buffer;
  try {
    if (file === undefined) {
      if (shell.stdin.isTTY) shell.err.line("Type the text. To finish, press Ctrl-D on an empty line.");
      bytes = await (await import("./output/prompt.ts")).readStdin(shell);
    } else bytes = await readFile(file);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${file ?? "stdin"} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw usage(`${file ?? "stdin"} is not UTF-8 text.`);
  }
}
