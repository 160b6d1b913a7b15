// The hands of one queue batch, and what they share: connections, and trips to the database.
import type { Context } from "../context.ts";
import type { Database } from "../store/db.ts";
import { Connections } from "./connections.ts";
import { SharedTrips } from "./shared-trips.ts";

export class Crew {
  readonly ctx: Context;
  readonly connections = new Connections();
  /** Deliveries whose state was written. */
  settled = 0;
  readonly #trips = new Map<Database, SharedTrips>();

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /** Trips to the database that holds a workspace's rows. */
  tripsFor(workspaceId: string): SharedTrips {
    const db = this.ctx.databaseOf(workspaceId);
    const trips = this.#trips.get(db) ?? new SharedTrips(db, this.ctx.pause);
    this.#trips.set(db, trips);
    return trips;
  }
}
