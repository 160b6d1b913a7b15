// The functions of files, figures, posts, slots and webhooks, each with the largest input of its operation.
import { expect } from "vitest";
import { listRuns } from "../../../src/domain/date-range.ts";
import {
  BODY_BYTES_MAX,
  CHANNELS_PER_POST_MAX,
  FEED_SEEN_MAX,
  KEY_CHANNELS_MAX,
  MEASURED_COMPARED_MAX,
  MEDIA_PER_POST_MAX,
  NAME_LENGTH_MAX,
  PORTAL_POSTS_MAX,
  QUERY_WORDS_MAX,
  RANGE_DAYS_MAX,
  RANGE_POSTS_MAX,
  REASON_LENGTH_MAX,
  REPORT_CHANNELS_MAX,
  REVIEWER_LENGTH_MAX,
  TEXT_LENGTH_MAX,
} from "../../../src/domain/limits.ts";
import { RATE_LIMITS } from "../../../src/domain/rate-limit.ts";
import { ask, type Statements } from "../../../src/store/db/batch.ts";
import type { Database } from "../../../src/store/db/db.ts";
import { feeds, media, posts, webhooks } from "../../../src/store/db/schema.ts";
import { recordFeedRead } from "../../../src/store/feeds.ts";
import { readCopies } from "../../../src/store/media/copies.ts";
import { findMedia } from "../../../src/store/media/found.ts";
import { findLogoUses, keepLogos } from "../../../src/store/media/logos.ts";
import { mediaByIds, mediaOfPosts, storeInspections } from "../../../src/store/media/media.ts";
import { expireFiles, markDeleted, markReady } from "../../../src/store/media/staging.ts";
import { postsByFigure } from "../../../src/store/metrics.ts";
import { forgetEndings } from "../../../src/store/oauth/grants.ts";
import { deleteOldPosts, readOldPosts } from "../../../src/store/posts/archive.ts";
import { readForCheck } from "../../../src/store/posts/check.ts";
import { visitorComments } from "../../../src/store/posts/comments.ts";
import { editPost } from "../../../src/store/posts/edits.ts";
import { findPosts } from "../../../src/store/posts/find.ts";
import { readForImport } from "../../../src/store/posts/import.ts";
import { insertPost } from "../../../src/store/posts/new-post.ts";
import { storeDecisions } from "../../../src/store/posts/portals.ts";
import { postsByIds } from "../../../src/store/posts/posts.ts";
import { insertFiles } from "../../../src/store/posts/write-imported.ts";
import { publishedInRange } from "../../../src/store/range-figures.ts";
import { readFree, readSlots, writeSlots } from "../../../src/store/slots.ts";
import { readUsageOfEach } from "../../../src/store/usage.ts";
import { replaceSecret } from "../../../src/store/webhooks/endpoints.ts";
import {
  EDIT,
  ENTRY,
  FINDING,
  files,
  ids,
  inspections,
  LARGEST,
  MANY,
  PREVIOUS_SECRETS,
  SLOTS,
  WORKSPACE,
  wish,
} from "./largest-values.ts";

