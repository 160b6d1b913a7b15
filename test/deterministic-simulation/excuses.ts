// How often each excuse was needed: what it covers must be no more than the fault behind it explains.
import type { Reason } from "./check-time.ts";
import { type Span, uncoveredMs } from "./history.ts";

const SECOND = 1_000;
/** Later than that, a delivery needs a reason. */
const LATE_MS = 15 * SECOND;
const LONG_MS = { "ten minutes": 600 * SECOND, "an hour": 3_600 * SECOND };

/** By excuse: the deliveries that needed it. */
export type ExcuseCounts = Record<string, number>;

export class Excuses {
  readonly counts: ExcuseCounts = {};

  count(excuse: string): void {
    this.counts[excuse] = (this.counts[excuse] ?? 0) + 1;
  }

  /** A delivery is out, so late, for these reasons. `isExplained`: whether some of them are enough. */
  late({ from, to }: Span, reasons: readonly Reason[], isExplained: (reasons: readonly Reason[]) => boolean): void {
    this.count("out");
    if (to - from <= LATE_MS) return;
    this.count("late: by more than 15 s");
    for (const [name, longMs] of Object.entries(LONG_MS))
      if (to - from > longMs) this.count(`late: by more than ${name}`);
    for (const [name, some] of Map.groupBy(reasons, (reason) => reason.name)) {
      const spans = some.flatMap((reason) => reason.spans);
      if (uncoveredMs(spans, from, to) >= to - from) continue;
      this.count(`late: ${name}`);
      // What is left without it would be called late.
      if (!isExplained(reasons.filter((reason) => reason.name !== name)))
        this.count(`late, and by nothing else: ${name}`);
    }
  }
}
