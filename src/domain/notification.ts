// The mails that members of a workspace can get, and which of them are on by default.

/** Every notification that a member can turn on and off, under its wire name. */
export const NOTIFICATION_KINDS = [
  "delivery_failed",
  "delivery_at_risk",
  "token_expiring",
  "approval_requested",
  "version_ending",
  "mentioned",
  "queue_low",
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
/** The kinds of notices that members get. */
export type NoticeKind = NotificationKind;

export type NotificationSettings = Record<NotificationKind, boolean>;

/** The default mails of an owner: failures that have happened already, and problems that only an owner can fix. */
const OWNER_DEFAULTS: NotificationSettings = {
  delivery_failed: true,
  delivery_at_risk: false,
  token_expiring: true,
  approval_requested: false,
  version_ending: true,
  mentioned: true,
  queue_low: true,
};
/** The default mails of other members: somebody addressed them. */
const MEMBER_DEFAULTS: NotificationSettings = {
  delivery_failed: false,
  delivery_at_risk: false,
  token_expiring: false,
  approval_requested: false,
  version_ending: false,
  mentioned: true,
  queue_low: false,
};

/** The settings of a member who has not changed them. */
export function defaultNotifications(role: string): NotificationSettings {
  return role === "owner" ? OWNER_DEFAULTS : MEMBER_DEFAULTS;
}

/** The subject of each kind of mail, to follow "Mails about". */
export const NOTIFICATION_WORDS: Record<NotificationKind, string> = {
  delivery_failed: "failed deliveries",
  delivery_at_risk: "deliveries at risk of failing",
  token_expiring: "channels whose access expires",
  approval_requested: "posts awaiting approval",
  version_ending: "network API versions that are being retired",
  mentioned: "comments that mention you",
  queue_low: "channels whose queue runs low",
};

export function isNotificationKind(value: string): value is NotificationKind {
  return NOTIFICATION_KINDS.some((kind) => kind === value);
}
