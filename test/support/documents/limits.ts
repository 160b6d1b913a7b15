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
  ["body of a request", size(limits.BODY_BYTES_MAX)],
  ["objects and arrays within each other in a body", count(limits.BODY_DEPTH_MAX)],
  ["text of a post, before any network's own limit", `${count(limits.TEXT_LENGTH_MAX)} characters`],
  ["channels of a post", count(limits.CHANNELS_PER_POST_MAX)],
  ["files of a post", count(limits.MEDIA_PER_POST_MAX)],
  ["`metadata` of a post", `${limits.METADATA_KEYS_MAX} keys, ${limits.METADATA_VALUE_LENGTH_MAX} characters a value`],
  ["image", size(limits.IMAGE_BYTES_MAX)],
  ["video", size(limits.VIDEO_BYTES_MAX)],
  ["alt text", `${count(limits.ALT_LENGTH_MAX)} characters`],
  ["address of a file", `${count(limits.URL_LENGTH_MAX)} characters`],
  ["life of an upload's address", time(limits.UPLOAD_URL_LIFE_MS)],
  ["stored file after the last post that uses it has finished", time(limits.STAGING_RETENTION_MS)],
  ["`publish_at` ahead", time(limits.PUBLISH_AHEAD_MAX_MS)],
  ["`publish_at` in the past that counts as now", time(limits.PUBLISH_PAST_TOLERANCE_MS)],
  ["a delivery later than this is not sent any more", time(limits.DEADLINE_MS)],
  ["entries of a page of a list", `${limits.LIST_LIMIT_DEFAULT}, at most ${limits.LIST_LIMIT_MAX}`],
  ["files of a page of a list", `${limits.MEDIA_LIST_LIMIT_DEFAULT}, at most ${limits.LIST_LIMIT_MAX}`],
  ["what a page of a list holds, about; it has fewer entries then, and a cursor", size(limits.PAGE_BYTES_MAX)],
  ["files asked for by id at once", count(limits.MEDIA_IDS_MAX)],
  ["days of analytics", limits.ANALYTICS_DAYS.join(" or ")],
  ["link by which a person connects an account", time(limits.CONNECT_LINK_LIFE_MS)],
  ["invitation to a workspace", time(limits.INVITATION_LIFE_MS)],
  ["open invitations of a workspace", count(limits.INVITATIONS_MAX)],
  ["named keys of a workspace", count(limits.NAMED_KEYS_MAX)],
  ["channels that a named key is limited to", count(limits.KEY_CHANNELS_MAX)],
  ["webhook endpoints of a workspace", count(limits.WEBHOOKS_MAX)],
  ["attempts of a webhook message", count(WEBHOOK_ATTEMPTS_MAX)],
  ["events are kept", time(limits.EVENTS_KEPT_MS)],
  ["webhook attempts are kept", time(WEBHOOK_LOG_MS)],
  ["a replaced webhook secret still signs", time(PREVIOUS_SECRET_LIFE_MS)],
  ["password", `${limits.PASSWORD_LENGTH_MIN} to ${limits.PASSWORD_LENGTH_MAX} characters`],
  ["email address", `${limits.EMAIL_LENGTH_MAX} characters`],
  ["name of a person or a workspace", `${limits.NAME_LENGTH_MAX} characters`],
  ["session that is not used", time(limits.SESSION_IDLE_MS)],
  ["session in all", time(limits.SESSION_LIFE_MS)],
  ["sessions of a person", count(limits.SESSIONS_PER_USER_MAX)],
  ["link that proves an address", time(limits.ADDRESS_LINK_LIFE_MS)],
  ["an idempotency key after its post was cancelled or discarded", time(limits.IDEMPOTENCY_TOMBSTONE_MS)],
  ["OAuth code", time(limits.OAUTH_CODE_LIFE_MS)],
  ["OAuth access token", time(limits.OAUTH_ACCESS_LIFE_MS)],
  ["OAuth grant that is not used", time(limits.OAUTH_GRANT_IDLE_MS)],
  ["OAuth grants of a person in a workspace", count(limits.OAUTH_GRANTS_MAX)],
  ["registered OAuth client that nobody uses", time(limits.OAUTH_CLIENT_IDLE_MS)],
  ["registered OAuth clients that nobody has let in", count(limits.OAUTH_UNUSED_CLIENTS_MAX)],
];
