// What each operation asks of a person's role, written out: a new operation is put here on purpose.
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

const all = Object.entries<Operation>(operations);

const NEEDS: Record<Role, string[]> = {
  viewer: [
    "analytics.days",
    "analytics.posts",
    "analytics.read",
    "channels.list",
    "channels.options",
    "channels.requests",
    // Their own; those of others are the owners'.
    "connections.end",
    "connections.list",
    "events.list",
    "media.get",
    "media.list",
    "members.list",
    // Themselves; others are the owners' to remove.
    "members.remove",
    // Their own mails.
    "notifications.read",
    "notifications.set",
    "posts.csv",
    "posts.decision",
    "posts.get",
    "posts.labels",
    "posts.list",
    "slots.next",
    "slots.read",
    "usage.read",
    "webhooks.attempts",
    "webhooks.list",
    "workspaces.current",
    "workspaces.export",
    "workspaces.get",
    "workspaces.take-ownership",
  ],
  // Of posts: drafts. What is scheduled, or is to be, asks for a publisher.
  author: [
    "media.describe",
    "media.register",
    "media.request-upload",
    "posts.create",
    "posts.import",
    "posts.remove",
    "posts.update",
  ],
  publisher: [
    "media.remove",
    "posts.approve",
    "posts.create-review-link",
    "posts.decline",
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

it("every operation of a workspace names what a role must allow, and no other does", () => {
  for (const [name, { auth, path, ability }] of all) {
    const isOfWorkspace = isInWorkspace(auth) || (auth === "session" && path.startsWith("/v1/workspaces/:id"));
    expect(ability !== undefined, name).toBe(isOfWorkspace);
  }
});

it("asks of each operation the role that it is written down with", () => {
  const needed = Map.groupBy(
    all.filter(([, { ability }]) => ability !== undefined),
    ([, operation]) => getMinimumRole(operation) ?? "viewer",
  );
  const names = Object.fromEntries([...needed].map(([role, found]) => [role, found.map(([name]) => name).sort()]));
  expect(names).toEqual(NEEDS);
});

/** What a key of one scope may call; what is not here is for sessions, or for everybody. */
const OPENS: Record<Scope, string[]> = {
  read: NEEDS.viewer.filter(
    (name) => !/^(connections|members|notifications|workspaces.take-o|workspaces.get)/.test(name),
  ),
  draft: NEEDS.author,
  publish: [
    ...NEEDS.author,
    "posts.approve",
    "posts.create-review-link",
    "posts.decline",
    "posts.end-review-link",
    "posts.retry-delivery",
    "posts.take-down",
  ].sort(),
  manage: [
    "media.remove",
    ...NEEDS.owner.filter((name) => /^(channels|webhooks|workspaces.set-t)/.test(name)),
    "slots.set",
  ].sort(),
};

it("opens to each scope what it is written down with: no scope includes another", () => {
  for (const scope of SCOPES) {
    const opened = all.filter(([, operation]) => getScopes(operation).includes(scope)).map(([name]) => name);
    expect(opened.sort(), scope).toEqual(OPENS[scope]);
  }
  for (const [name, operation] of all) {
    const isForKeys = operation.auth === "key_or_session";
    expect(getScopes(operation).length > 0, name).toBe(isForKeys);
  }
});

it("gives a role all that the smaller ones have, and an owner everything", () => {
  const had = new Set<AbilityName>();
  for (const role of ROLES) {
    for (const ability of had) expect(allows(role, ability), `${role} ${ability}`).toBe(true);
    for (const ability of ABILITY_NAMES) if (allows(role, ability)) had.add(ability);
  }
  expect(had.size).toBe(ABILITY_NAMES.length);
  expect(ROLES.map((role) => ABILITY_NAMES.filter((ability) => allows(role, ability)).length)).toEqual([1, 3, 6, 12]);
});

it("reads who was a member before there were roles as a publisher, and what is no role as the smallest", () => {
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
