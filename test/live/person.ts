// A person at a terminal, or piped answers: one line answers one question.
import { createInterface, type Interface } from "node:readline";

export interface Person {
  /** Asks a question. The answer is "" if nothing was typed, if no line is left, and once `stopped` is aborted. */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Reads answers from these streams. Lines that arrive before their question are kept for it. */
export function personAt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, stopped: AbortSignal): Person {
  const stop = new Promise<null>((resolve) => stopped.addEventListener("abort", () => resolve(null), { once: true }));
  let terminal: Interface | null = null;
  let lines: AsyncIterator<string> | null = null;
  return {
    async ask(question) {
      if (stopped.aborted) return "";
      // Opened only for a question, because an open terminal keeps the process alive.
      terminal ??= createInterface({ input });
      lines ??= terminal[Symbol.asyncIterator]();
      output.write(question);
      const line = await Promise.race([lines.next(), stop]);
      return line === null || line.done === true ? "" : line.value;
    },
    close: () => terminal?.close(),
  };
}
