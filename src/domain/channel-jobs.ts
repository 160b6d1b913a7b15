// Groups deliveries that need work before or after publishing into jobs. The deliveries of one channel form one task. The
// tasks of one lane share a queue message, because each message costs as much as writing a row, and so does waking a
// publisher.
import type { FollowUpsJob, FollowUpTask } from "./job.ts";

/** The maximum number of a channel's deliveries in one task, because networks limit the calls of an account per hour. */
export const PER_CHANNEL_MAX = 20;

interface Key {
  workspaceId: string;
  postId: string;
  channelId: string;
}
type LaneKey = Key & { lane: number };

/** Groups the deliveries by channel, in order. */
const byChannel = <Of extends Key>(keys: Of[]) => [
  ...Map.groupBy(keys, ({ workspaceId, channelId }) => `${workspaceId} ${channelId}`).values(),
];

const listPostIds = (keys: Key[], from = 0) => [
  ...new Set(keys.slice(from, from + PER_CHANNEL_MAX).map(({ postId }) => postId)),
];

/** The maximum number of tasks in one message. With 20 posts each, they use a tenth of a message's size limit. */
const PER_JOB_MAX = 16;

interface LaneTask {
  workspaceId: string;
  lane: number;
  task: FollowUpTask;
}

function toJobs(tasks: LaneTask[]): FollowUpsJob[] {
  const lanes = Map.groupBy(tasks, ({ workspaceId, lane }) => `${workspaceId} ${lane}`).values();
  return [...lanes].flatMap((together) =>
    together.flatMap(({ workspaceId: workspace, lane }, i) => {
      if (i % PER_JOB_MAX > 0) return [];
      return [
        { kind: "follow_ups", workspace, lane, tasks: together.slice(i, i + PER_JOB_MAX).map(({ task }) => task) },
      ];
    }),
  );
}

/** Builds jobs for the follow-ups of published deliveries: one task for each channel, with its first deliveries. The channel's other deliveries stay due. */
export function afterPublishJobs(due: LaneKey[]): FollowUpsJob[] {
  const tasks = byChannel(due).flatMap((together) =>
    together.slice(0, 1).map(({ workspaceId, lane, channelId: channel }): LaneTask => {
      return { workspaceId, lane, task: { kind: "after_publish", channel, posts: listPostIds(together) } };
    }),
  );
  return toJobs(tasks);
}

/** Builds jobs for the pre-flight checks of deliveries that are due in `minutes` minutes. */
export function preflightJobs(upcoming: LaneKey[], minutes: number): FollowUpsJob[] {
  const tasks = byChannel(upcoming).flatMap((together) =>
    together.flatMap(({ workspaceId, lane, channelId: channel }, i): LaneTask[] =>
      i % PER_CHANNEL_MAX === 0
        ? [{ workspaceId, lane, task: { kind: "preflight", channel, posts: listPostIds(together, i), minutes } }]
        : [],
    ),
  );
  return toJobs(tasks);
}
