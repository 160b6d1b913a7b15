// Our own numbers. A network's numbers are in its rule.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const MIB = 1024 * 1024;

/** How often the sweeper looks for work that nobody was woken for. */
export const SWEEP_EVERY_MS = MINUTE_MS;

export const BODY_BYTES_MAX = MIB;
/** Objects and arrays within each other; the contract's own bodies have fewer than ten. */
export const BODY_DEPTH_MAX = 32;

export const LIST_LIMIT_DEFAULT = 50;
export const MEDIA_LIST_LIMIT_DEFAULT = 60;
export const LIST_LIMIT_MAX = 200;
export const MEDIA_IDS_MAX = 50;
/** What a page of a list holds, about: it ends before the entry that would go beyond it. */
export const PAGE_BYTES_MAX = MIB;

/**
 * For how long a caller's rights count as they were judged, where the database that writes does not have them: it hears at once of rights
 * that end, unless it does not answer then.
 */
export const RIGHTS_KEPT_MS = 30_000;

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;
/** Workspaces that a member may have to themselves whose factor an owner resets: each is looked into. */
export const UNUSED_LOOKED_AT_MAX = 20;
/** Second factors of one person. */
export const FACTORS_MAX = 10;
/** How long a second factor may take to be set up, and a person to show one. */
export const FACTOR_CHALLENGE_LIFE_MS = 10 * MINUTE_MS;
/** How long after a factor was shown the call may come that it was shown for. */
export const FACTOR_SHOWN_LIFE_MS = 5 * MINUTE_MS;
export const EMAIL_LENGTH_MAX = 254;
export const NAME_LENGTH_MAX = 200;
/** How many heirs one erasure names. */
export const HEIRS_MAX = 1_000;

export const ALT_LENGTH_MAX = 2_000;
export const IMAGE_BYTES_MAX = 25 * MIB;
export const VIDEO_BYTES_MAX = 512 * MIB;
export const URL_LENGTH_MAX = 2_048;
/** How long a link lives by which a user connects an account. */
export const CONNECT_LINK_LIFE_MS = 10 * MINUTE_MS;
export const UPLOAD_URL_LIFE_MS = 15 * MINUTE_MS;
/** After this no upload to an address of ours can arrive any more: one that began in time has a day to end. */
export const UPLOAD_OVER_MS = UPLOAD_URL_LIFE_MS + DAY_MS;
/** How long a stored file stays after the last post that uses it has finished. */
export const STAGING_RETENTION_MS = 7 * DAY_MS;

/** How long events can be read. */
export const EVENTS_KEPT_MS = 90 * DAY_MS;
/** How long the audit log can be read. */
export const AUDIT_KEPT_MS = 400 * DAY_MS;
/** A month of `RETENTION_MONTHS`: the longest one, so that nothing goes earlier than somebody counted. */
export const RETENTION_MONTH_MS = 31 * DAY_MS;
/** Analytics look back for one, and a delivery is verified for one. */
export const RETENTION_MONTHS_MIN = 2;

/** Endpoints of one workspace. */
export const WEBHOOKS_MAX = 50;
/** Why a post was declined. */
export const REASON_LENGTH_MAX = 2_000;
/** How long somebody without an account can decide on a post by its link. */
export const REVIEW_LINK_LIFE_MS = 7 * DAY_MS;
/** Who decided by a link, as they call themselves. */
export const REVIEWER_LENGTH_MAX = 100;
/** Keys that a workspace has beside its own. */
export const NAMED_KEYS_MAX = 50;
/** Channels that such a key is limited to. */
export const KEY_CHANNELS_MAX = 100;

/** Days that analytics can look back, as they are asked for. */
export const ANALYTICS_DAYS = ["7", "30"] as const;
export const ANALYTICS_DAYS_DEFAULT = "30";
/** Deliveries that are compared by a figure: an index of each figure would cost rows with every measurement. */
export const MEASURED_COMPARED_MAX = 5_000;

