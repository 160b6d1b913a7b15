const DAY_MS = 86_400_000;

/** The instant `days` from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
/** An instant that is far enough away that no alarm fires during the test. */
export const tomorrow = (): string => inDays(1);
/** Tomorrow at noon UTC, so that the hours around it are on one UTC day. */
export const tomorrowNoon = (): string => `${tomorrow().slice(0, 10)}T12:00:00Z`;
