// How a post repeats, as typed: --repeat '2 weeks', with the flags that go with it.
import { REPEAT_UNITS } from "../src/domain/posts/repeat.ts";
import type { Body } from "./api/client.ts";
import type { Arguments } from "./command.ts";
import { usage } from "./failure.ts";

type Repeat = NonNullable<Body<"posts.create">["repeat"]>;

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
export const REPEAT_FLAGS = {
  repeat: {
    type: "string",
    value: "INTERVAL",
    description: "Make the next post when this one has ended: day, 2 weeks, month.",
  },
  "repeat-on": {
    type: "string",
    value: "DAYS",
    description: "Weekdays of a weekly repeat: mon,thu. Default: that of the post.",
  },
  "repeat-until": { type: "string", value: "DATE", description: "Last date of the repeat, or an instant." },
  "repeat-times": { type: "string", value: "COUNT", description: "Posts in all, instead of --repeat-until." },
  variation: {
    type: "string",
    value: "TEXT",
    multiple: true,
    description: "Text of the next post; several texts and that of the post take turns.",
  },
} as const;

/** The repeat that was typed; undefined: the post does not repeat. */
export function readRepeat(args: Arguments<keyof typeof REPEAT_FLAGS>): Repeat | undefined {
  const typed = args.get("repeat");
  const days = args.get("repeat-on");
  const until = args.get("repeat-until");
  const times = args.get("repeat-times");
  const variations = args.getAll("variation");
  if (typed === undefined) {
    if (days !== undefined || until !== undefined || times !== undefined || variations.length > 0)
      throw usage(
        "--repeat-on, --repeat-until, --repeat-times and --variation belong to a repeat.",
        "add --repeat week",
      );
    return undefined;
  }
  const { count = "1", unit } = /^(?:(?<count>\d{1,3}) +)?(?<unit>day|week|month)s?$/.exec(typed.trim())?.groups ?? {};
  const every = REPEAT_UNITS.find((name) => name === unit);
  if (every === undefined) throw usage(`--repeat '${typed}' is not an interval.`, "for example day, 2 weeks or month");
  if (times !== undefined && !/^\d{1,6}$/.test(times)) throw usage(`--repeat-times ${times} is not a number.`);
  return {
    every,
    interval: Number(count),
    ...(days === undefined ? {} : { weekdays: days.split(",").map(readWeekday) }),
    ...(until === undefined ? {} : { until }),
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(variations.length === 0 ? {} : { variations }),
  };
}

function readWeekday(typed: string): number {
  const weekday = WEEKDAYS.indexOf(typed.trim().toLowerCase().slice(0, 3));
  if (weekday === -1) throw usage(`--repeat-on: '${typed}' is not a weekday.`, `for example ${WEEKDAYS.join(",")}`);
  return weekday + 1;
}