export const METADATA_KEYS_MAX = 20;
export const METADATA_VALUE_LENGTH_MAX = 500;
/** What posts are found by: a longer query, or one of more words, is refused. */
export const QUERY_LENGTH_MAX = 200;
export const QUERY_WORDS_MAX = 20;
/** Posts that one file may have. */
export const IMPORT_ROWS_MAX = 500;
/** Slots of one workspace, and how many of the free ones a call may ask for. */
export const SLOTS_MAX = 200;
export const NEXT_SLOTS_DEFAULT = 10;
export const NEXT_SLOTS_MAX = 100;
/** A slot is taken this long before its time at the latest. */
export const SLOT_AHEAD_MIN_MS = MINUTE_MS;
export const LABELS_PER_POST_MAX = 10;
export const LABEL_LENGTH_MAX = 50;
export const CHANNELS_PER_POST_MAX = 100;
/** What one channel's override may name: its text, its files and more options than any network has. */
export const OVERRIDE_KEYS_MAX = 50;
/** Broken rules that one refusal tells; it says how many more there are. */
export const VIOLATIONS_MAX = 100;
export const MEDIA_PER_POST_MAX = 50;
/** Further parts of a post, beside the post itself. */
export const THREAD_PARTS_MAX = 24;
/** A post's text before any network judges it: a little above the largest limit, so that the network's own refusal says by how much. */
export const TEXT_LENGTH_MAX = 64_000;

/** How long somebody can accept an invitation to a workspace. */
export const INVITATION_LIFE_MS = 7 * DAY_MS;
/** Open invitations of one workspace. */
export const INVITATIONS_MAX = 200;

export const SESSION_IDLE_MS = 14 * DAY_MS;
export const SESSION_LIFE_MS = 30 * DAY_MS;
export const SESSIONS_PER_USER_MAX = 50;
/** How long a link lives that proves an address. */
export const ADDRESS_LINK_LIFE_MS = 3 * DAY_MS;

/** A stream of `subscriptions/listen` ends after this, which bounds what an abandoned one costs. Its client may open another. */
export const MCP_LISTEN_MAX_MS = 10 * MINUTE_MS;
/** How often it is noted that a credential is in use. */
export const CREDENTIAL_USE_NOTED_EVERY_MS = HOUR_MS;

/** Client apps that users authorize: how long a code, an access token and a grant that is not used live. */
export const OAUTH_CODE_LIFE_MS = 5 * MINUTE_MS;
export const OAUTH_ACCESS_LIFE_MS = HOUR_MS;
export const OAUTH_GRANT_IDLE_MS = 30 * DAY_MS;
/** A refresh token that comes again this soon is a lost answer or a second request of its client; later it is a stolen one. */
export const OAUTH_REFRESH_GRACE_MS = 30_000;
/** Grants of one user in one workspace. */
export const OAUTH_GRANTS_MAX = 50;
/** A registered client that nobody lets in is forgotten after this. */
export const OAUTH_CLIENT_IDLE_MS = 90 * DAY_MS;
/** Registered clients that nobody has let in yet; the oldest make room. */
export const OAUTH_UNUSED_CLIENTS_MAX = 10_000;
export const OAUTH_REDIRECT_URIS_MAX = 20;
export const OAUTH_CLIENT_NAME_LENGTH_MAX = 100;
/** A longer request to authorize would not survive the way through a sign-in provider in a cookie. */
export const OAUTH_REQUEST_LENGTH_MAX = 2_500;
/** A client's description of itself: 5 KB is what its draft recommends to read (draft-ietf-oauth-client-id-metadata-document-00, 6.6). */
export const OAUTH_DOCUMENT_BYTES_MAX = 5 * 1024;
export const OAUTH_DOCUMENT_TIMEOUT_MS = 5_000;

export const PUBLISH_PAST_TOLERANCE_MS = MINUTE_MS;
export const PUBLISH_AHEAD_MAX_MS = 366 * DAY_MS;
/** A delivery later than this is not sent any more. */
export const DEADLINE_MS = DAY_MS;
export const IDEMPOTENCY_TOMBSTONE_MS = 30 * DAY_MS;

/** How long a browser that has signed in is known as such; browsers keep no cookie for longer than 400 days. */
export const DEVICE_LIFE_MS = 365 * DAY_MS;

/** A database takes no more (developers.cloudflare.com/d1/platform/limits, read 2026-04-21) ... */
export const DATABASE_BYTES_MAX = 10 * 1024 ** 3;
/** ... and from this part of it on is the time to make room. */
export const DATABASE_FILLS_AT = 0.7;

/** How long the answer about the service's health is kept: more frequent calls read nothing. */
export const HEALTH_KEPT_MS = 5_000;
/** How long the public status is kept. */
export const STATUS_KEPT_MS = 10_000;
