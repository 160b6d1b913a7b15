// The work of a publisher before and after publishing: pre-flight, rechecks, metrics, first comments, renewals. Each channel
// has one task of each kind at a time, during its deliveries and after them. If a task is forgotten, the sweeper finds it.
import { errorText, log } from "../adapters/log.ts";
import { nameFollowUpStep, nextFollowUpStep } from "../domain/delivery/follow-up.ts";
import type { AfterPublishTask, FollowUpTask } from "../domain/job.ts";
import { type FollowUpTools, workAfterPublish } from "../follow-up/after-publish.ts";
import { giveUpFollowUp } from "../follow-up/give-up.ts";
import { preflight } from "../follow-up/preflight.ts";
import { readOrHold } from "../follow-up/read.ts";
import { renewCredential } from "../follow-up/renew-credential.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { FollowUpQueue } from "./follow-up-queue.ts";
import type { PieceOfWork } from "./piece-of-work.ts";
import type { Starts } from "./starts.ts";

export class FollowUps {
  readonly #lane: Lane;
  readonly #queue = new FollowUpQueue();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Adds a task, and merges it with a waiting task of the same kind and channel. */
  add(task: FollowUpTask): void {
    this.#queue.add(task);
  }

  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  /** Begins the waiting tasks whose channel is free, as far as the piece of work has room. Calls `ended` after each task. */
  start(tools: FollowUpTools, piece: PieceOfWork, ended: () => void): void {
    for (const { name, task } of this.#queue.begin(piece)) {
      void this.#work(tools, task).finally(() => {
        this.#queue.end(name);
        ended();
      });
    }
  }

  /** Runs the waiting tasks one at a time. This is needed after the publisher has started several times without an end. */
  async workAlone(tools: FollowUpTools, starts: Starts, piece: PieceOfWork): Promise<void> {
    for (let nextTask = this.#queue.next(piece); nextTask !== null; nextTask = this.#queue.next(piece)) {
      const { name, task } = nextTask;
      if (task.kind === "after_publish") await this.#workStepAlone(tools, task, name, starts);
      else if (starts.isHopeless(name)) this.#logGivenUp(task);
      else await starts.alone(name, () => this.#work(tools, task));
    }
  }

  /** Counts the steps of a follow-up separately, so that no step is given up because of another step. */
  async #workStepAlone(tools: FollowUpTools, task: AfterPublishTask, name: string, starts: Starts): Promise<void> {
    const { workspaceId } = this.#lane;
    const { ctx } = tools;
    for (const postId of task.posts) {
      const key = { workspaceId, postId, channelId: task.channel };
      const read = await readOrHold(ctx, key);
      if (read === null) continue;
      const step = nextFollowUpStep(read.delivery, read.followUps);
      const stage = `${name}:${nameFollowUpStep(step)}`;
      if (starts.isHopeless(stage)) await giveUpFollowUp(tools, read, step);
      else await starts.alone(stage, () => this.#work(tools, task));
    }
  }

  async #work(tools: FollowUpTools, task: FollowUpTask): Promise<void> {
    try {
      switch (task.kind) {
        case "after_publish":
          return await workAfterPublish(tools, this.#lane, task);
        case "preflight":
          return await preflight(tools, this.#lane, task);
        case "renew_credential":
          return await renewCredential(tools, this.#lane, task.channel);
      }
    } catch (error) {
      const { workspaceId: workspace } = this.#lane;
      log("error", "follow_up_failed", { workspace, operation: task.kind, error: errorText(error) });
    }
  }

  #logGivenUp(task: FollowUpTask): void {
    log("error", "follow_up_given_up", { workspace: this.#lane.workspaceId, operation: task.kind });
  }
}
