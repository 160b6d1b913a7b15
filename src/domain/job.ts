/** What travels on the queue: where to look, never what to do. The rows say the rest. */
export interface ChannelJob {
  kind: "channel";
  workspace: string;
  channel: string;
}
/** Somebody says that they forgot their password. Whether there is such an account, nobody has looked yet. */
export interface ResetMailJob {
  kind: "reset_mail";
  email: string;
}
/** What an erased workspace leaves outside the database is to be cleared. */
export interface ClearWorkspaceJob {
  kind: "clear_workspace";
  workspace: string;
}
/** Programs that people let in have lost that: their connections are to be closed. */
export interface EndConnectionsJob {
  kind: "end_connections";
}
/** An idle channel's credential is to be renewed. */
export interface RenewChannelJob {
  kind: "renew_channel";
  workspace: string;
  channel: string;
}
/** Published deliveries of a channel are to be looked at again. */
export interface CheckJob {
  kind: "check";
  workspace: string;
  channel: string;
  posts: string[];
}
/** Deliveries of a channel come due in a while: would they go out? */
export interface PreflightJob {
  kind: "preflight";
  workspace: string;
  channel: string;
  posts: string[];
  /** How long before they are due this was asked. */
  minutes: number;
}
export type Job =
  | ChannelJob
  | CheckJob
  | PreflightJob
  | ResetMailJob
  | ClearWorkspaceJob
  | EndConnectionsJob
  | RenewChannelJob;

/** A message from any deploy, old or new; null when it is none of ours. */
export function readJob(body: unknown): Job | null {
  if (typeof body !== "object" || body === null) return null;
  const { kind, workspace, channel, posts, minutes, email } = body as Record<string, unknown>;
  if ((kind === "channel" || kind === "renew_channel") && typeof workspace === "string" && typeof channel === "string")
    return { kind, workspace, channel };
  if (typeof workspace === "string" && typeof channel === "string" && Array.isArray(posts)) {
    if (kind === "check") return { kind, workspace, channel, posts: posts.map(String) };
    if (kind === "preflight" && typeof minutes === "number")
      return { kind, workspace, channel, posts: posts.map(String), minutes };
  }
  if (kind === "reset_mail" && typeof email === "string") return { kind, email };
  if (kind === "clear_workspace" && typeof workspace === "string") return { kind, workspace };
  if (kind === "end_connections") return { kind };
  return null;
}
