import {
  CHANNELS_PER_POST_MAX,
  DAY_MS,
  HEIRS_MAX,
  KEY_CHANNELS_MAX,
  MEDIA_PER_POST_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  QUERY_WORDS_MAX,
  SLOTS_MAX,
  THREAD_PARTS_MAX,
} from "../../../src/domain/limits.ts";
import { PREVIOUS_SECRETS_MAX } from "../../../src/domain/webhook.ts";
import type { DeliveryRecord } from "../../../src/store/deliveries/record.ts";
import type { editPost } from "../../../src/store/posts/edits.ts";
import type { findPosts } from "../../../src/store/posts/find.ts";
import type { insertPost } from "../../../src/store/posts/new-post.ts";
import { makeEntry } from "../../support/audit-entries.ts";

export const WORKSPACE = "ws_1";
export const ids = (count: number) => Array.from({ length: count }, (_, i) => `id_${i}`);
export const MANY = ids(2_000);
export const HEIRS = ids(HEIRS_MAX).map((workspaceId) => ({ workspaceId, userId: "usr_2" }));
export const files = MANY.map(
  (id) =>
    ({ workspaceId: WORKSPACE, id, objectKey: id, bytes: 1, state: "ready", expiresAt: 1, createdAt: 1 }) as const,
);

export const inspections = ids(MEDIA_PER_POST_MAX).map((id) => ({ id, etag: "e", width: 1, height: 1, seconds: 1 }));
export const wish = {
  workspaceId: WORKSPACE,
  post: null,
  channels: ids(CHANNELS_PER_POST_MAX),
  candidates: Array.from({ length: SLOTS_MAX * 53 }, (_, i) => i * 60_000),
};

/** A post with the most channels and files, which waits for the first free slot of a year. */
export const LARGEST: Parameters<typeof insertPost>[1] = {
  post: {
    workspaceId: WORKSPACE,
    id: "post_1",
    status: "scheduled",
    text: "x",
    media: [],
    channels: wish.channels,
    overrides: {},
    metadata: {},
    timezone: "UTC",
    countedMonth: "2026-11",
    createdAt: 0,
    updatedAt: 0,
  },
  deliveries: wish.channels.map((channelId) => ({
    id: `dlv_${channelId}`,
    channelId,
    platform: "telegram",
    at: null,
    terms: { rechecks: "light", cost: { publish: 200_000, rechecks: 15_000, metrics: 0 } },
  })),
  mediaUsed: inspections.map(({ id }) => id),
  key: { key: "k", fingerprint: "f" },
  inspections,
  postsMax: 10,
  spend: {
    cost: 1,
    keyId: "key_1",
    budgets: [
      { keyId: "", max: 10 },
      { keyId: "key_1", max: 10 },
    ],
  },
  news: { event: { id: "evt_1", event: "post.approval_requested", body: "{}", createdAt: 0 }, rev: 1 },
  draft: { growth: { drafts: 1, bytes: 1 }, room: { draftsMax: 10, bytesMax: 10 } },
  slot: wish,
  ownSlots: [],
  times: { base: 0, isFollowed: true, own: null },
  follows: null,
};
export const ENTRY = makeEntry(WORKSPACE, "post.approved");
/** An edit of the same size. */
const { post: postFields, key: _key, ...otherFields } = LARGEST;
export const EDIT: Parameters<typeof editPost>[1] = {
  ...otherFields,
  workspaceId: WORKSPACE,
  id: postFields.id,
  revision: 1,
  from: "draft",
  next: 2,
  tag: "t",
  entry: ENTRY,
  fields: { ...postFields, status: "scheduled" },
  month: "2026-11",
};
export const FINDING: Parameters<typeof findPosts>[2] = {
  status: "failed",
  range: { from: 0, to: DAY_MS },
  channel: "ch_1",
  platform: "telegram",
  label: "news",
  media: "med_1",
  author: "user_1",
  needsAttention: true,
  words: ids(QUERY_WORDS_MAX),
  order: "due",
  after: null,
  now: 0,
  limit: 200,
};

/** The body of an event of a post with the longest metadata, in a script with three bytes for each character. */
const LONGEST_BODY = JSON.stringify({ text: "語".repeat(METADATA_KEYS_MAX * METADATA_VALUE_LENGTH_MAX) });
const guards = ids(100).map((id) => ({
  key: { workspaceId: WORKSPACE, postId: id, channelId: "ch_1" },
  session: "s",
  fencingToken: 1,
  version: 1,
  since: 0,
}));
export const liveThreadPart = {
  id: "1".repeat(64),
  url: `https://x.example/${"1".repeat(200)}`,
  urlState: "none",
  position: THREAD_PARTS_MAX,
  publishedAt: 1,
  attempts: 1,
  publishKey: "h".repeat(4_000),
  missingSince: null,
  isRemoved: false,
} as const;
export const deliveryRecords: DeliveryRecord[] = guards.map((guard, i) => ({
  guard,
  decision: {
    state: "live",
    nextAt: null,
    hasOpenSend: false,
    retries: 0,
    publishKey: "h".repeat(4_000),
    live: liveThreadPart,
    error: null,
    detail: null,
    event: "delivery.succeeded",
    channelNotBefore: 1,
  },
  event: { id: `evt_${i}`, event: "delivery.succeeded", body: LONGEST_BODY, createdAt: 0 },
  followUp: { checkAt: 1, kinds: ["first_comment"], hasFiles: true },
  threadPart: { proof: "part_live", live: liveThreadPart },
}));
export const intents = guards.map((guard) => ({ guard, publishKey: "h".repeat(4_000), payloadHash: "p" }));
export const event = { id: "evt_2", event: "delivery.altered", body: LONGEST_BODY, createdAt: 0 };
export const connection = {
  accountId: "a",
  name: null,
  avatarUrl: null,
  avatarAt: null,
  profileUrl: null,
  credential: "c",
  credentialId: "1",
  tokenExpiresAt: null,
  renewAt: null,
  warnAt: null,
  connectedBy: null,
  connectedByName: null,
  missingPermissions: ids(50),
  tier: "t".repeat(20),
};
export const key = { workspaceId: WORKSPACE, postId: "post_1", channelId: "ch_1" };
export const FILTER = {
  event: null,
  post: null,
  channel: null,
  actor: "key_1",
  hasChannels: true,
  reach: ids(KEY_CHANNELS_MAX),
  order: "newest",
  after: null,
  limit: 200,
} as const;
export const SLOTS = Array.from({ length: SLOTS_MAX }, () => ({ weekday: 1, time: "09:30", channels: wish.channels }));
export const PREVIOUS_SECRETS = ids(PREVIOUS_SECRETS_MAX).map((secret) => ({ secret, until: 1 }));
