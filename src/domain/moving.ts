/** What a database says when a row of a workspace is written that is being moved to another one (scripts/move/tables.ts). */
const MOVING = "workspace_moving";

/** How soon it is worth trying again. */
export const MOVING_RETRY_S = 10;

/** Whether something failed because its workspace is being moved: then nothing of it was written. */
export function isMoving(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(MOVING)) return true;
  }
  return false;
}
