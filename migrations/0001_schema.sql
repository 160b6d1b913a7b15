-- The whole schema, as it is before the first release. Later migrations only add to it; docs/operations.md says how.
--
-- Every database of a deployment has all of these tables. The accounts' database holds people, workspaces, keys and applications; the
-- rows of a workspace are in its home, which is the accounts' database unless `workspaces.home` names another one.
--
-- Instants are epoch milliseconds. A sealed column holds a text that only this deployment can decrypt
-- (src/adapters/seal.ts). A column that holds JSON accepts only one JSON type, so that no reader finds a text that it cannot parse.
-- A delivery accepts only states that exist, and instants that are dates in JavaScript, for the same reason.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,            -- normalized; look-ups compare it
  name TEXT,
  password_hash TEXT,                    -- PHC string; NULL for accounts that only sign in through a provider
  email_verified_at INTEGER,
  created_at INTEGER NOT NULL,
  device_generation INTEGER NOT NULL DEFAULT 0 -- raising it ends all device proofs of the account
) WITHOUT ROWID;

CREATE TABLE identities (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the token, hex
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  id TEXT,                               -- public id, for lists
  user_agent TEXT,                       -- in short: "Firefox on Linux"
  factor_shown_at INTEGER                -- when a second factor was shown for the next protected call; it is used up by that call
) WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

CREATE TABLE reset_links (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  used_by TEXT                           -- hash of the session that the use began
) WITHOUT ROWID;
CREATE INDEX reset_links_by_user ON reset_links (user_id);

-- Mailed links. Opening one in a session of the user verifies its address; a new address replaces the account's.
CREATE TABLE address_links (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the token, hex
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX address_links_by_user ON address_links (user_id);

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  plan_status TEXT NOT NULL DEFAULT 'active',
  timezone TEXT NOT NULL DEFAULT 'UTC',
  staged_bytes INTEGER NOT NULL DEFAULT 0,  -- sum over media in state awaiting_upload or ready
  created_at INTEGER NOT NULL,
  drafts INTEGER NOT NULL DEFAULT 0,     -- number of drafts
  draft_bytes INTEGER NOT NULL DEFAULT 0, -- their size as JSON in UTF-8
  home INTEGER NOT NULL DEFAULT 0,       -- the number of the database that holds its rows; 0 is the accounts' database
  emptied_at INTEGER,                    -- rows made before this belong to an owner who never proved the address, and must end
  approval TEXT NOT NULL DEFAULT 'none', -- whose posts need approval: none | authors | all
  feed_from INTEGER NOT NULL DEFAULT 0,  -- the next event is numbered above this; raised after a restore so that no cursor skips events
  require_factor INTEGER NOT NULL DEFAULT 0, -- whether members need a second factor
  four_eyes INTEGER NOT NULL DEFAULT 0,  -- whether the last author of a post may not approve it
  media_fit TEXT NOT NULL DEFAULT 'exact', -- what the dashboard and the command line send
  rechecks TEXT,                         -- how often live posts are rechecked; NULL: as each network's rule says
  budget INTEGER,                        -- what a month may cost, in millionths of a US dollar; NULL: no limit
  link_tags TEXT CHECK (JSON_TYPE(link_tags) = 'object'), -- JSON: parameters that new posts add to their links; NULL: none
  brand TEXT CHECK (JSON_TYPE(brand) = 'object'), -- JSON; of its pages for clients, unless a page has its own; NULL: none
  external_id TEXT,                      -- what the platform of external_owner calls it; only in the accounts' database
  external_owner TEXT,                   -- the person in whose account external_id is unique; NULL once they do not own it
  metadata TEXT CHECK (JSON_TYPE(metadata) = 'object'), -- JSON: the owner's own values; only in the accounts' database
  rights_epoch INTEGER NOT NULL DEFAULT 0, -- raised whenever rights in the workspace end; writes compare it with what their caller was judged by
  carry_version INTEGER NOT NULL DEFAULT 0 -- raised by every change that its home has to receive; in the home, the version received
) WITHOUT ROWID;

CREATE UNIQUE INDEX workspaces_by_external_id ON workspaces (external_owner, external_id) WHERE external_owner IS NOT NULL;

CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL,                    -- viewer | author | publisher | owner
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);

-- Invitations to join a workspace. The person becomes a member by accepting.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  email TEXT NOT NULL,                   -- as normalised at sign-up
  role TEXT NOT NULL,                    -- viewer | author | publisher | owner
  invited_by TEXT NOT NULL,              -- the invitation ends with this membership
  token_hash TEXT UNIQUE,                -- SHA-256 of the link's token, hex; NULL before the mail
  by_link INTEGER NOT NULL DEFAULT 0,    -- 1: the inviter was shown the link instead of a mail, so having it verifies no address
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (workspace_id, email),
  FOREIGN KEY (workspace_id, invited_by) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_inviter ON invitations (workspace_id, invited_by);
CREATE INDEX invitations_expiring ON invitations (expires_at);

-- A revoked key keeps its row, so that a caller learns why it stopped working.
CREATE TABLE workspace_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,             -- SHA-256 of the key, hex: how a call finds its workspace
  sealed TEXT,                           -- for reveal; NULL once revoked
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX workspace_keys_current ON workspace_keys (workspace_id) WHERE revoked_at IS NULL;

-- The audit log: acts on rows of the accounts' database. Acts on rows of a workspace's home are in `workspace_audit`, which moves with
-- them.
CREATE TABLE audit (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT,
  act TEXT NOT NULL,
  key_id TEXT,                           -- the key that was revealed
  actor_kind TEXT NOT NULL DEFAULT 'person',
  actor_id TEXT,
  actor_name TEXT NOT NULL DEFAULT '',
  target_id TEXT,
  target_name TEXT,
  address TEXT,
  client TEXT,
  details TEXT NOT NULL DEFAULT '{}' CHECK (JSON_TYPE(details) = 'object'),
  PRIMARY KEY (workspace_id, at, id)
) WITHOUT ROWID;
CREATE INDEX audit_forgotten ON audit (at) WHERE key_id IS NULL;

