// The permissions that an app requests, and those that the owner of an account granted.
import type { PermissionRule, PlatformRule } from "../../domain/posts/platform-rule.ts";
import type { App } from "../network.ts";

/** The permissions of a network that signs in with OAuth. Throws if its rule has none. */
export function getPermissions({ platform, permissions }: PlatformRule): PermissionRule {
  if (permissions === undefined) throw new Error(`the rule of ${platform} has no permissions`);
  return permissions;
}

/** The scopes to request: the operator's own list, or the default list of the network's rule. */
export const scopesToAsk = (permissions: PermissionRule, app: Pick<App, "scopes"> | null): string[] =>
  app?.scopes ?? permissions.asked;

/**
 * The permissions that publishing needs in addition to `granted`; empty if they suffice. Several sets of permissions may be
 * sufficient, so this lists what the set with the most granted permissions lacks.
 */
export function missingToPublish({ sufficient }: PermissionRule, granted: readonly string[]): string[] {
  const sets = sufficient.map((scopes) => ({
    missing: scopes.filter((scope) => !granted.includes(scope)),
    grantedCount: scopes.filter((scope) => granted.includes(scope)).length,
  }));
  const enough = sets.find(({ missing }) => missing.length === 0);
  const [nearest] = sets.toSorted((a, b) => b.grantedCount - a.grantedCount);
  return (enough ?? nearest)?.missing ?? [];
}

/** The optional permissions that `granted` lacks. */
export const missingOptional = ({ optional }: PermissionRule, granted: readonly string[]): string[] =>
  Object.keys(optional).filter((scope) => !granted.includes(scope));
