// A bar that is redrawn in place, on a terminal only.

import { bytesText, clockText } from "./format.ts";
import { cut, type Output, oneLine, padded } from "./terminal.ts";

export interface Progress {
  /** Updates the number of bytes sent. */
  at(sentBytes: number): void;
  /** Shows a note below the bar. */
  note(text: string): void;
  end(): void;
}

const DRAW_EVERY_MS = 100;
/** The rate covers the last few seconds, so that the remaining time stays realistic after a stall. */
const RATE_WINDOW_MS = 5_000;

export function startProgress(err: Output, label: string, total: number, now: () => number = Date.now): Progress {
  if (!err.isTerminal) return { at() {}, note() {}, end() {} };
  const samples: [number, number][] = [[now(), 0]];
  let drawnAt = 0;
  let sentBytes = 0;
  const draw = () =>
    err.write(`\r\x1b[2K${progressLine(label, sentBytes, total, computeRate(samples), err.width() - 1)}`);
  return {
    at(bytes) {
      const time = now();
      // The upload has restarted, so earlier samples no longer apply.
      if (bytes < sentBytes) samples.length = 0;
      sentBytes = bytes;
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
function computeRate(samples: [number, number][]): number | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last[0] - first[0] < 200) return null;
  return ((last[1] - first[1]) * 1000) / (last[0] - first[0]);
}

const BAR_MAX = 30;

/** `video.mp4  ███████░░░  70%  140 MB of 200 MB  12.3 MB/s  0:05 left`, in at most `width` columns. */
export function progressLine(
  label: string,
  sentBytes: number,
  total: number,
  rate: number | null,
  width: number,
): string {
  const fraction = total === 0 ? 1 : Math.min(1, sentBytes / total);
  const percent = `${Math.floor(fraction * 100)}%`.padStart(4);
  const amount = sentBytes >= total ? bytesText(total) : `${bytesText(sentBytes)} of ${bytesText(total)}`;
  const speed = rate === null || rate <= 0 ? "" : `${bytesText(rate)}/s`;
  const remainingText =
    rate === null || rate <= 0 || sentBytes >= total ? "" : `${clockText((total - sentBytes) / rate)} left`;
  // If there is not enough room, the least important part is dropped first.
  const tails = [
    [percent, amount, speed, remainingText],
    [percent, speed, remainingText],
    [percent, remainingText],
    [percent],
  ].map((parts) => parts.filter((text) => text !== "").join("  "));
  const name = cut(oneLine(label), Math.max(8, Math.min(30, Math.floor(width / 3))));
  const tail = tails.find((text) => name.length + text.length + 16 <= width) ?? percent;
  const room = Math.max(0, Math.min(BAR_MAX, width - padded(name, 0).length - tail.length - 4));
  const filled = Math.round(fraction * room);
  return cut(`${name}  ${"█".repeat(filled)}${"░".repeat(room - filled)}  ${tail}`, width);
}
