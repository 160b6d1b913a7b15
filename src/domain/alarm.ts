// Decides whether an alarm of a Durable Object is overdue, so that it should be set again. The platform says that an alarm may be a minute late
// (developers.cloudflare.com/durable-objects/api/alarms), and users have seen alarms that had not rung for days
// (cloudflare/cloudflare-docs#18324, cloudflare/workerd#6866; read 2026-11-26). Setting such an alarm again made it ring.

/** How late an alarm may be. Setting an alarm again costs a row, so that is not done just as it rings. */
const RINGS_WITHIN_MS = 10_000;

/** Whether an alarm set for `alarmAt` should have rung long ago (epoch milliseconds). */
export const isOverdue = (alarmAt: number, now: number): boolean => now - alarmAt > RINGS_WITHIN_MS;
