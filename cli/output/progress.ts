// A bar that is redrawn in place, on a terminal only.

import { bytesText, clockText } from "./format.ts";
import { cut, type Output, oneLine, padded } from "./terminal.ts";

export interface Progress {
  /** Updates the number of bytes sent. */
  at(done: number): void;
  /** Shows a note below the bar. */
  note(text: string): void;
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** The rate covers the last few seconds, so that the remaining time stays realistic after a stall. */
const RATE_WINDOW_MS = 5_000;

export function progressOf(err: Output, label: string, total: number, now: () => number = Date.now): Progress {
  if (!err.isTerminal) return { at() {}, note() {}, end() {} };
  const samples: [number, number][] = [[now(), 0]];
  let drawnAt = 0;
  let done = 0;
  const draw = () => err.write(`\r\x1b[2K${progressLine(label, done, total, rateOf(samples), err.width() - 1)}`);
  return {
    at(bytes) {
      const time = now();
      // The upload has restarted, so earlier samples no longer apply.
      if (bytes < done) samples.length = 0;
      done = bytes;
      samples.push([time, bytes]);
      while (samples.length > 2 && time - (samples[0]?.[0] ?? time) > RATE_WINDOW_MS) samples.shift();
      if (time - drawnAt < DRAW_EVERY_MS && bytes < total) return;
      drawnAt = time;
      draw();
    },
    note: (text) => err.write(`\r\x1b[2K${err.paint("yellow", cut(oneLine(text), err.width() - 1))}\n`),
    end() {
      draw();
      err.write("\n");
    },
  };
}

/** Bytes per second; null until there are enough samples. */
function rateOf(samples: [number, number][]): number | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last[0] - first[0] < 200) return null;
  return ((last[1] - first[1]) * 1000) / (last[0] - first[0]);
}

const BAR_MAX = 30;

/** `video.mp4  ███████░░░  70%  140 MB of 200 MB  12.3 MB/s  0:05 left`, in at most `width` columns. */
export function progressLine(label: string, done: number, total: number, rate: number | null, width: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const amount = done >= total ? bytesText(total) : `${bytesText(done)} of ${bytesText(total)}`;
  const speed = rate === null || rate <= 0 ? "" : `${bytesText(rate)}/s`;
  const left = rate === null || rate <= 0 || done >= total ? "" : `${clockText((total - done) / rate)} left`;
  // If there is not enough room, the least important part is dropped first.
  const tails = [[percent, amount, speed, left], [percent, speed, left], [percent, left], [percent]].map((parts) =>
    parts.filter((one) => one !== "").join("  "),
  );
  const name = cut(oneLine(label), Math.max(8, Math.min(30, Math.floor(width / 3))));
  const tail = tails.find((one) => name.length + one.length + 16 <= width) ?? percent;
  const room = Math.max(0, Math.min(BAR_MAX, width - padded(name, 0).length - tail.length - 4));
  const filled = Math.round(part * room);
  return cut(`${name}  ${"█".repeat(filled)}${"░".repeat(room - filled)}  ${tail}`, width);
}
