import type { Context } from "../context.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { platforms } from "../networks/index.ts";
import { overdueWork } from "../store/overdue.ts";
import { publishes } from "./platforms/publishes.ts";

/** Younger work is on its ordinary way. */
const OVERDUE_AFTER_MS = MINUTE_MS;

export interface Health {
  status: "ok";
  provider: "live" | "sandbox";
  version: string;
  /** Platforms that this deployment publishes to. */
  publishes: string[];
  /** Deliveries that are due and late, up to a thousand of each database. */
  scheduler: { overdue: number; oldest_overdue_seconds: number };
}

export async function health(ctx: Context): Promise<Health> {
  const { provider, version } = ctx.settings;
  const work = await Promise.all(ctx.databases.map((db) => overdueWork(db, OVERDUE_AFTER_MS)));
  const overdue = work.reduce((sum, { overdue }) => sum + overdue, 0);
  const oldestMs = Math.max(0, ...work.map(({ oldestMs }) => oldestMs));
  return {
    status: "ok",
    provider,
    version,
    publishes: platforms.map(({ rule }) => rule.platform).filter((name) => publishes(ctx, name) !== "not_configured"),
    scheduler: { overdue, oldest_overdue_seconds: Math.round(oldestMs / 1000) },
  };
}
