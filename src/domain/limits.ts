// Our own limits. A network's limits are in its rule.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const MIB = 1024 * 1024;

/** How often the sweeper looks for work for which no message arrived. */
export const SWEEP_EVERY_MS = MINUTE_MS;

export const BODY_BYTES_MAX = MIB;
/** Nesting depth of objects and arrays; the contract's own bodies have fewer than ten levels. */
export const BODY_DEPTH_MAX = 32;

export const LIST_LIMIT_DEFAULT = 50;
export const MEDIA_LIST_LIMIT_DEFAULT = 60;
export const LIST_LIMIT_MAX = 200;
export const MEDIA_IDS_MAX = 50;
/** Approximate size of a page of a list: it ends before the entry that would exceed it. */
export const PAGE_BYTES_MAX = MIB;

/**
 * How long a caller's rights stay valid after they were checked, if the writing database does not hold them. That database
 * learns at once of revoked rights, unless it does not answer at that time.
 */
export const RIGHTS_KEPT_MS = 30_000;

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;
/** How many workspaces without other members a member may have if an owner resets their factor; each is inspected. */
export const UNUSED_LOOKED_AT_MAX = 20;
/** Second factors of one person. */
export const FACTORS_MAX = 10;
/** Time to set up a second factor, and to show one. */
export const FACTOR_CHALLENGE_LIFE_MS = 10 * MINUTE_MS;
/** How long after a factor was shown the call that needs it may arrive. */
export const FACTOR_SHOWN_LIFE_MS = 5 * MINUTE_MS;
export const EMAIL_LENGTH_MAX = 254;
export const NAME_LENGTH_MAX = 200;
/** How many heirs one erasure names. */
export const HEIRS_MAX = 1_000;

/** Length of a file's name, as on most systems. */
export const FILE_NAME_LENGTH_MAX = 255;
/** Tags of a file. */
export const MEDIA_TAGS_MAX = 20;
/** Of a video's thumbnail in base64: an image of 512 KiB. */
export const POSTER_LENGTH_MAX = 699_052;
export const ALT_LENGTH_MAX = 2_000;
export const IMAGE_BYTES_MAX = 25 * MIB;
export const VIDEO_BYTES_MAX = 512 * MIB;
/** The largest video that is uploaded in chunks. Few networks take larger ones, and each is sent its file within a day. */
export const CHUNKED_VIDEO_BYTES_MAX = 4_000_000_000;
/**
 * Every chunk but the last has this length. R2 takes 5 MiB to 5 GiB, of equal length, and at most 10,000 of them
 * (developers.cloudflare.com/r2/objects/multipart-objects, read 2026-11-27). A broken connection costs one chunk.
 */
export const UPLOAD_CHUNK_BYTES = 32 * MIB;
export const UPLOAD_CHUNKS_MAX = Math.ceil(CHUNKED_VIDEO_BYTES_MAX / UPLOAD_CHUNK_BYTES);
/** Addresses of chunks in one call. */
export const CHUNK_ADDRESSES_MAX = 20;
/** The largest document that any network accepts. */
export const DOCUMENT_BYTES_MAX = 100_000_000;
/** Captions of a film of two hours have about 200,000 bytes. */
export const CAPTIONS_BYTES_MAX = 1_000_000;
export const URL_LENGTH_MAX = 2_048;
/** How long a link to connect an account can be used, in seconds. */
export const CONNECT_LINK_LIFE_DEFAULT_S = (10 * MINUTE_MS) / 1_000;
export const CONNECT_LINK_LIFE_MAX_S = (30 * DAY_MS) / 1_000;
/** How long the network's answer is accepted after such a link was opened. */
export const CONNECT_ATTEMPT_MS = 30 * MINUTE_MS;
export const UPLOAD_URL_LIFE_MS = 15 * MINUTE_MS;
/** How long the chunks of a file may be sent and put together. */
export const CHUNKED_UPLOAD_LIFE_MS = DAY_MS;
/** After this no upload to an address of ours can still arrive: an upload that began in time has a day to end. */
export const UPLOAD_OVER_MS = UPLOAD_URL_LIFE_MS + DAY_MS;
/** How long a stored file stays after the last post that uses it has finished. */
export const STAGING_RETENTION_MS = 7 * DAY_MS;

/** How long events can be read. */
export const EVENTS_KEPT_MS = 90 * DAY_MS;
/** How long the audit log can be read. */
export const AUDIT_KEPT_MS = 400 * DAY_MS;
/** A month of `RETENTION_MONTHS`: the longest possible, so that nothing is deleted earlier than a calendar month suggests. */
export const RETENTION_MONTH_MS = 31 * DAY_MS;
/** Analytics look back for one month, and a delivery is rechecked for one. */
export const RETENTION_MONTHS_MIN = 2;

