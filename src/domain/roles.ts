// What each role of a member allows. A role includes all that the smaller ones allow. Roles bind people: a workspace key acts
// for the workspace itself, wherever a key may be used at all.

/** From the smallest to the largest. */
export const ROLES = ["viewer", "author", "publisher", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** The role of an invitation that names none: it reads, and changes nothing. */
export const ROLE_DEFAULT: Role = "viewer";

interface Ability {
  /** The smallest role that has it. */
  from: Role;
  /** In words, after "may". */
  what: string;
}
const from = (role: Role, what: string): Ability => ({ from: role, what });

export const ABILITIES = {
  read: from("viewer", "read posts, files, channels, webhooks, events, figures, use and members"),
  draft: from("author", "write, edit, check and discard drafts"),
  add_media: from("author", "upload, register and describe files"),
  publish: from(
    "publisher",
    "publish and schedule posts, edit and cancel scheduled ones, send a failed delivery again",
  ),
  delete_media: from("publisher", "delete files"),
  manage_channels: from("owner", "connect and disconnect channels, ask for platforms"),
  manage_webhooks: from("owner", "register, test and remove webhooks, redeliver, replace their secrets"),
  manage_key: from("owner", "see and replace the workspace key"),
  manage_members: from("owner", "invite members, change their roles, remove them, end anybody's applications"),
  manage_workspace: from("owner", "change the workspace's name and clock, delete it"),
} as const satisfies Record<string, Ability>;

/** Something in a workspace that not every role allows. */
export type AbilityName = keyof typeof ABILITIES;
export const ABILITY_NAMES = Object.keys(ABILITIES).filter((name): name is AbilityName => name in ABILITIES);

/** Whether a role allows something. */
export const allows = (role: Role, ability: AbilityName) =>
  ROLES.indexOf(role) >= ROLES.indexOf(ABILITIES[ability].from);

/** The role as it is stored. Those whom an owner added before there were roles could publish; nothing else is a role. */
export const readRole = (stored: string): Role =>
  stored === "member" ? "publisher" : (ROLES.find((role) => role === stored) ?? "viewer");
