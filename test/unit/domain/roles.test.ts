// The role that each operation requires. A new operation must be added here on purpose.
import { expect, it } from "vitest";
import { operations } from "../../../src/contract/index.ts";
import { getMinimumRole, getScopes, isInWorkspace, type Operation } from "../../../src/contract/operation.ts";
import {
  ABILITY_NAMES,
  type AbilityName,
  allows,
  ROLES,
  type Role,
  readRole,
  SCOPES,
  type Scope,
} from "../../../src/domain/roles.ts";

const allOperations = Object.entries<Operation>(operations);

const NEEDS: Record<Role, string[]> = {
  viewer: [
    "analytics.channels",
    "analytics.days",
    "analytics.posts",
    "analytics.read",
    "channel-groups.list",
    "channels.get",
    "channels.list",
    "channels.options",
    "channels.requests",
    "comments.list",
    // Only the person's own connections; owners may end those of others.
    "connections.end",
    "connections.list",
    "events.list",
    "feeds.list",
    "media.get",
    "media.list",
    "members.list",
    // Only to leave the workspace; owners may remove others.
    "members.remove",
    // Only the person's own mails.
    "notifications.read",
    "notifications.set",
    "posts.csv",
    "posts.decision",
    "posts.get",
    "posts.labels",
    "posts.list",
    "posts.receipt",
    "reports.create",
    "slots.next",
    "slots.read",
    "snippets.list",
    "usage.read",
    "webhooks.attempts",
    "webhooks.list",
    "workspaces.current",
    "workspaces.export",
    "workspaces.get",
    "workspaces.take-ownership",
  ],
  // Authors may only write drafts. Scheduled posts require a publisher.
  author: [
    "comments.create",
    "media.abort-upload",
    "media.complete-upload",
    "media.describe",
    "media.register",
    "media.request-chunk-addresses",
    "media.request-chunked-upload",
    "media.request-upload",
    "posts.bulk",
    "posts.create",
    "posts.import",
    "posts.remove",
    "posts.stop-repeat",
    "posts.update",
    "snippets.change",
    "snippets.create",
    "snippets.remove",
  ],
  publisher: [
    "channel-groups.change",
    "channel-groups.create",
    "channel-groups.remove",
    "feeds.change",
    "feeds.create",
    "feeds.remove",
    "media.remove",
    "portals.change",
    "portals.create",
    "portals.list",
    "portals.remove",
    "posts.approve",
    "posts.create-review-link",
    "posts.decline",
    "posts.edit-live-text",
    "posts.end-review-link",
    "posts.retry-delivery",
    "posts.take-down",
    "slots.set",
  ],
  owner: [
    "audit.csv",
    "audit.list",
    "channels.connect",
    "channels.disconnect",
    "channels.request-connector",
    "channels.start-connect",
    "keys.change",
    "keys.create",
    "keys.list",
    "keys.revoke",
    "members.change-role",
    "members.invite",
    "members.reset-factors",
    "members.withdraw-invitation",
    "webhooks.change",
    "webhooks.create",
    "webhooks.redeliver",
    "webhooks.remove",
    "webhooks.rotate-secret",
    "webhooks.test",
    "workspaces.delete",
    "workspaces.rename",
    "workspaces.reveal-key",
    "workspaces.rotate-key",
    "workspaces.set-timezone",
  ],
};

it("every operation of a workspace names an ability, and no other operation does", () => {
  for (const [name, { auth, path, ability }] of allOperations) {
    const isOfWorkspace = isInWorkspace(auth) || (auth === "session" && path.startsWith("/v1/workspaces/:id"));
    expect(ability !== undefined, name).toBe(isOfWorkspace);
  }
});

it("each operation requires the role under which it is listed", () => {
  const byRole = Map.groupBy(
    allOperations.filter(([, { ability }]) => ability !== undefined),
    ([, operation]) => getMinimumRole(operation) ?? "viewer",
  );
  const names = Object.fromEntries(
    [...byRole].map(([role, roleOperations]) => [role, roleOperations.map(([name]) => name).sort()]),
  );
  expect(names).toEqual(NEEDS);
});

/** The operations that a key with one scope may call. All others need a session, or are public. */
const OPENS: Record<Scope, string[]> = {
  read: NEEDS.viewer.filter(
    (name) => !/^(connections|members|notifications|workspaces.take-o|workspaces.get)/.test(name),
  ),
  draft: NEEDS.author,
  publish: [
    ...NEEDS.author,
    "portals.change",
    "portals.create",
    "portals.list",
    "portals.remove",
    "posts.approve",
    "posts.create-review-link",
    "posts.decline",
    "posts.edit-live-text",
    "posts.end-review-link",
    "posts.retry-delivery",
    "posts.take-down",
  ].sort(),
  manage: [
    "channel-groups.change",
    "channel-groups.create",
    "channel-groups.remove",
    "feeds.change",
    "feeds.create",
    "feeds.remove",
    "media.remove",
    ...NEEDS.owner.filter((name) => /^(channels|webhooks|workspaces.set-t)/.test(name)),
    "slots.set",
  ].sort(),
};

it("each scope allows exactly the operations under which it is listed, so no scope includes another", () => {
  for (const scope of SCOPES) {
    const opened = allOperations.filter(([, operation]) => getScopes(operation).includes(scope)).map(([name]) => name);
    expect(opened.sort(), scope).toEqual(OPENS[scope]);
  }
  for (const [name, operation] of allOperations) {
    const isForKeys = operation.auth === "key_or_session";
    expect(getScopes(operation).length > 0, name).toBe(isForKeys);
  }
});

it("each role has all abilities of the lesser roles, and an owner has all abilities", () => {
  const allowed = new Set<AbilityName>();
  for (const role of ROLES) {
    for (const ability of allowed) expect(allows(role, ability), `${role} ${ability}`).toBe(true);
    for (const ability of ABILITY_NAMES) if (allows(role, ability)) allowed.add(ability);
  }
  expect(allowed.size).toBe(ABILITY_NAMES.length);
  expect(ROLES.map((role) => ABILITY_NAMES.filter((ability) => allows(role, ability)).length)).toEqual([1, 5, 10, 16]);
});

it("the old role `member` is read as a publisher, and an unknown role as the least one", () => {
  expect(["owner", "publisher", "author", "viewer", "member", "", "admin"].map(readRole)).toEqual([
    "owner",
    "publisher",
    "author",
    "viewer",
    "publisher",
    "viewer",
    "viewer",
  ]);
});
