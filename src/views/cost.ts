// Converts the cost of a delivery to its wire form.
import type { CostShown } from "../contract/cost.ts";
import { toUsd } from "../domain/money.ts";
import { type Cost, totalCost } from "../domain/posts/price.ts";

export function costView(cost: Cost | null): CostShown {
  if (cost === null) return { estimated_cost_usd: null, cost: null };
  const { publish, rechecks, metrics } = cost;
  return {
    estimated_cost_usd: toUsd(totalCost(cost)),
    cost: { publish: toUsd(publish), rechecks: toUsd(rechecks), metrics: toUsd(metrics) },
  };
}
