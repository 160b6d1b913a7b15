// The publisher of a lane in the simulation: the real logic in an object that has only the platform's guarantees.
import type { FollowUpTask } from "../../src/domain/job.ts";
import type { LookUpAnswer, LookUpRequest } from "../../src/domain/option-lookup.ts";
import { Publisher } from "../../src/publisher/publisher.ts";
import type { Lane } from "../../src/store/deliveries/due.ts";
import { SimulatedObject } from "./objects.ts";
import type { World } from "./world.ts";

export interface PublisherLogic {
  arm(lane: Lane, at: number): Promise<void>;
  followUp(lane: Lane, ...tasks: FollowUpTask[]): Promise<void>;
  lookUp(lane: Lane, request: LookUpRequest, how: "kept" | "anew"): Promise<LookUpAnswer | null>;
  clear(): Promise<void>;
  alarm(): Promise<void>;
}

export const createPublisher = (world: World, workspace: string, lane: number): SimulatedObject<PublisherLogic> =>
  new SimulatedObject<PublisherLogic>(
    world,
    `publisher ${workspace}:${lane}`,
    workspace,
    (storage, process) => new Publisher(storage, () => world.createContext(process)),
  );
