const DAY_MS = 86_400_000;

/** The next date with this month and day, as in `comingDate("01-15")`; at least two days ahead. */
export function comingDate(monthAndDay: string): string {
  const year = new Date().getUTCFullYear();
  const thisYear = `${year}-${monthAndDay}`;
  return Date.parse(thisYear) > Date.now() + 2 * DAY_MS ? thisYear : `${year + 1}-${monthAndDay}`;
}

/** The instant `days` from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
/** An instant that is far enough away that no alarm fires during the test. */
export const tomorrow = (): string => inDays(1);
/** Tomorrow at noon UTC, so that the hours around it are on one UTC day. */
export const tomorrowNoon = (): string => `${tomorrow().slice(0, 10)}T12:00:00Z`;
