// Times to come, as a call names them.
const DAY_MS = 86_400_000;

/** The instant `days` from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
/** Far enough that no alarm rings by itself. */
export const tomorrow = (): string => inDays(1);
