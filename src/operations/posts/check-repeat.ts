// Checks how a post repeats, and the texts that it takes turns with.
import { isoInstant, nextMidnight, readInstant, startOfDate } from "../../domain/instant.ts";
import { checkTarget } from "../../domain/posts/check-post.ts";
import { INTERVAL_MAX } from "../../domain/posts/repeat.ts";
import type { TextMeter } from "../../domain/posts/text-length.ts";
import { type Violation, violation } from "../../domain/refusal.ts";
import type { PostBody } from "./read-for-check.ts";
import type { ChannelTarget } from "./targets.ts";

type WrittenRepeat = NonNullable<PostBody["repeat"]>;
const refuseRepeat = (name: string, message: string): Violation =>
  violation("repeat_invalid", { field: `/repeat/${name}`, message });

/** The repeat with its end as an instant, and what is wrong with it. `timezone`: the zone of an end without an offset. */
export function checkRepeat(
  repeat: PostBody["repeat"],
  { timezone, now }: { timezone: string; now: number },
): { repeat: PostBody["repeat"]; broken: Violation[] } {
  if (repeat === null || repeat === undefined) return { repeat, broken: [] };
  const { every, interval = 1, weekdays, times, until } = repeat;
  const broken: Violation[] = [];
  if (interval > INTERVAL_MAX[every]) {
    broken.push(refuseRepeat("interval", `\`interval\` is at most ${INTERVAL_MAX[every]} with \`every: "${every}"\`.`));
  }
  if (weekdays != null && weekdays.length > 0 && every !== "week") {
    broken.push(refuseRepeat("weekdays", '`weekdays` needs `every: "week"`.'));
  }
  if (until != null && times != null) broken.push(refuseRepeat("times", "`until` and `times` exclude one another."));
  if (until == null) return { repeat, broken };
  const end = readEnd(until, timezone);
  if (end === null) broken.push(refuseRepeat("until", "`until` is neither a date nor an instant."));
  else if (end < now) broken.push(refuseRepeat("until", "`until` has passed."));
  return { repeat: end === null ? repeat : { ...repeat, until: isoInstant(end) }, broken };
}

/** The last instant of a date, or an instant; null: neither. */
function readEnd(until: string, timezone: string): number | null {
  if (/^\d{4}-\d{2}-\d{2}$/.test(until)) {
    try {
      return nextMidnight(startOfDate(until, timezone), timezone) - 1;
    } catch {
      return null;
    }
  }
  const end = readInstant(until, timezone, "/repeat/until");
  return typeof end === "number" ? end : null;
}

/** What is wrong with the texts that take turns, on a channel without a text of its own. */
export function checkVariations(
  { variations = [] }: WrittenRepeat,
  target: ChannelTarget,
  meter: TextMeter,
): Violation[] {
  if (target.textField !== "/text") return [];
  return variations.flatMap((text, i) => {
    const textField = `/repeat/variations/${i}`;
    return [...checkTarget({ ...target, text, textField }, meter)].filter(({ field }) => field === textField);
  });
}
