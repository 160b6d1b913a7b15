// The callers who come first can use up a limit that all workspaces share. A workspace below its fair share then continues
// from a reserve, so that a few workspaces cannot keep the others from a host.
import { MINUTE_MS } from "./limits.ts";

/** Calls to a host by workspace, in this minute and the one before. */
export interface Shares {
  minute: number;
  calls: Record<string, number>;
  previous: Record<string, number>;
}
export const NO_SHARES: Shares = { minute: 0, calls: {}, previous: {} };

/** The shares at `now` (epoch milliseconds), without older minutes. */
export function getSharesAt(shares: Shares, now: number): Shares {
  const minute = Math.floor(now / MINUTE_MS);
  if (shares.minute === minute) return shares;
  return { minute, calls: {}, previous: shares.minute === minute - 1 ? shares.calls : {} };
}

/** Counts calls of a workspace. */
export function addCalls(shares: Shares, workspaceId: string, calls: number): Shares {
  const before = shares.calls[workspaceId] ?? 0;
  return { ...shares, calls: { ...shares.calls, [workspaceId]: before + calls } };
}

/**
 * Whether further calls leave a workspace within its fair share: `most`, divided by the workspaces that call the host now.
 */
export function isWithinFairShare(shares: Shares, workspaceId: string, calls: number, most: number): boolean {
  const { calls: current, previous } = shares;
  const callers = new Set([...Object.keys(current), ...Object.keys(previous), workspaceId]).size;
  const workspaceCalls = (current[workspaceId] ?? 0) + (previous[workspaceId] ?? 0);
  return workspaceCalls + calls <= Math.max(1, Math.floor(most / callers));
}
