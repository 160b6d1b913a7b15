// The interface of a simulator. This folder has one file per network; server.ts loads every file that it does not list as
// something else.
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { Faults } from "./faults.ts";
import type { PublicFiles } from "./files.ts";
import type { Ledger } from "./ledger.ts";
import type { State } from "./state.ts";

export interface World {
  ledger: Ledger;
  faults: Faults;
  files: PublicFiles;
  /** Where a simulator stores all of its state, under names with its own prefix. */
  state: State;
  /** The chunks of uploads are, and may be, this many times smaller than at the networks. */
  chunksDivisor: number;
  /** The address of all simulators, without a trailing slash. */
  origin(): string;
}

export interface SimulatorEnv {
  Bindings: HttpBindings;
}

export interface Simulator {
  platform: string;
  /** The network's own paths. */
  app: Hono<SimulatorEnv>;
  /** Expires the account's access token until it is renewed. False: there is no such token. */
  expireToken(account: string): boolean;
  /** The user removes a post. */
  remove(id: string): void;
  /** Forgets everything, or everything of one account. */
  reset(account?: string): void;
  /** The network's own names of all its calls, for fault matching. */
  calls: Iterable<string>;
  /** The network's own names of the calls that publish: by post type, `default` for all others. */
  publishCalls: Record<string, string>;
  /** An account for the demo of the local run. */
  demo: {
    handle: string;
    credentials: Record<string, string>;
    /** Options that the network requires in an override. */
    options?: Record<string, unknown>;
  };
}

/** The exports of a simulator's file. */
export interface SimulatorModule {
  createSimulator(world: World): Simulator;
}
