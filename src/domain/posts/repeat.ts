// Repeating posts. A post with `repeat` is followed by the next one when it has ended; each is a post of its own. The times
// come from the first post of the series: its time of day and, for months, its day, both on the wall clock. So a month
// without the 31st uses its last day, and the month after it uses the 31st again. As for slots, a time that the clocks skip
// is left out, and a time that they show twice is the first of the two.
import { getISO } from "temporal-polyfill/fns/Calendar";
import * as PlainDate from "temporal-polyfill/fns/PlainDate";
import * as PlainDateTime from "temporal-polyfill/fns/PlainDateTime";
import * as ZonedDateTime from "temporal-polyfill/fns/ZonedDateTime";
import { wallInstant, zonedAt } from "../instant.ts";
import { readOwnTimes } from "./own-time.ts";

export const REPEAT_UNITS = ["day", "week", "month"] as const;
export type RepeatUnit = (typeof REPEAT_UNITS)[number];
/** The longest interval of each unit: no post is further ahead than a year. */
export const INTERVAL_MAX: Record<RepeatUnit, number> = { day: 365, week: 52, month: 12 };
/** Posts of a series that is limited by their number, and further texts to take turns with. */
export const REPEAT_TIMES_MAX = 1_000;
export const VARIATIONS_MAX = 50;

export interface Repeat {
  every: RepeatUnit;
  interval: number;
  /** Monday is 1; null: the weekday of the first post, or the unit is not a week. */
  weekdays: number[] | null;
  /** The last instant at which a post may be due, in ISO 8601; null: no such limit. */
  until: string | null;
  /** How many posts there are in all, the first included; null: no such limit. */
  times: number | null;
  /** The texts of the next posts, in turn; the text of the post itself comes after them. */
  variations: string[];
}

/** A repeat as callers write it. */
export interface WrittenRepeat {
  every: RepeatUnit;
  interval?: number | undefined;
  weekdays?: number[] | null | undefined;
  until?: string | null | undefined;
  times?: number | null | undefined;
  variations?: string[] | undefined;
}

/** The repeat as it is stored, or null. */
export function storedRepeat(repeat: WrittenRepeat | null | undefined): Repeat | null {
  if (repeat === null || repeat === undefined) return null;
  const { every, interval = 1, weekdays = null, until = null, times = null, variations = [] } = repeat;
  const days = weekdays === null || weekdays.length === 0 ? null : [...new Set(weekdays)].sort((a, b) => a - b);
  return { every, interval, weekdays: days, until, times, variations };
}

/**
 * Where a repeat stands at one post. `active`: the next post follows when this one has ended. `continued`: the next post
 * exists. `completed`: this was the last one. `stopped`: somebody stopped it, or it could not go on.
 */
export const REPEAT_STATES = ["active", "continued", "completed", "stopped"] as const;
export type RepeatState = (typeof REPEAT_STATES)[number];

/** The place of a post in its series. */
export interface Series {
  /** The zone whose wall clock the times are read on. */
  timezone: string;
  /** The time of the first post on that clock. */
  start: string;
  /** The instant that the pattern has for this post, even if the post was moved; epoch milliseconds. */
  plannedAt: number;
  /** Its number in the series, from 1. */
  number: number;
  /** By channel id, a time of its own: days after the date of the post, and the time of day. */
  own: Record<string, { days: number; time: string }>;
  /** The code of the refusal for which the next post is a draft or does not exist; null: there was none. */
  problem: string | null;
}

/** The posts of a series that were made after a post, and that a restore of the database has removed. */
export interface LostPosts {
  /** The instant up to which times of the pattern have been used, in epoch milliseconds. */
  until: number;
  /** The number of the last one; null: unknown, so each time of the pattern counts, and a person releases the next post. */
  number: number | null;
}

/** The columns of a post that tell its times. */
interface TimedPost {
  publishAt: number | null;
  dueAt: number | null;
  timezone: string;
  overrides: Record<string, { publish_at?: unknown }>;
  repeat: Repeat | null;
  series: Series | null;
  /** null: none. */
  lostPosts: LostPosts | null;
}

const readWall = (instant: number, timezone: string) => ZonedDateTime.toPlainDateTime(zonedAt(instant, timezone));

/** The place of a post in its series. The first post of a series has its own time as the pattern; null: it has no time. */
export function readSeries(post: TimedPost): Series | null {
  if (post.series !== null) return post.series;
  const plannedAt = post.publishAt ?? post.dueAt;
  if (plannedAt === null) return null;
  const { timezone } = post;
  const start = PlainDateTime.toString(readWall(plannedAt, timezone));
  return { timezone, start, plannedAt, number: 1, own: readOwnOffsets(post, plannedAt, timezone), problem: null };
}

function readOwnOffsets(
  { overrides }: Pick<TimedPost, "overrides">,
  plannedAt: number,
  timezone: string,
): Series["own"] {
  const date = ZonedDateTime.toPlainDate(zonedAt(plannedAt, timezone));
  return Object.fromEntries(
    [...readOwnTimes(overrides)].map(([channel, ownTime]) => {
      const wall = readWall(ownTime, timezone);
      const days = PlainDate.diffDays(date, PlainDateTime.toPlainDate(wall));
      return [channel, { days, time: PlainDateTime.toString(wall).slice("2026-01-01T".length) }];
    }),
  );
}

