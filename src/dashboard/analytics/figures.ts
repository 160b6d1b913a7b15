// Figures of a period, its days, and their change against the period before. Figures of different networks are never added up.
import type { Answer, Client } from "../../client/client.ts";

export type Days = "7" | "30";
export type Network = Answer<"analytics.read">["networks"][number];
export type Day = Answer<"analytics.days">["days"][number];
export type MeasuredPost = Answer<"analytics.posts">["posts"][number];
export type FigureName = MeasuredPost["figures"] extends Partial<Record<infer Name, unknown>> ? Name : never;

export interface Period {
  networks: Network[];
  /** The days of the period and of the one before, as far as they are known, the newest first. */
  days: Day[];
}

export async function readPeriod(client: Client, days: Days, signal: AbortSignal): Promise<Period> {
  const [sums, series] = await Promise.all([
    client.call("analytics.read", { query: { days }, signal }),
    // The longer series contains the week before a week.
    client.call("analytics.days", { query: { days: "30" }, signal }),
  ]);
  return { networks: sums.body.networks.filter(({ deliveries }) => deliveries > 0), days: series.body.days };
}

export const listFigures = (figures: Network["figures"]): FigureName[] =>
  Object.keys(figures).filter((name): name is FigureName => name in figures);

const DAY_MS = 86_400_000;
/** The UTC dates of the last days, the oldest first. */
export function listDates(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, i) => new Date(now - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10));
}

/** The value of a figure on each date; null: no post of that day reported it. */
export function toSeries(days: readonly Day[], dates: readonly string[], figure: FigureName): (number | null)[] {
  const byDate = new Map(days.map((day) => [day.date, day.figures[figure]?.value ?? null]));
  return dates.map((date) => byDate.get(date) ?? null);
}

/**
 * The change of a figure against the week before, in percent: null if the days before are not known, had no such figure, or had
 * the value zero.
 */
export function computeChange(days: readonly Day[], period: Days, figure: FigureName, now: number): number | null {
  if (period !== "7") return null;
  const dates = listDates(14, now);
  const sum = (some: string[]) => {
    const values = toSeries(days, some, figure).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  const [before, current] = [sum(dates.slice(0, 7)), sum(dates.slice(7))];
  return before === null || before === 0 || current === null ? null : Math.round(((current - before) / before) * 100);
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
