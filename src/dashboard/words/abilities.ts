// Why a member may not do something.
import { ABILITIES, type AbilityName, type Role } from "../../domain/roles.ts";

const ACTIONS: Record<AbilityName, string> = {
  read: "see this",
  draft: "write drafts",
  add_media: "add and describe files",
  comment: "comment on posts",
  write_snippets: "save texts and hashtags",
  manage_groups: "change groups of channels",
  publish: "schedule and publish posts",
  delete_media: "delete files",
  manage_feeds: "manage feeds",
  manage_slots: "change the slots",
  manage_channels: "connect and disconnect accounts",
  manage_webhooks: "manage webhooks",
  manage_key: "manage keys",
  manage_members: "manage members",
  read_audit: "see the audit log",
  manage_workspace: "change these settings",
};
const SMALLEST: Record<Role, string> = {
  viewer: "members",
  author: "authors, publishers and owners",
  publisher: "publishers and owners",
  owner: "owners",
};

/** "Only owners can manage keys. You're a viewer." */
export const explainRole = (ability: AbilityName, role: Role): string =>
  `Only ${SMALLEST[ABILITIES[ability].from]} can ${ACTIONS[ability]}. You're ${/^[aeiou]/.test(role) ? "an" : "a"} ${role}.`;