/** Endpoints of one workspace. */
export const WEBHOOKS_MAX = 50;
/** Length of the reason for declining a post. */
export const REASON_LENGTH_MAX = 2_000;
/** How long a person without an account can decide on a post by its link. */
export const REVIEW_LINK_LIFE_MS = 7 * DAY_MS;
/** Length of the name that a reviewer gives. */
export const REVIEWER_LENGTH_MAX = 100;
/** Portals of a workspace. */
export const PORTALS_MAX = 200;
/** How long a portal is open, in seconds. */
export const PORTAL_LIFE_MAX_S = (90 * DAY_MS) / 1_000;
export const PORTAL_LIFE_DEFAULT_S = (30 * DAY_MS) / 1_000;
/** Channels and labels whose posts a portal shows. */
export const PORTAL_CHANNELS_MAX = 100;
export const PORTAL_LABELS_MAX = 20;
/** Posts that a page of a portal shows, and that one call decides on. */
export const PORTAL_POSTS_MAX = 50;
/** How long a report can be read. */
export const REPORT_LIFE_MS = 7 * DAY_MS;
/** Channels of a report that names its channels. */
export const REPORT_CHANNELS_MAX = 100;
/** Keys of a workspace in addition to its own. */
export const NAMED_KEYS_MAX = 50;
/** Account keys of one person that are not revoked. */
export const ACCOUNT_KEYS_MAX = 20;
/** Channels that a named key can be limited to. */
export const KEY_CHANNELS_MAX = 100;

/** How many days analytics can look back. */
export const ANALYTICS_DAYS = ["7", "30"] as const;
export const ANALYTICS_DAYS_DEFAULT = "30";
/** How many days a range of dates in analytics and reports can have. */
export const RANGE_DAYS_MAX = 366;
/** Posts in the two periods of one answer that analytics read one by one: for ranges of dates, channels and labels. */
export const RANGE_POSTS_MAX = 50_000;
/** Deliveries that are compared by a metric: an index on each metric would cost rows with every measurement. */
export const MEASURED_COMPARED_MAX = 5_000;

/** Length of the name that a caller's own system has for a workspace. */
export const EXTERNAL_ID_LENGTH_MAX = 200;
export const METADATA_KEYS_MAX = 20;
export const METADATA_VALUE_LENGTH_MAX = 500;
/** Length of a search query; a query that is longer or has more words is refused. */
export const QUERY_LENGTH_MAX = 200;
export const QUERY_WORDS_MAX = 20;
/** Posts of one bulk call. */
export const BULK_POSTS_MAX = 100;
/** Posts in one import file. */
export const IMPORT_ROWS_MAX = 500;
/** Channel groups and snippets of one workspace. */
export const CHANNEL_GROUPS_MAX = 200;
export const SNIPPETS_MAX = 500;
/** Feeds of one workspace, and the length of a template. */
export const FEEDS_MAX = 50;
export const FEED_TEMPLATE_LENGTH_MAX = 2_000;
/** How often a feed is read. */
export const FEED_INTERVAL_MINUTES_MIN = 15;
export const FEED_INTERVAL_MINUTES_DEFAULT = 60;
export const FEED_INTERVAL_MINUTES_MAX = 24 * 60;
/** The size of a feed's document, and how many of its items are read: from the top, where feeds have the newest. */
export const FEED_BYTES_MAX = 1024 * 1024;
export const FEED_ITEMS_MAX = 100;
/** Items that a feed remembers so that none makes a second post. */
export const FEED_SEEN_MAX = 1_000;
/** Posts that one read of a feed makes. Further items follow at the next reads. */
export const FEED_POSTS_PER_READ_MAX = 10;
/** Length of a comment, and comments on one post. */
export const COMMENT_LENGTH_MAX = 5_000;
export const COMMENTS_PER_POST_MAX = 1_000;
/** Slots of one workspace, and how many free slots a call may ask for. */
export const SLOTS_MAX = 200;
export const NEXT_SLOTS_DEFAULT = 10;
export const NEXT_SLOTS_MAX = 100;
/** A slot must be taken at least this long before its time. */
export const SLOT_AHEAD_MIN_MS = MINUTE_MS;
export const LABELS_PER_POST_MAX = 10;
export const LABEL_LENGTH_MAX = 50;
export const CHANNELS_PER_POST_MAX = 100;
/** Members of one channel's override: its text, its files and more options than any network has. */
export const OVERRIDE_KEYS_MAX = 50;
/** Violations that one refusal lists; it says how many more there are. */
export const VIOLATIONS_MAX = 100;
export const MEDIA_PER_POST_MAX = 50;
/** Further parts of a thread, in addition to the post itself. */
export const THREAD_PARTS_MAX = 24;
/**
 * Length of a post's text before a network's rule is applied: a little above the largest limit, so that the network's own refusal
 * says by how much it is exceeded.
 */
