// A file that comes piece by piece: its text, up to where it says that it is whole.
import { NoAnswer } from "./errors.ts";

/** A signal that says after a silence that nobody answers. It waits from the first on. */
export interface SilenceLimit {
  signal: AbortSignal;
  /** Waits for what comes next, from now on. */
  begin(): void;
  /** Waits for nothing. */
  end(): void;
}

export function silenceLimit(ms: number): SilenceLimit {
  const controller = new AbortController();
  const wait = () => setTimeout(() => controller.abort(new DOMException("no answer in time", "TimeoutError")), ms);
  let timer = wait();
  const end = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    begin() {
      end();
      timer = wait();
    },
    end,
  };
}

/** The last line of an export, with the cursor of what is left. */
const END = /(?:^|\n)\{"type":"end","lines":\d+,"next":(?:null|"([\w-]+)")\}\n$/;
const END_LENGTH = 256;

/**
 * The text of an answer; returns the cursor of the one that goes on behind it, null when there is none. Throws when the connection
 * breaks, and when an export ends without its last line.
 */
export async function* piecesOf(
  name: string,
  { body }: Response,
  silence: SilenceLimit,
): AsyncGenerator<string, string | null, undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let last = "";
  try {
    for (;;) {
      silence.begin();
      const { done = true, value } = (await reader?.read()) ?? {};
      // The reader of the text may take its time.
      silence.end();
      const text = decoder.decode(value, { stream: !done });
      last = (last + text).slice(-END_LENGTH);
      if (text !== "") yield text;
      if (done) break;
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
  if (name !== "workspaces.export") return null;
  const end = END.exec(last);
  if (end === null) throw new NoAnswer("The export ended before it was whole.", { status: 200, passes: true });
  return end[1] ?? null;
}
