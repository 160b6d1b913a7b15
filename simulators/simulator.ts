// What a simulator is. One file per network beside this one; server.ts loads each that it does not know as something else.
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
  /** Where a simulator has all that it remembers, under names that begin with its own. */
  state: State;
  /** Parts of uploads are, and may be, so many times smaller than at the networks. */
  partsDivisor: number;
  /** Where all simulators answer, without a slash at the end. */
  origin(): string;
}

export interface SimulatorEnv {
  Bindings: HttpBindings;
}

export interface Simulator {
  platform: string;
  /** The network's own paths. */
  app: Hono<SimulatorEnv>;
  /** From now on the account's access token has expired, until it is renewed. False: there is no such token. */
  expireToken(account: string): boolean;
  /** The user removes a post. */
  remove(id: string): void;
  /** Forgets everything, or everything of one account. */
  reset(account?: string): void;
  /** The network's own names of all its calls, for the faults. */
  calls: Iterable<string>;
  /** The network's own names of the calls that publish: by post type, `default` for all others. */
  publishCalls: Record<string, string>;
  /** An account for the demo of the local run. */
  demo: {
    handle: string;
    credentials: Record<string, string>;
    /** What the network cannot do without in an override. */
    options?: Record<string, unknown>;
  };
}

/** What a simulator's file exports. */
export interface SimulatorModule {
  createSimulator(world: World): Simulator;
}
