// Deliveries that are looked at before or after publishing, as jobs: those of one channel travel together.
import type { PreflightJob, VerifyJob } from "./job.ts";

/** Deliveries of one channel that one job names: networks count calls by account and hour. */
export const PER_CHANNEL_MAX = 20;

interface Key {
  workspaceId: string;
  postId: string;
  channelId: string;
}
type LaneKey = Key & { lane: number };

/** For each channel its deliveries, in their order. */
const byChannel = <Of extends Key>(keys: Of[]) => [
  ...Map.groupBy(keys, ({ workspaceId, channelId }) => `${workspaceId} ${channelId}`).values(),
];

const postsOf = (keys: Key[], from = 0) => [
  ...new Set(keys.slice(from, from + PER_CHANNEL_MAX).map(({ postId }) => postId)),
];

/** Verifications of deliveries: of each channel one job, with its first; the others stay due. */
export function verifyJobs(due: LaneKey[]): VerifyJob[] {
  return byChannel(due).flatMap((together) =>
    together.slice(0, 1).map(({ workspaceId: workspace, lane, channelId: channel }) => {
      return { kind: "verify", workspace, lane, channel, posts: postsOf(together) };
    }),
  );
}

/** Pre-flight checks of deliveries that come due in so many minutes. */
export function preflightJobs(upcoming: LaneKey[], minutes: number): PreflightJob[] {
  return byChannel(upcoming).flatMap((together) =>
    together.flatMap(({ workspaceId: workspace, lane, channelId: channel }, i) =>
      i % PER_CHANNEL_MAX === 0
        ? [{ kind: "preflight", workspace, lane, channel, posts: postsOf(together, i), minutes }]
        : [],
    ),
  );
}