/** The times of the next post of a series. */
export interface Occurrence {
  /** Epoch milliseconds. */
  at: number;
  /** The times of single channels. */
  own: Map<string, number>;
  series: Series;
  /** How many times the texts have taken turns since the post. */
  turns: number;
}

/** How many dates are tried for one occurrence: more than the clocks skip in a row. */
const TRIES_MAX = 1_000;

/**
 * The next occurrence of a post's series, all of whose times are after `after` (epoch milliseconds); null: there is none.
 * A time that has passed, or that the clocks skip, is left out.
 */
export function nextOccurrence(post: TimedPost, after: number): Occurrence | null {
  const { repeat, lostPosts } = post;
  const series = readSeries(post);
  if (repeat === null || series === null) return null;
  const number = lastNumber(repeat, series, lostPosts) + 1;
  if (repeat.times !== null && number > repeat.times) return null;
  const until = repeat.until === null ? Number.POSITIVE_INFINITY : Date.parse(repeat.until);
  const { timezone, plannedAt } = series;
  const own = { ...readOwnOffsets(post, plannedAt, timezone), ...series.own };
  const timed = Object.entries(own).filter(([channel]) => readOwnTimes(post.overrides).has(channel));
  const from = Math.max(plannedAt, lostPosts?.until ?? plannedAt, after);
  for (const { date, at } of listTimes(repeat, series, from)) {
    if (at > until) return null;
    const ownTimes = timed.map(([channel, { days, time }]): [string, number | null] => [
      channel,
      instantOn(PlainDate.addDays(date, days), time, timezone),
    ]);
    const isPossible = (entry: [string, number | null]): entry is [string, number] =>
      entry[1] !== null && entry[1] > after;
    if (!ownTimes.every(isPossible)) continue;
    return {
      at,
      own: new Map(ownTimes),
      series: { ...series, own, plannedAt: at, number, problem: null },
      turns: number - series.number,
    };
  }
  return null;
}

/** The number of the last post of a series. Where it is unknown, each time of the pattern counts as a post. */
function lastNumber(repeat: Repeat, series: Series, lostPosts: LostPosts | null): number {
  if (lostPosts === null) return series.number;
  if (lostPosts.number !== null) return lostPosts.number;
  let { number } = series;
  for (const { at } of listTimes(repeat, series, series.plannedAt)) {
    if (at > lostPosts.until) break;
    number++;
  }
  return number;
}

/** The next times of a pattern after `from` (epoch milliseconds), without those that the clocks skip. */
function* listTimes(
  repeat: Repeat,
  { start, timezone }: Series,
  from: number,
): Generator<{ date: PlainDate.Record; at: number }, void> {
  const first = PlainDateTime.toPlainDate(PlainDateTime.fromString(start, getISO));
  for (const date of listDates(repeat, first, from, timezone).take(TRIES_MAX)) {
    const at = instantOn(date, start.slice("2026-01-01T".length), timezone);
    if (at !== null && at > from) yield { date, at };
  }
}

/** The next instants of a post's series, at most `count`. */
export function listNext(post: TimedPost, after: number, count: number): number[] {
  const instants: number[] = [];
  let current: TimedPost = post;
  for (let i = 0; i < count; i++) {
    const next = nextOccurrence(current, after);
    if (next === null) break;
    instants.push(next.at);
    current = { ...current, series: next.series, lostPosts: null };
  }
  return instants;
}

function instantOn(date: PlainDate.Record, time: string, timezone: string): number | null {
  return wallInstant(PlainDateTime.fromString(`${PlainDate.toString(date)}T${time}`, getISO), timezone);
}

/** The dates of a repeat in order, beginning shortly before `from`. */
function* listDates(
  { every, interval, weekdays }: Repeat,
  first: PlainDate.Record,
  from: number,
  timezone: string,
): Generator<PlainDate.Record, void> {
  const passed = Math.max(0, PlainDate.diffDays(first, ZonedDateTime.toPlainDate(zonedAt(from, timezone))));
  const days = { day: 1, week: 7, month: 31 }[every];
  const monday = PlainDate.subtractDays(first, PlainDate.dayOfWeek(first) - 1);
  for (let step = Math.floor(passed / days / interval); ; step++) {
    const count = step * interval;
    if (every === "day") yield PlainDate.addDays(first, count);
    else if (every === "month") yield PlainDate.addMonths(first, count);
    else {
      for (const weekday of weekdays ?? [PlainDate.dayOfWeek(first)]) {
        yield PlainDate.addDays(monday, 7 * count + weekday - 1);
      }
    }
  }
}

/** The text of the post that follows after a number of turns, and the turns after it. */
export function takeTurns(text: string, repeat: Repeat, turns: number): { text: string; repeat: Repeat } {
  const texts = [text, ...repeat.variations];
  const first = turns % texts.length;
  const [next = text, ...variations] = [...texts.slice(first), ...texts.slice(0, first)];
  return { text: next, repeat: { ...repeat, variations } };
}
