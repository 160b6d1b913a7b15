// The abilities of each member role, and of each key scope. A role includes all abilities of the smaller ones; scopes do not
// include one another. Roles apply to people, scopes to keys: the workspace's own key has all of them.

/** From the smallest to the largest. */
export const ROLES = ["viewer", "author", "publisher", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** The role of an invitation that names no role. A viewer can read, and cannot change anything. */
export const ROLE_DEFAULT: Role = "viewer";

/** The scopes of a key. */
export const SCOPES = ["read", "draft", "publish", "manage"] as const;
export type Scope = (typeof SCOPES)[number];

interface Ability {
  /** The smallest role with this ability. */
  from: Role;
  /** Each of these scopes gives the ability to a key. If the list is empty, no key has the ability. */
  scopes: readonly Scope[];
  /** In words, after "may". */
  what: string;
}
const from = (role: Role, scopes: readonly Scope[], description: string): Ability => ({
  from: role,
  scopes,
  what: description,
});

export const ABILITIES = {
  read: from("viewer", ["read"], "read posts, files, channels, webhooks, events, figures, usage and members"),
  draft: from("author", ["draft"], "write, edit, check and discard drafts"),
  add_media: from("author", ["draft", "publish"], "upload, register and describe files"),
  publish: from(
    "publisher",
    ["publish"],
    "publish and schedule posts, edit and cancel scheduled ones, retry failed deliveries",
  ),
  delete_media: from("publisher", ["manage"], "delete files"),
  comment: from("author", ["draft", "publish"], "comment on posts"),
  write_snippets: from("author", ["draft", "publish"], "create, change and delete snippets"),
  manage_groups: from("publisher", ["manage"], "create, change and delete channel groups"),
  manage_feeds: from("publisher", ["manage"], "add, change and delete feeds"),
  manage_slots: from("publisher", ["manage"], "set the slots"),
  manage_channels: from("owner", ["manage"], "connect and disconnect channels, request platforms"),
  manage_webhooks: from("owner", ["manage"], "register, test and remove webhooks, redeliver, replace their secrets"),
  manage_key: from("owner", [], "view and replace the workspace key, create and revoke named keys"),
  manage_members: from(
    "owner",
    [],
    "invite members, change their roles, remove them, revoke any member's applications",
  ),
  read_audit: from("owner", [], "read the audit log"),
  manage_workspace: from("owner", ["manage"], "change the workspace's name and time zone, delete it"),
} as const satisfies Record<string, Ability>;

/** The name of an ability in a workspace. */
export type AbilityName = keyof typeof ABILITIES;
export const ABILITY_NAMES = Object.keys(ABILITIES).filter((name): name is AbilityName => name in ABILITIES);

/** Whether a role has an ability. */
export const allows = (role: Role, ability: AbilityName) =>
  ROLES.indexOf(role) >= ROLES.indexOf(ABILITIES[ability].from);

/** Whether one of a key's scopes gives it an ability. */
export const gives = (scopes: readonly Scope[], ability: AbilityName) =>
  ABILITIES[ability].scopes.some((scope) => scopes.includes(scope));

/** Reads a stored role. Members from before roles existed could publish; any other unknown value is not a role. */
export const readRole = (stored: string): Role =>
  stored === "member" ? "publisher" : (ROLES.find((role) => role === stored) ?? "viewer");
