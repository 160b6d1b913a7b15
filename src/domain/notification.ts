// The mails that members of a workspace can have, and those that are on without having asked.

/** Everything that a member can turn on and off, as it is called on the wire. */
export const NOTIFICATION_KINDS = [
  "delivery_failed",
  "delivery_at_risk",
  "token_expiring",
  "approval_requested",
  "version_ending",
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
/** What members are noticed of. */
export type NoticeKind = NotificationKind;

export type NotificationSettings = Record<NotificationKind, boolean>;

/** The mails that an owner gets until they say otherwise: what went wrong already, and what only they can mend. */
const OWNER_DEFAULTS: NotificationSettings = {
  delivery_failed: true,
  delivery_at_risk: false,
  token_expiring: true,
  approval_requested: false,
  version_ending: true,
};
const NONE: NotificationSettings = {
  delivery_failed: false,
  delivery_at_risk: false,
  token_expiring: false,
  approval_requested: false,
  version_ending: false,
};

/** The settings of a member who has not changed them. */
export function defaultNotifications(role: string): NotificationSettings {
  return role === "owner" ? OWNER_DEFAULTS : NONE;
}

/** What mails of a kind are about, as it follows "Mails about". */
export const NOTIFICATION_WORDS: Record<NotificationKind, string> = {
  delivery_failed: "failed deliveries",
  delivery_at_risk: "deliveries that would fail",
  token_expiring: "channels whose access ends",
  approval_requested: "posts that wait for approval",
  version_ending: "versions of networks that end",
};

export function isNotificationKind(value: string): value is NotificationKind {
  return NOTIFICATION_KINDS.some((kind) => kind === value);
}
