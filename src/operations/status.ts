import type { Context } from "../context.ts";
import type { Result } from "../contract/operation.ts";
import type { readStatus as contract } from "../contract/status.ts";
import { summarizeOutcomes } from "../domain/lateness.ts";
import { STATUS_KEPT_MS } from "../domain/limits.ts";
import { networks } from "../networks/index.ts";
import { keepAnswers } from "./keep-answers.ts";
import { publishes } from "./platforms/publishes.ts";
import type { Run } from "./run.ts";

export const readStatus: Run<typeof contract> = keepAnswers(STATUS_KEPT_MS, readOutcomes);

async function readOutcomes(ctx: Context): Promise<Result<typeof contract>> {
  const now = ctx.now();
  const slots = await ctx.outcomes.read();
  const platforms = networks
    .map(({ rule }) => rule.platform)
    .filter((name) => publishes(ctx, name) !== "not_configured");
  const platformStatuses = platforms.map((platform) => {
    const { published, failedTries, p50Ms, p99Ms, isFailing } = summarizeOutcomes(platform, slots, now);
    return {
      platform,
      failing: isFailing,
      published,
      failed_tries: failedTries,
      lateness_seconds: p50Ms === null || p99Ms === null ? null : { p50: p50Ms / 1000, p99: p99Ms / 1000 },
    };
  });
  return {
    as_of: new Date(now).toISOString(),
    failing: platformStatuses.filter(({ failing }) => failing).map(({ platform }) => platform),
    networks: platformStatuses,
  };
}
