// Networks whose accounts differ: some pay for more room, some are connected in a way that allows more.
import type { TierRule } from "./platform-rule.ts";

interface Tiered extends Omit<TierRule, "takedown" | "only_options"> {
  takedown: boolean;
  tiers?: Record<string, TierRule> | undefined;
}

/** The rule for an account of this tier. Without a known tier, the network's own rule applies. */
export function applyTier<Rule extends Tiered>(rule: Rule, tier: string | null): Rule {
  const limits = tier === null ? undefined : rule.tiers?.[tier];
  if (limits === undefined) return rule;
  const { only_options: _, ...differences } = limits;
  return { ...rule, ...differences };
}

/** The options that only accounts of other tiers have. */
export const listForeignOptions = (tiers: Record<string, TierRule> | undefined, tier: string | null): string[] =>
  Object.entries(tiers ?? {}).flatMap(([name, limits]) => (name === tier ? [] : (limits.only_options ?? [])));
