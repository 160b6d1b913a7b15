// Times to come, as a call names them.
const DAY_MS = 86_400_000;

/** The instant `days` from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
/** Far enough that no alarm rings by itself. */
export const tomorrow = (): string => inDays(1);
/** The same at noon, UTC: what happens within some hours of it happens on one UTC day. */
export const tomorrowNoon = (): string => `${tomorrow().slice(0, 10)}T12:00:00Z`;
