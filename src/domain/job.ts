/** What travels on the queue: where to look, never what to do. The rows say the rest. */
export interface ChannelJob {
  kind: "channel";
  workspace: string;
  channel: string;
}
export type Job = ChannelJob;

/** A message from any deploy, old or new; null when it is none of ours. */
export function readJob(body: unknown): Job | null {
  if (typeof body !== "object" || body === null) return null;
  const { kind, workspace, channel } = body as Record<string, unknown>;
  if (kind !== "channel" || typeof workspace !== "string" || typeof channel !== "string") return null;
  return { kind, workspace, channel };
}