export const ofContent = (db: Database): Record<string, () => Promise<unknown>> => {
  const read = <Found>(statements: Statements<Found>) => ask(db, statements);
  return {
    "media/copies readCopies": async () => readCopies(db, WORKSPACE, MANY),
    "media/found findMedia": () =>
      findMedia(db, WORKSPACE, { terms: ids(QUERY_WORDS_MAX + 2), limit: 200, before: "med_1", hasUnlisted: false }),
    "usage readUsageOfEach": async () => readUsageOfEach(db, MANY, "2026-11"),
    "media/media mediaByIds": async () => mediaByIds(db, WORKSPACE, MANY),
    "media/media mediaOfPosts": () => mediaOfPosts(db, WORKSPACE, MANY),
    "media/media storeInspections": () => storeInspections(db, WORKSPACE, inspections),
    "media/staging markReady": () => markReady(db, files),
    "media/logos findLogoUses": () => findLogoUses(db, files),
    "media/logos keepLogos": () =>
      keepLogos(
        db,
        files,
        files.map(({ workspaceId, id }) => ({
          workspaceId,
          mediaId: id,
          shownBy: "portal" as const,
          portalId: "ptl_1",
          name: "n".repeat(NAME_LENGTH_MAX),
          expiresAt: 1,
        })),
      ),
    "media/staging expireFiles": () => expireFiles(db, files, "unused"),
    "media/staging markDeleted": () =>
      markDeleted(
        db,
        MANY.map((objectKey) => ({ workspaceId: WORKSPACE, objectKey, nextAt: 1, uploadId: null })),
      ),
    "metrics postsByFigure": () =>
      postsByFigure(db, WORKSPACE, {
        platform: "telegram",
        figure: "likes",
        from: 1,
        until: 400 * 86_400_000,
        only: ids(REPORT_CHANNELS_MAX),
        label: "l".repeat(100),
        channels: ids(KEY_CHANNELS_MAX),
        after: { value: 1, postId: "p", channelId: "c" },
        limit: 200,
        comparedMax: MEASURED_COMPARED_MAX,
      }),
    "range-figures publishedInRange": () =>
      publishedInRange(db, WORKSPACE, {
        from: 1,
        until: 2 * RANGE_DAYS_MAX * 86_400_000,
        runs: listRuns({ firstDay: 18_262, days: 2 * RANGE_DAYS_MAX, timezone: "Africa/Casablanca" }),
        channel: "c",
        label: "l".repeat(100),
        channels: ids(KEY_CHANNELS_MAX),
        isByChannel: true,
        postsMax: RANGE_POSTS_MAX,
      }),
    "feeds recordFeedRead": async () => {
      const address = {
        workspaceId: WORKSPACE,
        id: "feed",
        name: "Blog",
        url: "https://a.example",
        template: "{title}",
      };
      const rest = {
        channels: [],
        labels: [],
        draft: true,
        intervalMinutes: 60,
        madeBy: "u",
        madeSince: 1,
        createdAt: 1,
      };
      const [row = expect.fail("no feed")] = await db
        .insert(feeds)
        .values({ ...address, ...rest })
        .returning();
      const seen = Array.from({ length: FEED_SEEN_MAX }, (_, i) => `${i}`.padStart(20, "x"));
      await recordFeedRead(db, row, { seen, validators: {}, posts: 1, problem: null, waitMs: 1 });
    },
    "oauth/grants forgetEndings": () => forgetEndings(db, MANY),
    "posts/archive readOldPosts": () => readOldPosts(db, WORKSPACE, MANY, 1),
    "posts/archive deleteOldPosts": async () => {
      const [post = expect.fail("no post")] = await db
        .insert(posts)
        .values({ ...LARGEST.post, id: "post_2" })
        .returning();
      await deleteOldPosts(
        db,
        WORKSPACE,
        MANY.map((id) => ({ post: { ...post, id }, deliveries: [], comments: [] })),
        1,
      );
    },
    "posts/portals storeDecisions": () =>
      storeDecisions(
        db,
        Array.from({ length: PORTAL_POSTS_MAX }, (_, i) => ({
          workspaceId: WORKSPACE,
          portalId: "ptl",
          contentTag: "x".repeat(43),
          postId: `${i}`,
          rev: 1,
          decision: "decline",
          by: "b".repeat(REVIEWER_LENGTH_MAX),
          reason: "r".repeat(REASON_LENGTH_MAX),
          decidedAt: 1,
        })),
      ),
    "posts/comments visitorComments": () => visitorComments(db, WORKSPACE, MANY, 200),
    "posts/posts postsByIds": () => postsByIds(db, WORKSPACE, MANY),
    "posts/check readForCheck": () =>
      read(
        readForCheck(db, WORKSPACE, {
          channels: ids(CHANNELS_PER_POST_MAX),
          media: ids(MEDIA_PER_POST_MAX),
          month: "2026-11",
          idempotencyKey: "k",
          duplicatesOf: { text: "x".repeat(TEXT_LENGTH_MAX), since: 0 },
          ofPost: "post_1",
          slots: true,
        }),
      ),
    "posts/edits editPost": () => read(editPost(db, EDIT)),
    "posts/find findPosts": () => read(findPosts(db, WORKSPACE, FINDING)),
    "posts/import readForImport": () =>
      read(readForImport(db, WORKSPACE, { ids: MANY, month: "2026-11", keyPrefix: "import k " })),
    "posts/new-post insertPost": () => insertPost(db, LARGEST),
    "posts/write-imported insertFiles": async () => {
      const [[filesMax = 0] = []] = RATE_LIMITS.media_workspace.windows;
      const url = `https://a.example/${"x".repeat(BODY_BYTES_MAX / filesMax)}`;
      const row = { workspaceId: WORKSPACE, id: "med_0", kind: "image", state: "ready", url, createdAt: 0 } as const;
      const [file = expect.fail("no file")] = await db.insert(media).values(row).returning();
      const filesToInsert = ids(filesMax).map((id) => ({ ...file, id }));
      for (const statement of insertFiles(db, filesToInsert)) await statement;
    },
    "slots readSlots": () => read(readSlots(db, WORKSPACE, MANY)),
    "slots writeSlots": () => writeSlots(db, SLOTS, ENTRY),
    "slots readFree": () => read(readFree(db, wish, 100)),
    "webhooks/endpoints replaceSecret": async () => {
      const row = {
        workspaceId: WORKSPACE,
        id: "wh_1",
        url: "https://a.example",
        events: [],
        secret: "s",
        createdAt: 0,
      };
      const [endpoint = expect.fail("no endpoint")] = await db.insert(webhooks).values(row).returning();
      await replaceSecret(db, endpoint, { secret: "t", previousSecrets: PREVIOUS_SECRETS }, ENTRY);
    },
  };
};
