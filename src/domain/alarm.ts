// Whether the alarm of an object can still be relied on. The platform says that an alarm may be a minute late
// (developers.cloudflare.com/durable-objects/api/alarms), and people have seen it keep one that had not rung for days
// (cloudflare/cloudflare-docs#18324, cloudflare/workerd#6866; read 2026-11-26). Setting it anew made it ring.

/** Setting an alarm anew that rings just then costs a row, so an alarm is given this long. */
const RINGS_WITHIN_MS = 10_000;

/** Whether an alarm that was set for `alarmAt` should have rung long ago (epoch milliseconds). */
export const isOverdue = (alarmAt: number, now: number): boolean => now - alarmAt > RINGS_WITHIN_MS;
