// Reads the text of a streamed file, up to the marker that says that the file is complete.
import { NoAnswer } from "./errors.ts";

/** A signal that aborts if the service sends nothing for some time. The first wait begins when it is created. */
export interface SilenceLimit {
  signal: AbortSignal;
  /** Restarts the wait for the next data. */
  begin(): void;
  /** Stops waiting. */
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

/** The last line of an export, with the cursor of the remainder. */
const END = /(?:^|\n)\{"type":"end","lines":\d+,"next":(?:null|"([\w-]+)")\}\n$/;
const END_LENGTH = 256;

/**
 * The text of an answer. Returns the cursor of the answer that continues it, or null. Throws if the connection breaks, or if
 * an export ends without its last line.
 */
export async function* readPieces(
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
      // The limit does not apply while the consumer processes the text, because a consumer may be slow.
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
