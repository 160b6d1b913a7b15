// Our own limits in words, for docs/limits.md.
import * as limits from "../../../src/domain/limits.ts";
import { PREVIOUS_SECRET_LIFE_MS, WEBHOOK_ATTEMPTS_MAX, WEBHOOK_LOG_MS } from "../../../src/domain/webhook.ts";

const MIB = 1024 ** 2;

/** A time in its largest whole unit. */
export function time(ms: number): string {
  const units: [number, string][] = [
    [limits.DAY_MS, "day"],
    [limits.HOUR_MS, "hour"],
    [limits.MINUTE_MS, "minute"],
    [1_000, "second"],
  ];
  const [unit, name] = units.find(([unit]) => ms % unit === 0) ?? [1, "millisecond"];
  const count = ms / unit;
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}
const size = (bytes: number) => (bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`);
const count = (number: number) => number.toLocaleString("en");

export const limitRows = (): string[][] => [
  ["request body", size(limits.BODY_BYTES_MAX)],
  ["nesting depth of objects and arrays in a body", count(limits.BODY_DEPTH_MAX)],
  ["text of a post (networks have their own limits)", `${count(limits.TEXT_LENGTH_MAX)} characters`],
  ["channels per post", count(limits.CHANNELS_PER_POST_MAX)],
  ["files per post", count(limits.MEDIA_PER_POST_MAX)],
  ["`metadata` of a post", `${limits.METADATA_KEYS_MAX} keys, ${limits.METADATA_VALUE_LENGTH_MAX} characters a value`],
  ["image", size(limits.IMAGE_BYTES_MAX)],
  ["video", size(limits.VIDEO_BYTES_MAX)],
  ["alt text", `${count(limits.ALT_LENGTH_MAX)} characters`],
  ["address of a file", `${count(limits.URL_LENGTH_MAX)} characters`],
  ["lifetime of an upload address", time(limits.UPLOAD_URL_LIFE_MS)],
  ["retention of a stored file after its last post has finished", time(limits.STAGING_RETENTION_MS)],
  ["`publish_at` in the future", time(limits.PUBLISH_AHEAD_MAX_MS)],
  ["`publish_at` in the past that is treated as now", time(limits.PUBLISH_PAST_TOLERANCE_MS)],
  ["lateness after which a delivery is no longer sent", time(limits.DEADLINE_MS)],
  ["entries per page of a list", `${limits.LIST_LIMIT_DEFAULT}, at most ${limits.LIST_LIMIT_MAX}`],
  ["files per page of a list", `${limits.MEDIA_LIST_LIMIT_DEFAULT}, at most ${limits.LIST_LIMIT_MAX}`],
  ["approximate size of a page of a list (a larger page ends early, with a cursor)", size(limits.PAGE_BYTES_MAX)],
  ["file ids per request", count(limits.MEDIA_IDS_MAX)],
  ["days of analytics", limits.ANALYTICS_DAYS.join(" or ")],
  ["lifetime of a link to connect an account", time(limits.CONNECT_LINK_LIFE_MS)],
  ["lifetime of an invitation to a workspace", time(limits.INVITATION_LIFE_MS)],
  ["open invitations per workspace", count(limits.INVITATIONS_MAX)],
  ["named keys per workspace", count(limits.NAMED_KEYS_MAX)],
  ["channels that a named key can be limited to", count(limits.KEY_CHANNELS_MAX)],
  ["webhook endpoints per workspace", count(limits.WEBHOOKS_MAX)],
  ["attempts per webhook message", count(WEBHOOK_ATTEMPTS_MAX)],
  ["retention of events", time(limits.EVENTS_KEPT_MS)],
  ["retention of webhook attempts", time(WEBHOOK_LOG_MS)],
  ["time that a replaced webhook secret still signs", time(PREVIOUS_SECRET_LIFE_MS)],
  ["password", `${limits.PASSWORD_LENGTH_MIN} to ${limits.PASSWORD_LENGTH_MAX} characters`],
  ["email address", `${limits.EMAIL_LENGTH_MAX} characters`],
  ["name of a person or a workspace", `${limits.NAME_LENGTH_MAX} characters`],
  ["lifetime of an unused session", time(limits.SESSION_IDLE_MS)],
  ["maximum lifetime of a session", time(limits.SESSION_LIFE_MS)],
  ["sessions per user", count(limits.SESSIONS_PER_USER_MAX)],
  ["lifetime of a link that verifies an email address", time(limits.ADDRESS_LINK_LIFE_MS)],
  ["retention of an idempotency key after its post was cancelled or discarded", time(limits.IDEMPOTENCY_TOMBSTONE_MS)],
  ["lifetime of an OAuth code", time(limits.OAUTH_CODE_LIFE_MS)],
  ["lifetime of an OAuth access token", time(limits.OAUTH_ACCESS_LIFE_MS)],
  ["lifetime of an unused OAuth grant", time(limits.OAUTH_GRANT_IDLE_MS)],
  ["OAuth grants per user and workspace", count(limits.OAUTH_GRANTS_MAX)],
  ["lifetime of an unused registered OAuth client", time(limits.OAUTH_CLIENT_IDLE_MS)],
  ["registered OAuth clients that no user has authorized", count(limits.OAUTH_UNUSED_CLIENTS_MAX)],
];
