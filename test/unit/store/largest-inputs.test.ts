// D1 takes 100 bound parameters a statement, and SQLite itself many more: statements of lists, with the longest that they can get.
import { describe, it } from "vitest";
import {
  CHANNELS_PER_POST_MAX,
  DAY_MS,
  MEDIA_PER_POST_MAX,
  QUERY_WORDS_MAX,
  SLOTS_MAX,
} from "../../../src/domain/limits.ts";
import { channelsByIds } from "../../../src/store/channels/channels.ts";
import { ask, type BatchPart } from "../../../src/store/db/batch.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { workspaces } from "../../../src/store/db/schema.ts";
import { putOffFollowUps } from "../../../src/store/deliveries/follow-ups.ts";
import { mediaByIds, storeInspections } from "../../../src/store/media/media.ts";
import { expireFiles, markDeleted, markReady } from "../../../src/store/media/staging.ts";
import { forgetEndings } from "../../../src/store/oauth/grants.ts";
import { readOldPosts } from "../../../src/store/posts/archive.ts";
import { findPosts } from "../../../src/store/posts/find.ts";
import { readForImport } from "../../../src/store/posts/import.ts";
import { insertPost } from "../../../src/store/posts/new-post.ts";
import { readFree, readSlots } from "../../../src/store/slots.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const db = openDatabase(sqliteDatabase().binding);
const WORKSPACE = "ws_1";
const ids = (count: number) => Array.from({ length: count }, (_, i) => `id_${i}`);
const MANY = ids(2_000);
const files = MANY.map(
  (id) =>
    ({ workspaceId: WORKSPACE, id, objectKey: id, bytes: 1, state: "ready", expiresAt: 1, createdAt: 1 }) as const,
);

const inspections = ids(MEDIA_PER_POST_MAX).map((id) => ({ id, etag: "e", width: 1, height: 1, seconds: 1 }));
const wish = {
  workspaceId: WORKSPACE,
  post: null,
  channels: ids(CHANNELS_PER_POST_MAX),
  candidates: Array.from({ length: SLOTS_MAX * 53 }, (_, i) => i * 60_000),
};

/** A post of the most channels and files that it may have, which waits for the first free slot of a year. */
const LARGEST: Parameters<typeof insertPost>[1] = {
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
  deliveries: wish.channels.map((channelId) => ({ id: `dlv_${channelId}`, channelId, platform: "telegram" })),
  mediaUsed: inspections.map(({ id }) => id),
  key: { key: "k", fingerprint: "f" },
  inspections,
  postsMax: 10,
  news: { event: { id: "evt_1", event: "post.approval_requested", body: "{}", createdAt: 0 }, rev: 1 },
  draft: { growth: { drafts: 1, bytes: 1 }, room: { draftsMax: 10, bytesMax: 10 } },
  slot: wish,
};
const FINDING: Parameters<typeof findPosts>[2] = {
  status: "failed",
  range: { from: 0, to: DAY_MS },
  channel: "ch_1",
  platform: "telegram",
  label: "news",
  media: "med_1",
  author: "user_1",
  words: ids(QUERY_WORDS_MAX),
  order: "due",
  after: null,
  now: 0,
  limit: 200,
};
const read = <Found>(part: BatchPart<Found>) => ask(db, part);

/** Each as often as its operation may ask for. */
const STATEMENTS: Record<string, () => Promise<unknown>> = {
  "putting follow-ups off": () => putOffFollowUps(db, WORKSPACE, "ch_1", MANY, 1, 0),
  "writing a post": () => insertPost(db, LARGEST),
  "finding posts": () => read(findPosts(db, WORKSPACE, FINDING)),
  "reading what an import names": () =>
    read(readForImport(db, WORKSPACE, { ids: MANY, month: "2026-11", keyPrefix: "import k " })),
  "reading channels": () => channelsByIds(db, WORKSPACE, MANY),
  "reading files": async () => mediaByIds(db, WORKSPACE, MANY),
  "storing inspections": () => storeInspections(db, WORKSPACE, inspections),
  "marking files as ready": () => markReady(db, files),
  "expiring files": () => expireFiles(db, files),
  "marking objects as deleted": () =>
    markDeleted(
      db,
      MANY.map((objectKey) => ({ workspaceId: WORKSPACE, objectKey, nextAt: 1 })),
    ),
  "forgetting grants that have ended": () => forgetEndings(db, MANY),
  "reading what is archived": () => readOldPosts(db, WORKSPACE, MANY, 1),
  "reading slots": () => read(readSlots(db, WORKSPACE, MANY)),
  "reading free slots": () => read(readFree(db, wish, 100)),
};

describe("the largest input that there can be", () => {
  it.each(Object.entries(STATEMENTS))("fits into the statements of %s", async (_, carryOut) => {
    await db
      .insert(workspaces)
      .values({ id: WORKSPACE, name: "Ada", plan: "unlimited", createdAt: 0 })
      .onConflictDoNothing();
    await carryOut();
  });
});
