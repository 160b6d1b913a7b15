// Networks whose accounts have more room if they pay for it.
import type { TierRule } from "./platform-rule.ts";

/** The rule for an account of this tier. Without a known tier, the network's own limits apply. */
export function applyTier<Rule extends TierRule & { tiers?: Record<string, TierRule> | undefined }>(
  rule: Rule,
  tier: string | null,
): Rule {
  const limits = tier === null ? undefined : rule.tiers?.[tier];
  return limits === undefined ? rule : { ...rule, ...limits };
}