-- OAuth states that the sign-in provider has returned. Each is accepted once.
CREATE TABLE used_states (
  id TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX used_states_expiring ON used_states (expires_at);

-- Erased workspaces whose files and alarms still have to be cleared. The row is written in the erasing transaction.
CREATE TABLE clearances (
  workspace_id TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  lanes INTEGER NOT NULL DEFAULT 1,      -- number of its publishers
  next_at INTEGER NOT NULL DEFAULT 0,    -- 0: now; then once more when no late upload can arrive
  home INTEGER NOT NULL DEFAULT 0        -- the database that its rows are in
) WITHOUT ROWID;
CREATE INDEX clearances_due ON clearances (next_at);

CREATE TABLE channels (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  platform TEXT NOT NULL,
  handle TEXT NOT NULL,
  account_id TEXT,                       -- the network's permanent id of the account
  name TEXT,
  avatar_url TEXT,                       -- the picture's address at the network
  profile_url TEXT,
  credential TEXT,                       -- sealed; NULL = not connected
  token_expires_at INTEGER,              -- when a person has to reconnect; NULL: it renews itself or never expires
  renew_at INTEGER,                      -- when the credential is renewed even if nothing is published; NULL: never
  warn_at INTEGER,                       -- when the owner is next warned of its end; NULL: never
  lost_reason TEXT,                      -- why the credential was dropped (token_expired, token_revoked, ...)
  not_before INTEGER,                    -- the network asked for no calls before this
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed_at INTEGER,                    -- when its owner disconnected it; the row stays for the history of its posts
  lane INTEGER NOT NULL DEFAULT 0,       -- the publisher of this channel and up to fifteen others
  connected_by TEXT,                     -- the user or key that connected it
  credential_id TEXT NOT NULL DEFAULT '', -- changes with the credential, not with its seal: a renewal replaces only the credential that it renewed
  missing_permissions TEXT CHECK (JSON_TYPE(missing_permissions) = 'array'), -- JSON array of optional permissions that were not granted; NULL: unknown
  tier TEXT,                             -- the account's subscription at the network; NULL: none is known
  connected_by_name TEXT,                -- their name at that time
  avatar_key TEXT,                       -- our copy of the picture in the bucket; NULL: there is none
  avatar_etag TEXT,
  avatar_type TEXT,                      -- its content type
  avatar_at INTEGER,                     -- when the picture is copied next; NULL: never
  queue_filled_at INTEGER,               -- when its queue was seen filled; NULL: it never was, or members were told since that it runs low
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX channels_to_renew ON channels (renew_at) WHERE renew_at IS NOT NULL;
CREATE INDEX channels_to_picture ON channels (avatar_at) WHERE avatar_at IS NOT NULL;
CREATE INDEX channels_to_warn ON channels (warn_at) WHERE warn_at IS NOT NULL;
CREATE UNIQUE INDEX channels_by_handle ON channels (workspace_id, platform, handle);
-- A publisher reads its own channels. The sweeper walks all channels in this order and checks each for overdue work.
CREATE INDEX channels_by_lane ON channels (workspace_id, lane);

-- Named selections of channels. A trigger removes disconnected channels.
CREATE TABLE channel_groups (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  channels TEXT NOT NULL CHECK (JSON_TYPE(channels) = 'array'),
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

CREATE TABLE snippets (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,                    -- text | hashtags
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

-- RSS and Atom feeds whose new items become posts.
CREATE TABLE feeds (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  channels TEXT NOT NULL CHECK (JSON_TYPE(channels) = 'array'),
  labels TEXT NOT NULL CHECK (JSON_TYPE(labels) = 'array'),
  template TEXT NOT NULL,
  draft INTEGER NOT NULL,
  publish_at TEXT,                       -- next_slot; null: at once
  interval_minutes INTEGER NOT NULL,
  made_by TEXT NOT NULL,                 -- the member or key whose rights its posts are made with
  made_since INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  next_read_at INTEGER,                  -- null: paused
  last_read_at INTEGER,
  validators TEXT NOT NULL DEFAULT '{}' CHECK (JSON_TYPE(validators) = 'object'), -- the ETag and Last-Modified of the last answer
  seen TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(seen) = 'array'), -- marks of the items that it has had
  posts INTEGER NOT NULL DEFAULT 0,
  problem TEXT CHECK (JSON_TYPE(problem) = 'object'),
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

CREATE INDEX feeds_due ON feeds (next_read_at) WHERE next_read_at IS NOT NULL;

-- What members, and people without an account, say about a post. A trigger deletes them with the post.
CREATE TABLE comments (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  text TEXT NOT NULL,
  author TEXT NOT NULL CHECK (JSON_TYPE(author) = 'object'), -- kind, id and name at that time
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX comments_by_post ON comments (workspace_id, post_id, id);

CREATE TABLE connector_requests (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, platform)
) WITHOUT ROWID;

-- Links that let a person connect an account. Secrets are stored as hashes or sealed.
CREATE TABLE connect_links (
  id TEXT PRIMARY KEY,                   -- SHA-256 of the link's token
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  via TEXT,                              -- the way to consent; NULL: the network's usual one
  return_to TEXT,
  verifier TEXT NOT NULL,                -- sealed: JSON of the PKCE verifier and of what else the network's answer needs, new for each time the link is opened
  state_hash TEXT,                       -- SHA-256 of the state at the network; NULL = not opened yet
  browser_hash TEXT,                     -- SHA-256 of the cookie of the browser that opened it
  answered_at INTEGER,                   -- when the network redirected back, which is accepted once
  granted TEXT,                          -- sealed: the accounts to choose from
  expires_at INTEGER NOT NULL,
  made_by TEXT,                          -- the user or key that made the link
  created_at INTEGER NOT NULL,
  opened_at INTEGER,                     -- when it was opened last; the network's answer is accepted for some time
  brand TEXT CHECK (JSON_TYPE(brand) = 'object'), -- JSON; NULL: none
  handle TEXT                            -- the account to connect, where its consent needs one; NULL = the person enters it
) WITHOUT ROWID;
CREATE UNIQUE INDEX connect_links_by_state ON connect_links (state_hash) WHERE state_hash IS NOT NULL;
CREATE INDEX connect_links_by_expiry ON connect_links (expires_at);
CREATE INDEX connect_links_by_workspace ON connect_links (workspace_id);

CREATE TABLE media (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,                    -- image | video
  state TEXT NOT NULL,                   -- awaiting_upload | ready | registered | expired
  object_key TEXT,                       -- in the bucket; NULL for a file registered by address
  upload_id TEXT,                        -- the bucket's id of an upload in chunks; NULL: not uploaded in chunks
  url TEXT,                              -- the caller's address; NULL for an uploaded file
  content_type TEXT,
  bytes INTEGER,
  etag TEXT,                             -- of the inspected object; later reads require it
  width INTEGER,
  height INTEGER,
  duration_ms INTEGER,
  alt TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,                    -- when the stored copy is deleted; NULL: not known while a post uses it or none has
  uploader TEXT,                         -- key:WORKSPACE:KEY or member:WORKSPACE:USER; NULL for a file registered by address
  uploader_credential TEXT,              -- session:HASH or grant:ID, of a member
  name TEXT,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(tags) = 'array'),
  terms TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(terms) = 'array'), -- kind, # and a tag, = and a word of name, tags or alt
  poster_etag TEXT,                      -- of a video: the content whose thumbnail was uploaded; NULL: it has none
  kept INTEGER NOT NULL DEFAULT 0,       -- whether the stored copy is kept, whatever expires_at says
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
-- The sweeper reads these: copies to delete, and uploads that have not arrived.
CREATE INDEX media_expiring ON media (expires_at) WHERE expires_at IS NOT NULL AND state <> 'expired' AND kept = 0;
CREATE INDEX media_awaiting ON media (created_at) WHERE state = 'awaiting_upload';

-- The files of each term, for searches. Triggers keep it.
CREATE TABLE media_terms (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  term TEXT NOT NULL,
  media_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, term, media_id)
) WITHOUT ROWID;

-- The posts that use a file.
CREATE TABLE media_uses (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  media_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  finished_at INTEGER,                   -- of the post
  PRIMARY KEY (workspace_id, post_id, media_id)
) WITHOUT ROWID;
-- Finds out whether an unfinished post uses a file, and when the last one finished.
CREATE INDEX media_uses_by_end ON media_uses (workspace_id, media_id, finished_at);

-- Stored objects without a row. Written in the transaction that dropped the row, so that a crash leaves no orphan.
CREATE TABLE discarded_objects (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  object_key TEXT NOT NULL,
  next_at INTEGER NOT NULL,              -- when it is deleted from the bucket, after the last possible upload to it
  bytes INTEGER NOT NULL DEFAULT 0,      -- counted until it is deleted
  upload_id TEXT,                        -- the bucket's id of its upload in chunks, which is aborted before
  PRIMARY KEY (workspace_id, object_key)
) WITHOUT ROWID;
CREATE INDEX discarded_objects_due ON discarded_objects (next_at);

CREATE TABLE posts (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  status TEXT NOT NULL,                  -- draft, or derived from its deliveries; `queued` and `publishing` are stored as `scheduled`
  revision INTEGER NOT NULL DEFAULT 1,   -- raised by every edit
  edited_by TEXT,                        -- mark of the last edit, which tells two edits of one revision apart
  text TEXT NOT NULL,
  media TEXT NOT NULL CHECK (JSON_TYPE(media) = 'array'), -- JSON array of ids, in publish order
  channels TEXT NOT NULL CHECK (JSON_TYPE(channels) = 'array'), -- JSON array of ids
  overrides TEXT NOT NULL CHECK (JSON_TYPE(overrides) = 'object'), -- JSON object by channel id
  post_type TEXT,
  metadata TEXT NOT NULL CHECK (JSON_TYPE(metadata) = 'object'), -- JSON object, the caller's own
  publish_at INTEGER,                    -- as requested; NULL: immediately, or on release
  due_at INTEGER,                        -- publish_at, or the instant of release; NULL for a draft
  timezone TEXT NOT NULL,                -- the workspace's zone when publish_at was read
  idempotency_key TEXT,                  -- the key it was created with
  counted_month TEXT,                    -- the month (YYYY-MM) that counts this post
  cancelled_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER,
  draft_bytes INTEGER NOT NULL DEFAULT 0, -- its size as JSON; 0: it is not a draft
  labels TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(labels) = 'array'), -- JSON array of texts, as they were given
  words TEXT,                            -- words of text, overrides, labels, thread and poll, each once, folded, between spaces
  thread TEXT CHECK (JSON_TYPE(thread) = 'array'), -- JSON array of texts with their files, in publishing order; NULL: none
  poll TEXT CHECK (JSON_TYPE(poll) = 'object'), -- JSON object: its question, options and minutes; NULL: none
  approval TEXT CHECK (JSON_TYPE(approval) = 'object'), -- JSON: state (waiting | approved | declined), by, reason, at, rev; NULL: nobody was asked
  decided TEXT CHECK (JSON_TYPE(decided) = 'object'), -- JSON: the last decision with the content that it covered; NULL: none
  author TEXT CHECK (JSON_TYPE(author) = 'object'), -- JSON: kind, id and name of whoever changed the post last
  content_tag TEXT NOT NULL DEFAULT '',  -- hash of texts, options and files, which approvals and review links bind to
  author_user_id TEXT,                   -- the user behind the author; NULL: the author is a key
  media_fit TEXT NOT NULL DEFAULT 'exact', -- exact | adapt
  sent_files TEXT CHECK (JSON_TYPE(sent_files) = 'array'), -- JSON: the files as each channel gets them; NULL: all go out as they are
  counted_cost INTEGER NOT NULL DEFAULT 0, -- what the post counts in its month, in millionths of a US dollar
  counted_key TEXT,                      -- the key that scheduled it or changed it last; NULL: a person did
  repeat TEXT CHECK (JSON_TYPE(repeat) = 'object'), -- JSON: every, interval, weekdays, until, times, variations; NULL: it does not repeat
  repeat_state TEXT,                     -- active | continued | completed | stopped; NULL: it does not repeat
  series TEXT CHECK (JSON_TYPE(series) = 'object'), -- JSON: the place in its series; NULL: it is the first post of one, or does not repeat
  link_tags TEXT CHECK (JSON_TYPE(link_tags) = 'object'), -- JSON: parameters that are added to its links; NULL: none
  repeat_of TEXT,                        -- the first post of its series; NULL: it is that post, or does not repeat
  lost_posts TEXT CHECK (JSON_TYPE(lost_posts) = 'object'), -- JSON: until, number; posts of its series that a restore has removed; NULL: none
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX posts_by_time ON posts (due_at) WHERE status = 'scheduled';
-- Only posts in which a channel has a time of its own are in this index, because their channels are not all due with the post.
CREATE INDEX posts_with_own_times ON posts (due_at, workspace_id, id)
  WHERE status = 'scheduled' AND instr(overrides, '"publish_at":') > 0;
-- Only posts that repeat are in these indexes: those whose next post is to be made, and the last post of each series.
CREATE INDEX posts_to_repeat ON posts (finished_at, workspace_id, id) WHERE repeat_state = 'active' AND finished_at IS NOT NULL;
CREATE INDEX posts_repeating ON posts (workspace_id, COALESCE(repeat_of, id)) WHERE repeat_state = 'active';
CREATE INDEX posts_by_due ON posts (workspace_id, due_at, id) WHERE due_at IS NOT NULL;
-- The less common statuses, newest first and by time; posts without a time come last. A post that is scheduled and published normally
-- never enters these indexes.
CREATE INDEX posts_by_status ON posts (workspace_id, status, id) WHERE status NOT IN ('scheduled', 'published');
CREATE INDEX posts_by_status_due ON posts (workspace_id, status, COALESCE(due_at, publish_at, 9007199254740991), id)
  WHERE status NOT IN ('scheduled', 'published');

CREATE TABLE deliveries (
  workspace_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  id TEXT NOT NULL,
  platform TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'staged', 'sending', 'processing', 'reconciling', 'retry_wait', 'live', 'handed_over',
    'failed', 'outcome_unknown', 'removed', 'cancelled')), -- as in src/domain/delivery/transitions.ts
  version INTEGER NOT NULL DEFAULT 1,    -- raised by every write
  fencing_token INTEGER NOT NULL DEFAULT 0, -- raised by every claim
  session TEXT,                          -- the delivery session that wrote the row last
  scheduled_for INTEGER CHECK (scheduled_for BETWEEN 0 AND 8640000000000000),
  next_at INTEGER CHECK (next_at BETWEEN 0 AND 8640000000000000), -- when it is next worked on; NULL: never
  started_at INTEGER CHECK (started_at BETWEEN 0 AND 8640000000000000),
  published_at INTEGER CHECK (published_at BETWEEN 0 AND 8640000000000000), -- in a thread, when its first part was published
  check_at INTEGER CHECK (check_at BETWEEN 0 AND 8640000000000000), -- when its next follow-up is due, the recheck included
  sends TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(sends) = 'array'), -- JSON array of the irrevocable calls, each written before it is made:
                                         -- fencing_token, payload_hash, sent_at, and unless it made the post live, when it was
                                         -- answered and the outcome. A call without an answer may have been carried out.
  has_open_send INTEGER NOT NULL DEFAULT 0, -- a call may have been carried out
  publish_key TEXT,                      -- sealed JSON: the publish key
  last_try TEXT CHECK (JSON_TYPE(last_try) = 'object'), -- JSON: the outcome of its last try, in a thread of the current part, and how many
                                         -- retries it took: retries, error, detail, networkMessage; NULL: nothing to say
  network_post TEXT CHECK (JSON_TYPE(network_post) = 'object'), -- JSON: the post on its network, in a thread the first part: id, url, urlState, and
                                         -- what rechecks found: checkedAt, missingSince, readback; NULL: there is none
  success_seq INTEGER,                   -- `seq` of its success event
  is_held_back INTEGER NOT NULL DEFAULT 0, -- its database was restored to an earlier minute: its next steps may already have been taken
  terms TEXT CHECK (JSON_TYPE(terms) = 'object'), -- JSON: what its workspace accepted: rechecks, cost; NULL: the network's own rule, no cost
  PRIMARY KEY (workspace_id, post_id, channel_id),
  FOREIGN KEY (workspace_id, post_id) REFERENCES posts (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
-- The work of a channel, in order.
CREATE INDEX deliveries_work ON deliveries (workspace_id, channel_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_to_check ON deliveries (check_at) WHERE check_at IS NOT NULL;
-- Finds the posts that count towards a network's daily limit for an app (src/store/deliveries/app-posts.ts). Only YouTube has such a
-- limit, so deliveries to other networks are not in the index.
CREATE INDEX deliveries_of_app ON deliveries (coalesce(next_at, published_at)) WHERE platform = 'youtube';

-- The published parts of threads, the post itself first. A delivery without a thread has no such row.
CREATE TABLE thread_parts (
  workspace_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  position INTEGER NOT NULL,             -- 0: the post itself
  network_id TEXT NOT NULL,
  url TEXT,
  url_state TEXT NOT NULL CHECK (url_state IN ('none', 'pending', 'not_reported')),
  published_at INTEGER NOT NULL CHECK (published_at BETWEEN 0 AND 8640000000000000),
  attempts INTEGER NOT NULL,             -- how often the delivery had been sent by then
  publish_key TEXT,                      -- sealed JSON: kept for the first part, and until the network has reported id and address
  missing_since INTEGER CHECK (missing_since BETWEEN 0 AND 8640000000000000), -- the first of consecutive rechecks that did not find it
  is_removed INTEGER NOT NULL DEFAULT 0, -- it is gone from its network
  PRIMARY KEY (workspace_id, post_id, channel_id, position),
  FOREIGN KEY (workspace_id, post_id, channel_id)
    REFERENCES deliveries (workspace_id, post_id, channel_id) ON DELETE CASCADE
) WITHOUT ROWID;

-- The takedown of a post, which exists once it was requested, and work that is done once under a live post: its first comment,
-- thumbnail, captions, playlist, comments turned off. The delivery's `check_at` says when its next step is due.
CREATE TABLE follow_ups (
  workspace_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('takedown', 'edit', 'thumbnail_media', 'captions', 'playlist', 'pin', 'first_comment', 'comments')),
  state TEXT NOT NULL CHECK (state IN ('due', 'sending', 'done', 'failed', 'unknown')), -- as in src/domain/delivery/follow-up-moves.ts
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 1000), -- how often it was put off, or asked for in vain
  publish_key TEXT,                      -- sealed JSON: what was prepared for its call
  edit TEXT CHECK (JSON_TYPE(edit) = 'object'), -- JSON: the text that an edit writes, and who requested it; NULL: no edit
  detail TEXT,                           -- the reason, in Crier's words
  network_message TEXT,                  -- what the network said, cleaned
  PRIMARY KEY (workspace_id, post_id, channel_id, kind),
  FOREIGN KEY (workspace_id, post_id, channel_id)
    REFERENCES deliveries (workspace_id, post_id, channel_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  post_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,             -- SHA-256 of the canonical body
  created_at INTEGER NOT NULL,
  expires_at INTEGER,                    -- NULL while the post exists; a discarded post leaves a tombstone
  PRIMARY KEY (workspace_id, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiring ON idempotency_keys (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE usage_months (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  month TEXT NOT NULL,                   -- YYYY-MM, UTC
  posts INTEGER NOT NULL,
  given_back INTEGER NOT NULL DEFAULT 0, -- posts that were cancelled before they started
  PRIMARY KEY (workspace_id, month)
) WITHOUT ROWID;

CREATE TABLE events (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,                  -- commit order in its workspace; cursors of readers refer to it
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  post_id TEXT,
  channel_id TEXT NOT NULL,
  dedupe_key INTEGER NOT NULL,           -- the fencing token of the delivery; an instant for channel events
  body TEXT NOT NULL CHECK (JSON_TYPE(body) = 'object'), -- JSON, serialised once, sent byte for byte
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, seq)
) WITHOUT ROWID;
-- Most events are successes, which the feed itself finds.
CREATE INDEX events_by_name ON events (workspace_id, event, seq) WHERE event <> 'delivery.succeeded';
CREATE UNIQUE INDEX events_once ON events (workspace_id, post_id, channel_id, dedupe_key, event) WHERE event <> 'delivery.succeeded';

CREATE TABLE webhooks (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL CHECK (JSON_TYPE(events) = 'array'), -- JSON array of event names
  secret TEXT NOT NULL,                  -- sealed
  previous_secrets TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(previous_secrets) = 'array'), -- JSON: sealed secrets with the instant until which they still sign
  failing_since INTEGER,
  disabled_at INTEGER,
  disabled_reason TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

-- One event for one endpoint, until it is delivered or given up.
CREATE TABLE webhook_messages (
  workspace_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_seq INTEGER NOT NULL,
  state TEXT NOT NULL,                   -- pending | delivered | exhausted | skipped
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,              -- the next attempt, moved ahead by the dispatcher that claims it; of a finished message, its end
  PRIMARY KEY (workspace_id, webhook_id, event_id),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
-- The pending messages of an endpoint, by time.
CREATE INDEX webhook_messages_of ON webhook_messages (workspace_id, webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX webhook_messages_done ON webhook_messages (next_at) WHERE state <> 'pending';
-- Events that an endpoint missed while it was disabled, as its log lists them (src/store/webhooks/attempt-log.ts).
CREATE INDEX webhook_messages_skipped ON webhook_messages (workspace_id, webhook_id, event_id) WHERE state = 'skipped';

CREATE TABLE webhook_attempts (
  workspace_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  response_code INTEGER,
  outcome TEXT NOT NULL,                 -- delivered | refused | timeout | blocked | network_error
  duration_ms INTEGER NOT NULL,
  response TEXT,                         -- first 1 KiB
  attempted_at INTEGER NOT NULL,
  next_attempt_at INTEGER,
  PRIMARY KEY (workspace_id, webhook_id, id),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX webhook_attempts_old ON webhook_attempts (attempted_at);

-- The newest figures of a delivery as its network reported them; NULL = not reported.
CREATE TABLE measurements (
  workspace_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  day INTEGER NOT NULL,                  -- day of publishing, in UTC days since 1970
  measured_at INTEGER NOT NULL,
  views INTEGER,
  reach INTEGER,
  likes INTEGER,
  comments INTEGER,
  shares INTEGER,
  reposts INTEGER,
  quotes INTEGER,
  saves INTEGER,
  clicks INTEGER,
  PRIMARY KEY (workspace_id, post_id, channel_id),
  FOREIGN KEY (workspace_id, post_id, channel_id)
    REFERENCES deliveries (workspace_id, post_id, channel_id) ON DELETE CASCADE
) WITHOUT ROWID;
-- The oldest and the newest measurement behind a day's sum.
CREATE INDEX measurements_by_day ON measurements (workspace_id, platform, day, measured_at);

-- Metrics of the posts published for a workspace on a day, by network: the sum of each figure and the number of posts that have it.
CREATE TABLE measured_days (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  platform TEXT NOT NULL,
  views_sum INTEGER NOT NULL DEFAULT 0,
  views_count INTEGER NOT NULL DEFAULT 0,
  reach_sum INTEGER NOT NULL DEFAULT 0,
  reach_count INTEGER NOT NULL DEFAULT 0,
  likes_sum INTEGER NOT NULL DEFAULT 0,
  likes_count INTEGER NOT NULL DEFAULT 0,
  comments_sum INTEGER NOT NULL DEFAULT 0,
  comments_count INTEGER NOT NULL DEFAULT 0,
  shares_sum INTEGER NOT NULL DEFAULT 0,
  shares_count INTEGER NOT NULL DEFAULT 0,
  reposts_sum INTEGER NOT NULL DEFAULT 0,
  reposts_count INTEGER NOT NULL DEFAULT 0,
  quotes_sum INTEGER NOT NULL DEFAULT 0,
  quotes_count INTEGER NOT NULL DEFAULT 0,
  saves_sum INTEGER NOT NULL DEFAULT 0,
  saves_count INTEGER NOT NULL DEFAULT 0,
  clicks_sum INTEGER NOT NULL DEFAULT 0,
  clicks_count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, day, platform)
) WITHOUT ROWID;

-- Clients that registered. A client that publishes its description at its own address has no row.
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  url TEXT,
  redirect_uris TEXT NOT NULL CHECK (JSON_TYPE(redirect_uris) = 'array'), -- JSON
  auth_method TEXT NOT NULL,             -- none | client_secret_post | client_secret_basic
  secret_hash TEXT,                      -- SHA-256, hex; NULL: a public client
  created_at INTEGER NOT NULL,
  used_at INTEGER                        -- when somebody last let it in or it was given tokens
) WITHOUT ROWID;
CREATE INDEX oauth_clients_used ON oauth_clients (used_at);
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

-- A member's consent for one client in one workspace. It ends with the membership.
CREATE TABLE oauth_grants (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  client_id TEXT NOT NULL,               -- of oauth_clients, or the address of the client's description
  client_name TEXT NOT NULL,             -- as shown to the person
  client_url TEXT,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (JSON_TYPE(scopes) = 'array'), -- JSON
  resource TEXT NOT NULL,                -- the only address at which its tokens work
  code_challenge TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER NOT NULL,           -- of the code at first; moved by every exchange
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_expiring ON oauth_grants (expires_at);

CREATE TABLE oauth_tokens (
  hash TEXT PRIMARY KEY,                 -- SHA-256 of the token, hex
  kind TEXT NOT NULL,                    -- code | access | refresh
  workspace_id TEXT NOT NULL,
  grant_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,                       -- of a code or a refresh token: when it was first exchanged
  used_by TEXT,                          -- hash of the access token that it was last exchanged for
  FOREIGN KEY (workspace_id, grant_id) REFERENCES oauth_grants (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (workspace_id, grant_id);
CREATE INDEX oauth_tokens_expiring ON oauth_tokens (expires_at);

-- Ended grants whose MCP connections still have to be closed.
CREATE TABLE oauth_endings (
  grant_id TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) WITHOUT ROWID;

-- The mails that a member wants. Without a row, the defaults of the role apply.
CREATE TABLE notification_settings (
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  delivery_failed INTEGER NOT NULL,
  delivery_at_risk INTEGER NOT NULL,
  token_expiring INTEGER NOT NULL,
  approval_requested INTEGER NOT NULL,
  version_ending INTEGER NOT NULL DEFAULT 0, -- mails about versions of networks' APIs that end
  mentioned INTEGER NOT NULL DEFAULT 1,
  queue_low INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, user_id),
  FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE
) WITHOUT ROWID;

-- Mails to send, each once: one of a kind for a post, and one for each warning about a channel, its queue, or a network's API version.
CREATE TABLE notices (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,                    -- delivery_failed | delivery_at_risk | token_expiring | approval_requested | version_ending | mentioned | queue_low
  subject TEXT NOT NULL,                 -- id of the post, of the comment, or of the event of a warning
  event_seq INTEGER NOT NULL,            -- its first event; 0: a comment
  created_at INTEGER NOT NULL,
  next_at INTEGER,                       -- when it is mailed next, or when its claim expires; NULL: done
  attempts INTEGER NOT NULL DEFAULT 0,
  told TEXT NOT NULL DEFAULT '[]' CHECK (JSON_TYPE(told) = 'array'), -- JSON: ids of the members who have their mail
  PRIMARY KEY (workspace_id, kind, subject)
) WITHOUT ROWID;
CREATE INDEX notices_waiting ON notices (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notices_old ON notices (created_at);

-- Number of posts published for a workspace on a day, counted in blocks of 32 events so that a successful delivery writes no counter.
-- Readers count the events after the last full block (src/store/metrics.ts).
CREATE TABLE published_counts (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,                  -- of the events, in UTC days since 1970
  counts TEXT NOT NULL CHECK (JSON_TYPE(counts) = 'object'), -- JSON object by platform
  PRIMARY KEY (workspace_id, day)
) WITHOUT ROWID;

-- Workspaces in another database that has to receive changes made here.
CREATE TABLE carries (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  version INTEGER NOT NULL               -- carry_version of the workspace; the row is deleted only at the version that the other database has received
) WITHOUT ROWID;

-- A workspace that is being moved or has been moved to another database. The row is in both databases while one must not be written.
CREATE TABLE moving (
  workspace_id TEXT PRIMARY KEY,
  stage TEXT NOT NULL                    -- arriving | leaving | retiring | kept
) WITHOUT ROWID;

-- Rows that a moved workspace left in its old database, until an operator confirms the move.
CREATE TABLE kept_rows (
  workspace_id TEXT NOT NULL,
  table_name TEXT NOT NULL,
  key TEXT NOT NULL,                     -- JSON array
  content TEXT NOT NULL,                 -- JSON array of the columns in their order
  PRIMARY KEY (workspace_id, table_name, key)
) WITHOUT ROWID;

CREATE TABLE labels (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  posts INTEGER NOT NULL,                -- including drafts
  PRIMARY KEY (workspace_id, name)
) WITHOUT ROWID;

-- The posts of each channel and label by time, without drafts. Triggers keep it.
CREATE TABLE post_terms (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  term TEXT NOT NULL,                    -- channel id, or # and a label
  due_at INTEGER NOT NULL,
  post_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, term, due_at, post_id)
) WITHOUT ROWID;

-- Named keys with limits, in addition to the workspace's own key. A revoked key keeps its row, so that callers learn why it stopped
-- working.
CREATE TABLE named_keys (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,             -- SHA-256 of the key, hex; the key itself is stored nowhere
  start TEXT NOT NULL,                   -- its first characters, for lists
  name TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (JSON_TYPE(scopes) = 'array'), -- JSON array
  channels TEXT CHECK (JSON_TYPE(channels) = 'array'), -- JSON array of ids; NULL: all
  created_by TEXT NOT NULL,              -- the key ends when this person is no longer an owner
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,                  -- to the hour
  expires_at INTEGER,
  revoked_at INTEGER,
  budget INTEGER,                        -- as for workspaces
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;

-- Keys for programs that act in all workspaces that a person owns. A revoked key keeps its row, as for named keys.
CREATE TABLE account_keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,             -- SHA-256 of the key, hex; the key itself is stored nowhere
  start TEXT NOT NULL,                   -- its first characters, for lists
  name TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (JSON_TYPE(scopes) = 'array'), -- JSON array
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,                  -- to the hour
  expires_at INTEGER,
  revoked_at INTEGER
) WITHOUT ROWID;
CREATE INDEX account_keys_by_user ON account_keys (user_id, id);

CREATE TABLE slots (
  workspace_id TEXT NOT NULL PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  slots TEXT NOT NULL CHECK (JSON_TYPE(slots) = 'array') -- JSON array of { weekday, time, channels }, in the order of the week
) WITHOUT ROWID;

CREATE TABLE review_links (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the link's token, hex; the token itself is stored nowhere
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  post_id TEXT NOT NULL,
  rev INTEGER NOT NULL,
  created_by TEXT NOT NULL,              -- a user or a key; the link works only while they may approve posts
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  content_tag TEXT NOT NULL DEFAULT ''   -- of the post that is shown
) WITHOUT ROWID;
-- One link per post. A new link replaces the old one.
CREATE UNIQUE INDEX review_links_by_post ON review_links (workspace_id, post_id);
CREATE INDEX review_links_by_expiry ON review_links (expires_at);

-- Pages on which a client decides on all posts of some channels or labels that wait for approval.
CREATE TABLE portals (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  token_hash TEXT NOT NULL,              -- SHA-256 of the token in its address, hex; the token itself is stored nowhere
  name TEXT NOT NULL,
  channels TEXT CHECK (JSON_TYPE(channels) = 'array'), -- JSON array of ids; NULL: labels decide
  labels TEXT CHECK (JSON_TYPE(labels) = 'array'), -- JSON array; NULL: channels decide
  brand TEXT CHECK (JSON_TYPE(brand) = 'object'), -- JSON; NULL: none
  created_by TEXT NOT NULL,              -- a user or a key; the portal works only while they may approve posts
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX portals_by_token ON portals (token_hash);
CREATE INDEX portals_by_expiry ON portals (expires_at);

-- Decisions made in a portal, which its visitors see. What was decided stands with the post.
CREATE TABLE portal_decisions (
  workspace_id TEXT NOT NULL,
  portal_id TEXT NOT NULL,
  post_id TEXT NOT NULL,
  rev INTEGER NOT NULL,
  content_tag TEXT NOT NULL,             -- of the content that was decided on
  decision TEXT NOT NULL,                -- approve | decline
  by TEXT NOT NULL,                      -- the name that the visitor gave
  reason TEXT,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, portal_id, post_id, rev),
  FOREIGN KEY (workspace_id, portal_id) REFERENCES portals (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- Reports of figures, as pages for people without an account.
CREATE TABLE reports (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the token in its address, hex; the token itself is stored nowhere
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  from_date TEXT NOT NULL,               -- YYYY-MM-DD, on the workspace's clock
  to_date TEXT NOT NULL,                 -- inclusive
  channels TEXT CHECK (JSON_TYPE(channels) = 'array'), -- JSON array of ids; NULL: all
  label TEXT,
  created_by TEXT NOT NULL,              -- a user or a key; the report can be read only while they may read the workspace
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reports_by_expiry ON reports (expires_at);
CREATE INDEX reports_by_workspace ON reports (workspace_id);

CREATE TABLE factors (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,                    -- totp | passkey
  name TEXT NOT NULL,
  secret TEXT,                           -- totp: sealed; passkey: its challenge, until it is confirmed
  credential_id TEXT UNIQUE,             -- passkey: credential id, base64url
  public_key TEXT,                       -- passkey: COSE, base64url
  transports TEXT CHECK (JSON_TYPE(transports) = 'array'), -- passkey: JSON
  counter INTEGER NOT NULL DEFAULT 0,    -- totp: the last time step whose code was accepted; passkey: its signature counter
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX factors_by_user ON factors (user_id);

-- A recovery code works once: using it deletes its row.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,                    -- SHA-256, hex
  PRIMARY KEY (user_id, hash)
) WITHOUT ROWID;

-- Challenges for a person who has signed in and still has to show a second factor.
CREATE TABLE factor_challenges (
  token_hash TEXT PRIMARY KEY,           -- SHA-256 of the challenge, hex
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  session_hash TEXT,                     -- of the session that asks; NULL: a sign-in
  expires_at INTEGER NOT NULL,
  used_by TEXT                           -- a mark of the one use
) WITHOUT ROWID;
CREATE INDEX factor_challenges_by_user ON factor_challenges (user_id);
CREATE INDEX factor_challenges_expiring ON factor_challenges (expires_at);

-- The audit log: acts on rows of a workspace's home.
CREATE TABLE workspace_audit (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  act TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  target_id TEXT,
  target_name TEXT,
  address TEXT,
  client TEXT,
  details TEXT NOT NULL CHECK (JSON_TYPE(details) = 'object'),
  PRIMARY KEY (workspace_id, at, id)
) WITHOUT ROWID;
CREATE INDEX workspace_audit_forgotten ON workspace_audit (at);

-- Converted copies of images, shared by channels that need the same conversion. They are deleted with their file.
CREATE TABLE media_copies (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  media_id TEXT NOT NULL,
  conversion TEXT NOT NULL,              -- the source content and the requested conversion
  object_key TEXT NOT NULL,
  etag TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  adapted TEXT NOT NULL CHECK (JSON_TYPE(adapted) = 'array'), -- JSON: differences from the original
  PRIMARY KEY (workspace_id, media_id, conversion)
) WITHOUT ROWID;

-- Cost of a month's posts, counted by triggers whenever a post is scheduled, edited or cancelled.
CREATE TABLE spending (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  month TEXT NOT NULL,
  key_id TEXT NOT NULL,                  -- '': all posts of the workspace
  cost INTEGER NOT NULL,                 -- millionths of a US dollar
  PRIMARY KEY (workspace_id, month, key_id)
) WITHOUT ROWID;

-- When upload rights ended. Files uploaded earlier stay usable. Rows are deleted when no late upload can arrive.
CREATE TABLE ended_rights (
  holder TEXT NOT NULL,                  -- as in media.uploader or media.uploader_credential
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (holder, ended_at)
) WITHOUT ROWID;
CREATE INDEX ended_rights_by_end ON ended_rights (ended_at);

-- Triggers.

CREATE TRIGGER oauth_grants_ended AFTER DELETE ON oauth_grants BEGIN
  INSERT OR IGNORE INTO oauth_endings (grant_id, since) VALUES (OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

-- Runs with every statement that writes an event.
CREATE TRIGGER events_noticed AFTER INSERT ON events
WHEN NEW.event IN ('delivery.failed', 'delivery.at_risk', 'channel.token_expiring', 'post.repeat_paused') BEGIN
  INSERT INTO notices (workspace_id, kind, subject, event_seq, created_at, next_at)
  SELECT NEW.workspace_id, kind, subject, NEW.seq, now, now FROM (SELECT
    (CASE NEW.event WHEN 'delivery.at_risk' THEN 'delivery_at_risk' WHEN 'channel.token_expiring' THEN 'token_expiring'
      ELSE 'delivery_failed' END) AS kind,
    COALESCE(NEW.post_id, NEW.id) AS subject,
    CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS news
  WHERE NOT EXISTS (SELECT 1 FROM notices AS told WHERE told.workspace_id = NEW.workspace_id
    AND told.kind = news.kind AND told.subject = news.subject);
END;

-- The first event of a block of 32 positions counts the block before it. A number may stay unused, even the last one of a block.
CREATE TRIGGER events_counted AFTER INSERT ON events
WHEN NEW.seq / 32 > (SELECT MAX(seq) FROM events WHERE workspace_id = NEW.workspace_id AND seq < NEW.seq) / 32 BEGIN
  INSERT INTO published_counts (workspace_id, day, counts)
  SELECT NEW.workspace_id, day, json_group_object(platform, published) FROM (
    SELECT e.created_at / 86400000 AS day, e.body ->> '$.platform' AS platform, COUNT(*) AS published FROM events e
    WHERE e.workspace_id = NEW.workspace_id AND e.event = 'delivery.succeeded' AND e.seq < NEW.seq / 32 * 32
      AND e.seq >= (SELECT MAX(seq) FROM events WHERE workspace_id = NEW.workspace_id AND seq < NEW.seq) / 32 * 32
    GROUP BY 1, 2)
  WHERE TRUE GROUP BY day
  ON CONFLICT (workspace_id, day) DO UPDATE SET counts = (SELECT json_group_object(key, published) FROM (
    SELECT key, SUM(value) AS published FROM (SELECT key, value FROM json_each(published_counts.counts)
      UNION ALL SELECT key, value FROM json_each(excluded.counts)) GROUP BY key));
END;

-- Runs with every statement that makes the change.
CREATE TRIGGER workspaces_changed
AFTER UPDATE OF plan, plan_status, timezone, emptied_at, approval, four_eyes, rechecks, budget, link_tags, rights_epoch ON workspaces
WHEN NEW.home <> 0 BEGIN
  UPDATE workspaces SET carry_version = carry_version + 1 WHERE id = NEW.id;
  INSERT INTO carries (workspace_id, version) SELECT id, carry_version FROM workspaces WHERE id = NEW.id
  ON CONFLICT (workspace_id) DO UPDATE SET version = excluded.version;
END;

CREATE TRIGGER comments_of_deleted_posts AFTER DELETE ON posts BEGIN
  DELETE FROM comments WHERE workspace_id = OLD.workspace_id AND post_id = OLD.id;
END;

CREATE TRIGGER channels_ungrouped AFTER UPDATE OF removed_at ON channels WHEN OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL BEGIN
  UPDATE channel_groups SET channels = (SELECT json_group_array(value) FROM json_each(channel_groups.channels) WHERE value <> NEW.id)
  WHERE workspace_id = NEW.workspace_id AND EXISTS (SELECT 1 FROM json_each(channel_groups.channels) WHERE value = NEW.id);
  UPDATE feeds SET channels = (SELECT json_group_array(value) FROM json_each(feeds.channels) WHERE value <> NEW.id)
  WHERE workspace_id = NEW.workspace_id AND EXISTS (SELECT 1 FROM json_each(feeds.channels) WHERE value = NEW.id);
END;

CREATE TRIGGER media_listed AFTER INSERT ON media BEGIN
  INSERT INTO media_terms (workspace_id, term, media_id) SELECT NEW.workspace_id, value, NEW.id FROM json_each(NEW.terms);
END;

CREATE TRIGGER media_relisted AFTER UPDATE OF terms ON media WHEN NEW.terms <> OLD.terms BEGIN
  DELETE FROM media_terms WHERE workspace_id = OLD.workspace_id AND media_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.terms) EXCEPT SELECT value FROM json_each(NEW.terms));
  INSERT INTO media_terms (workspace_id, term, media_id) SELECT NEW.workspace_id, value, NEW.id
    FROM (SELECT value FROM json_each(NEW.terms) EXCEPT SELECT value FROM json_each(OLD.terms));
END;

CREATE TRIGGER media_unlisted AFTER DELETE ON media BEGIN
  DELETE FROM media_terms WHERE workspace_id = OLD.workspace_id AND media_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.terms));
END;

-- Labels count drafts, too. Only drafts have no due_at.
CREATE TRIGGER posts_listed AFTER INSERT ON posts BEGIN
  INSERT INTO labels (workspace_id, name, posts) SELECT NEW.workspace_id, value, 1 FROM json_each(NEW.labels) WHERE TRUE
    ON CONFLICT (workspace_id, name) DO UPDATE SET posts = labels.posts + 1;
  INSERT INTO post_terms (workspace_id, term, due_at, post_id) SELECT NEW.workspace_id, term, NEW.due_at, NEW.id
    FROM (SELECT value AS term FROM json_each(NEW.channels) UNION SELECT '#' || value FROM json_each(NEW.labels)) WHERE NEW.due_at IS NOT NULL;
END;

CREATE TRIGGER posts_relisted AFTER UPDATE OF due_at, channels, labels ON posts
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.channels <> OLD.channels OR NEW.labels <> OLD.labels BEGIN
  INSERT INTO labels (workspace_id, name, posts) SELECT NEW.workspace_id, value, 1 FROM json_each(NEW.labels)
    WHERE value NOT IN (SELECT value FROM json_each(OLD.labels))
    ON CONFLICT (workspace_id, name) DO UPDATE SET posts = labels.posts + 1;
  UPDATE labels SET posts = posts - 1 WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels))
    AND name NOT IN (SELECT value FROM json_each(NEW.labels));
  DELETE FROM labels WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels)) AND posts <= 0;
  DELETE FROM post_terms WHERE workspace_id = OLD.workspace_id AND due_at = OLD.due_at AND post_id = OLD.id
    AND term IN (SELECT value AS term FROM json_each(OLD.channels) UNION SELECT '#' || value FROM json_each(OLD.labels));
  INSERT INTO post_terms (workspace_id, term, due_at, post_id) SELECT NEW.workspace_id, term, NEW.due_at, NEW.id
    FROM (SELECT value AS term FROM json_each(NEW.channels) UNION SELECT '#' || value FROM json_each(NEW.labels)) WHERE NEW.due_at IS NOT NULL;
END;

CREATE TRIGGER posts_unlisted AFTER DELETE ON posts BEGIN
  UPDATE labels SET posts = posts - 1 WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels));
  DELETE FROM labels WHERE workspace_id = OLD.workspace_id AND name IN (SELECT value FROM json_each(OLD.labels)) AND posts <= 0;
  DELETE FROM post_terms WHERE workspace_id = OLD.workspace_id AND due_at = OLD.due_at AND post_id = OLD.id
    AND term IN (SELECT value AS term FROM json_each(OLD.channels) UNION SELECT '#' || value FROM json_each(OLD.labels));
END;

-- A post with times of single channels (`publish_at` in an override) has a row with the term `@` for each of its times, by which
-- free slots are found. Drafts have them, too. In JSON, the pattern can only be a key.
CREATE TRIGGER posts_timed AFTER INSERT ON posts WHEN instr(NEW.overrides, '"publish_at":') > 0 BEGIN
  INSERT OR IGNORE INTO post_terms (workspace_id, term, due_at, post_id)
  SELECT NEW.workspace_id, '@', at, NEW.id FROM (SELECT COALESCE(CAST(ROUND(unixepoch(json_extract(NEW.overrides, '$."' || value || '".publish_at'), 'subsec') * 1000)
    AS INTEGER), NEW.publish_at, NEW.due_at) AS at FROM json_each(NEW.channels)) WHERE at IS NOT NULL;
END;

CREATE TRIGGER posts_retimed AFTER UPDATE OF due_at, publish_at, channels, overrides ON posts
WHEN (instr(OLD.overrides, '"publish_at":') > 0 OR instr(NEW.overrides, '"publish_at":') > 0)
  AND (NEW.due_at IS NOT OLD.due_at OR NEW.publish_at IS NOT OLD.publish_at OR NEW.channels <> OLD.channels
    OR NEW.overrides <> OLD.overrides)
BEGIN
  DELETE FROM post_terms WHERE workspace_id = OLD.workspace_id AND term = '@' AND post_id = OLD.id AND due_at IN (
    SELECT COALESCE(CAST(ROUND(unixepoch(json_extract(OLD.overrides, '$."' || value || '".publish_at'), 'subsec') * 1000)
    AS INTEGER), OLD.publish_at, OLD.due_at) FROM json_each(OLD.channels));
  INSERT OR IGNORE INTO post_terms (workspace_id, term, due_at, post_id)
  SELECT NEW.workspace_id, '@', at, NEW.id FROM (SELECT COALESCE(CAST(ROUND(unixepoch(json_extract(NEW.overrides, '$."' || value || '".publish_at'), 'subsec') * 1000)
    AS INTEGER), NEW.publish_at, NEW.due_at) AS at FROM json_each(NEW.channels))
  WHERE at IS NOT NULL AND instr(NEW.overrides, '"publish_at":') > 0;
END;

CREATE TRIGGER posts_untimed AFTER DELETE ON posts WHEN instr(OLD.overrides, '"publish_at":') > 0 BEGIN
  DELETE FROM post_terms WHERE workspace_id = OLD.workspace_id AND term = '@' AND post_id = OLD.id AND due_at IN (
    SELECT COALESCE(CAST(ROUND(unixepoch(json_extract(OLD.overrides, '$."' || value || '".publish_at'), 'subsec') * 1000)
    AS INTEGER), OLD.publish_at, OLD.due_at) FROM json_each(OLD.channels));
END;

CREATE TRIGGER named_keys_of_who_left AFTER DELETE ON members BEGIN
  UPDATE named_keys SET revoked_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id AND revoked_at IS NULL;
END;

CREATE TRIGGER named_keys_of_former_owners AFTER UPDATE OF role ON members WHEN NEW.role <> 'owner' BEGIN
  UPDATE named_keys SET revoked_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id AND revoked_at IS NULL;
END;

-- A person's external ids are those of the workspaces that they own.
CREATE TRIGGER external_ids_of_who_left AFTER DELETE ON members BEGIN
  UPDATE workspaces SET external_owner = NULL WHERE id = OLD.workspace_id AND external_owner = OLD.user_id;
END;

CREATE TRIGGER external_ids_of_former_owners AFTER UPDATE OF role ON members WHEN NEW.role <> 'owner' BEGIN
  UPDATE workspaces SET external_owner = NULL WHERE id = OLD.workspace_id AND external_owner = OLD.user_id;
END;

-- One mail for a post that awaits approval, however often it is edited, and another if it awaits approval again after a decision.
CREATE TRIGGER approvals_noticed AFTER INSERT ON events WHEN NEW.event = 'post.approval_requested' BEGIN
  INSERT INTO notices (workspace_id, kind, subject, event_seq, created_at, next_at)
  SELECT NEW.workspace_id, 'approval_requested', NEW.post_id, NEW.seq, now, now
  FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS news
  WHERE NOT EXISTS (SELECT 1 FROM notices AS told WHERE told.workspace_id = NEW.workspace_id
    AND told.kind = 'approval_requested' AND told.subject = NEW.post_id);
END;

CREATE TRIGGER approvals_answered AFTER INSERT ON events WHEN NEW.event IN ('post.approved', 'post.declined') BEGIN
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind = 'approval_requested' AND subject = NEW.post_id;
END;

-- An idempotency key expires 30 days after its post is cancelled, by a caller, a publisher, or the outcome of its last delivery.
-- Late proof that such a post is live keeps the key as long as the post.
CREATE TRIGGER keys_of_cancelled_posts AFTER UPDATE OF status ON posts
WHEN NEW.idempotency_key IS NOT NULL AND (NEW.status = 'cancelled') <> (OLD.status = 'cancelled') BEGIN
  UPDATE idempotency_keys SET expires_at = iif(NEW.status = 'cancelled', CAST(unixepoch('subsec') * 1000 AS INTEGER) + 30 * 86400000, NULL)
    WHERE workspace_id = NEW.workspace_id AND key = NEW.idempotency_key AND post_id = NEW.id;
END;

CREATE TRIGGER posts_spent AFTER INSERT ON posts WHEN NEW.counted_month IS NOT NULL AND NEW.counted_cost > 0 BEGIN
  INSERT INTO spending (workspace_id, month, key_id, cost)
  SELECT NEW.workspace_id, NEW.counted_month, key_id, NEW.counted_cost
  FROM (SELECT '' AS key_id UNION ALL SELECT NEW.counted_key) WHERE key_id IS NOT NULL
  ON CONFLICT (workspace_id, month, key_id) DO UPDATE SET cost = cost + excluded.cost;
END;

-- A month has seven characters. While a post is being given back, its month is marked and not counted.
CREATE TRIGGER posts_spent_otherwise AFTER UPDATE OF counted_month, counted_cost, counted_key ON posts
WHEN (OLD.counted_cost > 0 OR NEW.counted_cost > 0)
  AND (OLD.counted_month IS NOT NEW.counted_month OR OLD.counted_cost <> NEW.counted_cost OR OLD.counted_key IS NOT NEW.counted_key)
BEGIN
  UPDATE spending SET cost = cost - OLD.counted_cost
  WHERE workspace_id = OLD.workspace_id AND month = OLD.counted_month AND key_id IN ('', OLD.counted_key);
  INSERT INTO spending (workspace_id, month, key_id, cost)
  SELECT NEW.workspace_id, NEW.counted_month, key_id, NEW.counted_cost
  FROM (SELECT '' AS key_id UNION ALL SELECT NEW.counted_key)
  WHERE key_id IS NOT NULL AND NEW.counted_cost > 0 AND length(NEW.counted_month) = 7
  ON CONFLICT (workspace_id, month, key_id) DO UPDATE SET cost = cost + excluded.cost;
END;

-- One mail for each warning.
CREATE TRIGGER warnings_noticed AFTER INSERT ON events WHEN NEW.event IN ('network.version_ending', 'channel.queue_low') BEGIN
  INSERT INTO notices (workspace_id, kind, subject, event_seq, created_at, next_at)
  SELECT NEW.workspace_id, (CASE NEW.event WHEN 'channel.queue_low' THEN 'queue_low' ELSE 'version_ending' END), NEW.id, NEW.seq, now, now
  FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) AS news;
