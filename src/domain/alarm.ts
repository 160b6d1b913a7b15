// When to set the alarm of a Durable Object, and when to set it again because it has not rung. The platform says that an alarm may
// be a minute late (developers.cloudflare.com/durable-objects/api/alarms), and users have seen alarms that had not rung for days
// (cloudflare/cloudflare-docs#18324, cloudflare/workerd#6866; read 2026-11-26). Setting such an alarm again made it ring.

/**
 * The instant to set an alarm for that is due at `dueAt`, in epoch milliseconds: always in the future. An alarm for the present
 * instant that an alarm handler sets is dropped locally, and rings tens of seconds late or never in production; one for a
 * millisecond later rings (cloudflare/workerd#6866, read 2026-11-26).
 */
export const toAlarmTime = (dueAt: number, now: number): number => Math.max(Math.ceil(dueAt), now + 1);

/** How late an alarm may be. Setting an alarm again costs a row, so that is not done just as it rings. */
const RINGS_WITHIN_MS = 10_000;

/** Whether an alarm set for `alarmAt` should have rung long ago (epoch milliseconds). */
export const isOverdue = (alarmAt: number, now: number): boolean => now - alarmAt > RINGS_WITHIN_MS;
