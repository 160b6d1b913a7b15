// Figures of a period, its days, and their change against the period before. Figures of different networks are never added up.
import type { Answer, Client } from "../../client/client.ts";
import { dayAfter } from "../calendar/days.ts";

export type Network = Answer<"analytics.read">["networks"][number];
export type Day = Answer<"analytics.days">["days"][number];
type MeasuredPost = Answer<"analytics.posts">["posts"][number];
export type FigureName = MeasuredPost["figures"] extends Partial<Record<infer Name, unknown>> ? Name : never;

export interface Period {
  networks: Network[];
  /** The days of the period, the newest first. */
  days: Day[];
}
/** The dates of a period, and which posts count. */
export interface Range {
  from: string;
  to: string;
  channel?: string;
  label?: string;
}

export async function readPeriod(client: Client, range: Range, signal: AbortSignal): Promise<Period> {
  const [sums, series] = await Promise.all([
    client.call("analytics.read", { query: { ...range, compare: "true" }, signal }),
    client.call("analytics.days", { query: { ...range }, signal }),
  ]);
  return { networks: sums.body.networks.filter(({ deliveries }) => deliveries > 0), days: series.body.days };
}

export const listFigures = (figures: Network["figures"]): FigureName[] =>
  Object.keys(figures).filter((name): name is FigureName => name in figures);

/** The dates of a range, the oldest first. */
export function listDates(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let date = from; date <= to; date = dayAfter(date, 1)) dates.push(date);
  return dates;
}

/** The value of a figure on each date; null: no post of that day reported it. */
export function toSeries(days: readonly Day[], dates: readonly string[], figure: FigureName): (number | null)[] {
  const byDate = new Map(days.map((day) => [day.date, day.figures[figure]?.value ?? null]));
  return dates.map((date) => byDate.get(date) ?? null);
}

/** The change against the period before, in percent; null if that period has no such figure, or zero. */
export function computeChange({ figures, previous }: Pick<Network, "figures" | "previous">, figure: FigureName) {
  const [current, before] = [figures[figure]?.value, previous?.figures[figure]?.value];
  return current === undefined || before === undefined || before === 0
    ? null
    : Math.round(((current - before) / before) * 100);
}

const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The days of a period as CSV: one line for each day and network. */
export function toCsv(days: readonly Day[], dates: readonly string[]): string {
  const names = [...new Set(days.flatMap(({ figures }) => listFigures(figures)))];
  const lines = days
    .filter(({ date }) => dates.includes(date))
    .map(({ date, platform, deliveries, figures }) => [
      date,
      platform,
      String(deliveries),
      ...names.map((name) => String(figures[name]?.value ?? "")),
    ]);
  return `${[["date", "network", "posts", ...names], ...lines].map((line) => line.map(quote).join(",")).join("\n")}\n`;
}