END;

-- Runs whenever rights end. A workspace whose home is the accounts' database needs no epoch: its writes check the rights themselves.
CREATE TRIGGER rights_ended_by_rotation AFTER UPDATE OF revoked_at ON workspace_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = NEW.workspace_id AND home <> 0;
END;

CREATE TRIGGER rights_ended_by_revocation AFTER UPDATE OF revoked_at ON named_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = NEW.workspace_id AND home <> 0;
END;

CREATE TRIGGER rights_ended_by_account_key AFTER UPDATE OF revoked_at ON account_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1
  WHERE id IN (SELECT workspace_id FROM members WHERE user_id = NEW.user_id) AND home <> 0;
END;

CREATE TRIGGER rights_ended_by_removal AFTER DELETE ON members BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = OLD.workspace_id AND home <> 0;
END;

CREATE TRIGGER rights_ended_by_role AFTER UPDATE OF role ON members WHEN OLD.role <> NEW.role BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = OLD.workspace_id AND home <> 0;
END;

CREATE TRIGGER rights_ended_by_sign_out AFTER DELETE ON sessions
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1
  WHERE id IN (SELECT workspace_id FROM members WHERE user_id = OLD.user_id) AND home <> 0;
END;

CREATE TRIGGER rights_ended_by_disconnection AFTER DELETE ON oauth_grants
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  UPDATE workspaces SET rights_epoch = rights_epoch + 1 WHERE id = OLD.workspace_id AND home <> 0;
END;

CREATE TRIGGER uploads_end_by_rotation AFTER UPDATE OF revoked_at ON workspace_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('key:' || NEW.workspace_id || ':' || NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER uploads_end_by_revocation AFTER UPDATE OF revoked_at ON named_keys
WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('key:' || NEW.workspace_id || ':' || NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER uploads_end_by_removal AFTER DELETE ON members BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('member:' || OLD.workspace_id || ':' || OLD.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER uploads_end_by_role AFTER UPDATE OF role ON members WHEN NEW.role = 'viewer' AND OLD.role <> 'viewer' BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('member:' || OLD.workspace_id || ':' || OLD.user_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER uploads_end_by_sign_out AFTER DELETE ON sessions
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('session:' || OLD.token_hash, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER uploads_end_by_disconnection AFTER DELETE ON oauth_grants
WHEN OLD.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER) BEGIN
  INSERT INTO ended_rights (holder, ended_at)
  VALUES ('grant:' || OLD.id, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
