// The Durable Object of one lane of a workspace (-> publisher.ts for its work). The object is only an index of the
// database: if the object forgets work, the sweeper finds it.
import { DurableObject } from "cloudflare:workers";
import { compose } from "../compose.ts";
import type { FollowUpTask } from "../domain/job.ts";
import type { LookUpAnswer, LookUpRequest } from "../domain/option-lookup.ts";
import type { Env, PublisherRpc } from "../env.ts";
import { limitEnv, workLimits } from "../limited-work.ts";
import { Publisher as LanePublisher, type PublisherStorage } from "../publisher/publisher.ts";
import type { Lane } from "../store/deliveries/due.ts";

export class Publisher extends DurableObject<Env> implements PublisherRpc {
  readonly #publisher: LanePublisher;

  constructor(state: DurableObjectState, env: Env, storage: PublisherStorage = state.storage) {
    super(state, env);
    this.#publisher = new LanePublisher(
      storage,
      (allowance) => compose(limitEnv(env, allowance), (work) => state.waitUntil(work), { allowance }),
      workLimits(env),
    );
  }

  get isAtWork(): boolean {
    return this.#publisher.isAtWork;
  }

  async arm(lane: Lane, dueAt: number): Promise<void> {
    await this.#publisher.arm(lane, dueAt);
  }

  async followUp(lane: Lane, ...tasks: FollowUpTask[]): Promise<void> {
    await this.#publisher.followUp(lane, ...tasks);
  }

  async lookUp(lane: Lane, request: LookUpRequest, mode: "kept" | "anew"): Promise<LookUpAnswer | null> {
    return this.#publisher.lookUp(lane, request, mode);
  }

  async clear(): Promise<void> {
    await this.#publisher.clear();
  }

  override async alarm(): Promise<void> {
    await this.#publisher.alarm();
  }
}
