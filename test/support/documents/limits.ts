// Crier's limits in words, for docs/limits.md.
import * as limits from "../../../src/domain/limits.ts";
import { PREVIOUS_SECRET_LIFE_MS, WEBHOOK_ATTEMPTS_MAX, WEBHOOK_LOG_MS } from "../../../src/domain/webhook.ts";

const MIB = 1024 ** 2;

/** Formats a time in its largest whole unit. */
export function formatTime(ms: number): string {
  const units: [number, string][] = [
    [limits.DAY_MS, "day"],
    [limits.HOUR_MS, "hour"],
    [limits.MINUTE_MS, "minute"],
    [1_000, "second"],
  ];
  const [unit, name] = units.find(([unit]) => ms % unit === 0) ?? [1, "millisecond"];
  const formatCount = ms / unit;
  return `${formatCount.toLocaleString("en")} ${name}${formatCount === 1 ? "" : "s"}`;
}
const formatSize = (bytes: number) => (bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`);
const formatCount = (number: number) => number.toLocaleString("en");

export const limitRows = (): string[][] => [
  ["request body", formatSize(limits.BODY_BYTES_MAX)],
  ["nesting depth of objects and arrays in a body", formatCount(limits.BODY_DEPTH_MAX)],
  ["text of a post (networks have their own limits)", `${formatCount(limits.TEXT_LENGTH_MAX)} characters`],
  ["channels per post", formatCount(limits.CHANNELS_PER_POST_MAX)],
  ["files per post", formatCount(limits.MEDIA_PER_POST_MAX)],
  ["`metadata` of a post", `${limits.METADATA_KEYS_MAX} keys, ${limits.METADATA_VALUE_LENGTH_MAX} characters a value`],
  ["image", formatSize(limits.IMAGE_BYTES_MAX)],
  ["video in one piece", formatSize(limits.VIDEO_BYTES_MAX)],
  ["video in chunks", `${limits.CHUNKED_VIDEO_BYTES_MAX / 1e9} GB`],
  ["chunk of a video", formatSize(limits.UPLOAD_CHUNK_BYTES)],
  ["time to send the chunks of a video and put them together", formatTime(limits.CHUNKED_UPLOAD_LIFE_MS)],
  ["alt text", `${formatCount(limits.ALT_LENGTH_MAX)} characters`],
  ["address of a file", `${formatCount(limits.URL_LENGTH_MAX)} characters`],
  ["lifetime of an upload address", formatTime(limits.UPLOAD_URL_LIFE_MS)],
  ["retention of a stored file after its last post has finished", formatTime(limits.STAGING_RETENTION_MS)],
  ["`publish_at` in the future", formatTime(limits.PUBLISH_AHEAD_MAX_MS)],
  ["`publish_at` in the past that is treated as now", formatTime(limits.PUBLISH_PAST_TOLERANCE_MS)],
  ["lateness after which a delivery is no longer sent", formatTime(limits.DEADLINE_MS)],
  ["entries per page of a list", `${limits.LIST_LIMIT_DEFAULT}, at most ${limits.LIST_LIMIT_MAX}`],
  ["files per page of a list", `${limits.MEDIA_LIST_LIMIT_DEFAULT}, at most ${limits.LIST_LIMIT_MAX}`],
  ["approximate size of a page of a list (a larger page ends early, with a cursor)", formatSize(limits.PAGE_BYTES_MAX)],
  ["file ids per request", formatCount(limits.MEDIA_IDS_MAX)],
  ["days of analytics", limits.ANALYTICS_DAYS.join(" or ")],
  ["lifetime of a link to connect an account, unless set", formatTime(limits.CONNECT_LINK_LIFE_DEFAULT_S * 1_000)],
  ["longest lifetime of a link to connect an account", formatTime(limits.CONNECT_LINK_LIFE_MAX_S * 1_000)],
  ["longest lifetime of a portal", formatTime(limits.PORTAL_LIFE_MAX_S * 1_000)],
  ["portals of a workspace", String(limits.PORTALS_MAX)],
  ["days of a range in analytics", String(limits.RANGE_DAYS_MAX)],
  ["lifetime of an invitation to a workspace", formatTime(limits.INVITATION_LIFE_MS)],
  ["open invitations per workspace", formatCount(limits.INVITATIONS_MAX)],
  ["named keys per workspace", formatCount(limits.NAMED_KEYS_MAX)],
  ["channels that a named key can be limited to", formatCount(limits.KEY_CHANNELS_MAX)],
  ["webhook endpoints per workspace", formatCount(limits.WEBHOOKS_MAX)],
  ["attempts per webhook message", formatCount(WEBHOOK_ATTEMPTS_MAX)],
  ["retention of events", formatTime(limits.EVENTS_KEPT_MS)],
  ["retention of webhook attempts", formatTime(WEBHOOK_LOG_MS)],
  ["time that a replaced webhook secret still signs", formatTime(PREVIOUS_SECRET_LIFE_MS)],
  ["password", `${limits.PASSWORD_LENGTH_MIN} to ${limits.PASSWORD_LENGTH_MAX} characters`],
  ["email address", `${limits.EMAIL_LENGTH_MAX} characters`],
  ["name of a person or a workspace", `${limits.NAME_LENGTH_MAX} characters`],
  ["lifetime of an unused session", formatTime(limits.SESSION_IDLE_MS)],
  ["maximum lifetime of a session", formatTime(limits.SESSION_LIFE_MS)],
  ["sessions per user", formatCount(limits.SESSIONS_PER_USER_MAX)],
  ["lifetime of a link that verifies an email address", formatTime(limits.ADDRESS_LINK_LIFE_MS)],
  [
    "retention of an idempotency key after its post was cancelled or discarded",
    formatTime(limits.IDEMPOTENCY_TOMBSTONE_MS),
  ],
  ["lifetime of an OAuth code", formatTime(limits.OAUTH_CODE_LIFE_MS)],
  ["lifetime of an OAuth access token", formatTime(limits.OAUTH_ACCESS_LIFE_MS)],
  ["lifetime of an unused OAuth grant", formatTime(limits.OAUTH_GRANT_IDLE_MS)],
  ["OAuth grants per user and workspace", formatCount(limits.OAUTH_GRANTS_MAX)],
  ["lifetime of an unused registered OAuth client", formatTime(limits.OAUTH_CLIENT_IDLE_MS)],
  ["registered OAuth clients that no user has authorized", formatCount(limits.OAUTH_UNUSED_CLIENTS_MAX)],
];
