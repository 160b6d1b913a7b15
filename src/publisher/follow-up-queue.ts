// The waiting follow-ups of one publisher. A channel has at most one task of each kind under way at a time. A piece of work
// begins tasks until it is spent. The remaining tasks wait for the next piece of work.
import { PER_CHANNEL_MAX } from "../domain/channel-jobs.ts";
import type { FollowUpTask } from "../domain/job.ts";
import type { PieceOfWork } from "./piece-of-work.ts";

/** A task that has begun. Pass `name` to `end` when the task is over. */
export interface Begun {
  name: string;
  task: FollowUpTask;
}

export class FollowUpQueue {
  /** The waiting tasks by kind and channel, in order of arrival. */
  readonly #waiting = new Map<string, FollowUpTask>();
  readonly #underWay = new Set<string>();

  /** Adds a task, and merges it with a waiting task of the same kind and channel. */
  add(task: FollowUpTask): void {
    const name = getTaskName(task);
    const waitingTask = this.#waiting.get(name);
    if (waitingTask === undefined) this.#waiting.set(name, task);
    else if ("posts" in waitingTask && "posts" in task) {
      this.#waiting.set(name, { ...waitingTask, posts: [...new Set([...waitingTask.posts, ...task.posts])] });
    }
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#underWay.size === 0;
  }

  /** Begins the waiting tasks that have no task of the same name under way, until the piece of work is spent. */
  begin(piece: PieceOfWork): Begun[] {
    const startedTasks: Begun[] = [];
    for (const [name, waiting] of [...this.#waiting]) {
      if (piece.isSpent) break;
      if (this.#underWay.has(name)) continue;
      this.#underWay.add(name);
      startedTasks.push({ name, task: this.#take(name, waiting, PER_CHANNEL_MAX, piece) });
    }
    return startedTasks;
  }

  end(name: string): void {
    this.#underWay.delete(name);
  }

  /** Takes a single delivery of the next task. Returns null if no task waits or the piece of work is spent. */
  next(piece: PieceOfWork): Begun | null {
    const [first] = this.#waiting;
    if (first === undefined || piece.isSpent) return null;
    const task = this.#take(...first, 1, piece);
    return { name: `${first[0]}:${"posts" in task ? task.posts.join() : ""}`, task };
  }

  #take(name: string, task: FollowUpTask, postsMax: number, piece: PieceOfWork): FollowUpTask {
    const isMore = "posts" in task && task.posts.length > postsMax;
    const limitedTask = isMore ? { ...task, posts: task.posts.slice(0, postsMax) } : task;
    if (isMore) this.#waiting.set(name, { ...task, posts: task.posts.slice(postsMax) });
    else this.#waiting.delete(name);
    piece.followedUp("posts" in limitedTask ? limitedTask.posts.length : 1);
    return limitedTask;
  }
}

const getTaskName = ({ kind, channel, ...otherFields }: FollowUpTask): string =>
  `${kind}:${channel}${"minutes" in otherFields ? `:${otherFields.minutes}` : ""}`;