export const TEXT_LENGTH_MAX = 64_000;
export const POLL_TEXT_LENGTH_MAX = 500;
/** More than any network allows. */
export const POLL_OPTIONS_MAX = 20;
export const POLL_MINUTES_MAX = 366 * 24 * 60;

/** How long an invitation to a workspace can be accepted. */
export const INVITATION_LIFE_MS = 7 * DAY_MS;
/** Open invitations of one workspace. */
export const INVITATIONS_MAX = 200;

export const SESSION_IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFE_MS = 30 * DAY_MS;
export const SESSIONS_PER_USER_MAX = 50;
/** Lifetime of a link that verifies an email address. */
export const ADDRESS_LINK_LIFE_MS = 3 * DAY_MS;

/**
 * A stream of `subscriptions/listen` ends after this, which bounds the cost of an abandoned stream. Its client may open
 * another.
 */
export const MCP_LISTEN_MAX_MS = 10 * MINUTE_MS;
/** How often the use of a credential is recorded. */
export const CREDENTIAL_USE_NOTED_EVERY_MS = HOUR_MS;

/** Client apps that users authorize: lifetimes of a code, an access token and an unused grant. */
export const OAUTH_CODE_LIFE_MS = 5 * MINUTE_MS;
export const OAUTH_ACCESS_LIFE_MS = HOUR_MS;
export const OAUTH_GRANT_IDLE_MS = 30 * DAY_MS;
/**
 * A refresh token that is used again this soon means a lost answer or a second request of its client; later it means a stolen
 * token.
 */
export const OAUTH_REFRESH_GRACE_MS = 30_000;
/** Grants of one user in one workspace. */
export const OAUTH_GRANTS_MAX = 50;
/** A registered client that no user authorizes is deleted after this. */
export const OAUTH_CLIENT_IDLE_MS = 90 * DAY_MS;
/** Registered clients that no user has authorized yet; the oldest make room. */
export const OAUTH_UNUSED_CLIENTS_MAX = 10_000;
export const OAUTH_REDIRECT_URIS_MAX = 20;
export const OAUTH_CLIENT_NAME_LENGTH_MAX = 100;
/** A longer authorization request would not fit in the cookie that carries it through a sign-in provider. */
export const OAUTH_REQUEST_LENGTH_MAX = 2_500;
/** A client's description of itself: 5 KB is what its draft recommends to read (draft-ietf-oauth-client-id-metadata-document-00, 6.6). */
export const OAUTH_DOCUMENT_BYTES_MAX = 5 * 1024;
export const OAUTH_DOCUMENT_TIMEOUT_MS = 5_000;

/** Length of a `publish_at` before it is read. */
export const PUBLISH_AT_LENGTH_MAX = 100;
export const PUBLISH_PAST_TOLERANCE_MS = MINUTE_MS;
export const PUBLISH_AHEAD_MAX_MS = 366 * DAY_MS;
/** A delivery later than this is not sent any more. */
export const DEADLINE_MS = DAY_MS;
export const IDEMPOTENCY_TOMBSTONE_MS = 30 * DAY_MS;

/** How long a browser stays known after sign-in; browsers keep no cookie for longer than 400 days. */
export const DEVICE_LIFE_MS = 365 * DAY_MS;

/** The maximum size of a database (developers.cloudflare.com/d1/platform/limits, read 2026-04-21). */
export const DATABASE_BYTES_MAX = 10 * 1024 ** 3;
/** The share of this size at which the operator is told to make room. */
export const DATABASE_FILLS_AT = 0.7;

/** How long the answer about the service's health is cached: more frequent calls read nothing. */
export const HEALTH_KEPT_MS = 5_000;
/** How long the public status is cached. */
export const STATUS_KEPT_MS = 10_000;

/** Parameters that are added to links. */
export const LINK_TAGS_MAX = 10;
export const LINK_TAG_VALUE_LENGTH_MAX = 200;
export const LINK_TAG_DOMAINS_MAX = 50;
