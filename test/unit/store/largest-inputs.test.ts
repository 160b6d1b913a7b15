// D1 limits lists and long values: 100 parameters, 2 MB for a value or a row, 100 KB of SQL, and five terms of a compound SELECT. This
// test calls each function of the store that takes a list with the longest list that its callers can pass. Statements without lists
// are the same for each input, and the suites in workerd, which has D1's limits, run them.
import { describe, expect, it } from "vitest";
import { listRuns } from "../../../src/domain/date-range.ts";
import { RECOVERY_CODES_COUNT } from "../../../src/domain/factor.ts";
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
  THREAD_PARTS_MAX,
  UNUSED_LOOKED_AT_MAX,
} from "../../../src/domain/limits.ts";
import { RATE_LIMITS } from "../../../src/domain/rate-limit.ts";
import { refuse } from "../../../src/domain/refusal.ts";
import { ROLES } from "../../../src/domain/roles.ts";
import { eraseUser } from "../../../src/store/accounts/delete-workspaces.ts";
import { confirmFactor, replaceRecoveryCodes } from "../../../src/store/accounts/factors.ts";
import { guardedDatabase } from "../../../src/store/accounts/guarded-database.ts";
import { guardedHome } from "../../../src/store/accounts/guarded-home.ts";
import { resetFactors } from "../../../src/store/accounts/lost-factors.ts";
import { ownersOfEach } from "../../../src/store/accounts/members.ts";
import { namesByIds } from "../../../src/store/accounts/names.ts";
import { unlessEnded } from "../../../src/store/accounts/rights.ts";
import { listChannelGroups } from "../../../src/store/channel-groups.ts";
import {
  CHANNELS_PER_LANE,
  channelsByIds,
  insertChannel,
  listChannels,
  reconnectChannel,
} from "../../../src/store/channels/channels.ts";
import { ask, type Statements } from "../../../src/store/db/batch.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { channels, deliveries, feeds, media, posts, webhooks, workspaces } from "../../../src/store/db/schema.ts";
import { readDue } from "../../../src/store/deliveries/due.ts";
import { putOffFollowUps } from "../../../src/store/deliveries/follow-ups.ts";
import { recordRecheck } from "../../../src/store/deliveries/rechecks.ts";
import { recordDeliveries, takeTogether, writeDeliveries } from "../../../src/store/deliveries/write.ts";
import { listEvents } from "../../../src/store/events.ts";
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
import { replaceSecret } from "../../../src/store/webhooks/endpoints.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";
import {
  connection,
  deliveryRecords,
  EDIT,
  ENTRY,
  event,
  FILTER,
  FINDING,
  files,
  HEIRS,
  ids,
  inspections,
  intents,
  key,
  LARGEST,
  liveThreadPart,
  MANY,
  PREVIOUS_SECRETS,
  SLOTS,
  WORKSPACE,
  wish,
} from "./largest-values.ts";
import { findListFunctions } from "./list-functions.ts";

const db = openDatabase(sqliteDatabase().binding);
const RECOVERY_HASHES = ids(RECOVERY_CODES_COUNT);
const read = <Found>(statements: Statements<Found>) => ask(db, statements);

/** Calls each function with the largest input of its operation. */
const OWN_ENTRY = { ...ENTRY, userId: "usr_1" };
const STATEMENTS: Record<string, () => Promise<unknown>> = {
  "accounts/delete-workspaces eraseUser": () =>
    eraseUser(db, { entry: OWN_ENTRY, heirsEntryId: "aud_2", heirs: HEIRS, verified: null }),
  "accounts/factors confirmFactor": () =>
    confirmFactor(db, { userId: "usr_1", id: "fac_1", counter: 1 }, { hashes: RECOVERY_HASHES, keep: "s" }, OWN_ENTRY),
  "accounts/lost-factors resetFactors": () =>
    resetFactors(db, { workspaceId: "ws_1", userId: "usr_1", by: "usr_2" }, ids(UNUSED_LOOKED_AT_MAX), ENTRY),
  "accounts/factors replaceRecoveryCodes": () => replaceRecoveryCodes(db, RECOVERY_HASHES, OWN_ENTRY),
  "accounts/members ownersOfEach": () => ownersOfEach(db, MANY),
  "accounts/names namesByIds": () => namesByIds(db, WORKSPACE, MANY),
  "accounts/guarded-database guardedDatabase": () =>
    guardedDatabase(db, { workspaceId: WORKSPACE, kind: "key", keyId: "key_1" }, async () => {}).batch([
      db.select().from(workspaces),
    ]),
  "accounts/guarded-home guardedHome": () =>
    guardedHome({
      accounts: db,
      home: db,
      rights: { workspaceId: WORKSPACE, kind: "grant", grantId: "grt_1", userId: "usr_1", roles: ROLES },
      judged: { epoch: 0, at: Date.now() },
      ended: () => refuse("session_expired"),
    }).batch([db.select().from(workspaces)]),
  "accounts/rights unlessEnded": () =>
    db
      .select({ holds: unlessEnded({ workspaceId: WORKSPACE, kind: "session", tokenHash: "t", roles: ROLES }) })
      .from(workspaces),
  "channel-groups listChannelGroups": () =>
    listChannelGroups(db, WORKSPACE, { limit: 200, before: "grp_1", only: ids(KEY_CHANNELS_MAX) }),
  "channels/channels listChannels": () =>
    listChannels(db, WORKSPACE, { limit: 200, before: "ch_1", only: ids(KEY_CHANNELS_MAX) }),
  "channels/channels channelsByIds": () => channelsByIds(db, WORKSPACE, MANY),
  "channels/channels insertChannel": () =>
    insertChannel(
      db,
      { workspaceId: WORKSPACE, id: "ch_1", platform: "telegram", handle: "@a", ...connection },
      { channelsMax: 10, event, entry: ENTRY },
    ),
  "channels/channels reconnectChannel": () =>
    reconnectChannel(db, { workspaceId: WORKSPACE, id: "ch_1" }, connection, {
      channelsMax: 10,
      event,
      entry: ENTRY,
    }),
  "deliveries/due readDue": () =>
    readDue(db, { workspaceId: WORKSPACE, lane: 0 }, { busy: ids(CHANNELS_PER_LANE), sendTimeoutsMs: { telegram: 1 } }),
  "deliveries/follow-ups putOffFollowUps": () => putOffFollowUps(db, WORKSPACE, "ch_1", MANY, 1, 0),
  "deliveries/rechecks recordRecheck": () =>
    recordRecheck(
      db,
      key,
      {
        is: "kept",
        url: null,
        urlState: "none",
        missingSince: null,
        nextAt: 1,
        readback: { state: "altered", altered: ["text", "title", "media_count", "media_order"] },
      },
      event,
      Array.from({ length: THREAD_PARTS_MAX + 1 }, (_, position) => ({ ...liveThreadPart, position })),
    ),
  "deliveries/write takeTogether": async () => {
    const [waiting, waitingIntents] = [[...deliveryRecords], [...intents]];
    for (let i = 0; waiting.length + waitingIntents.length > 0; i++) {
      if (i > deliveryRecords.length) expect.fail("nothing is taken");
      const some = takeTogether(waiting, (record) => record);
      await writeDeliveries(
        db,
        some,
        takeTogether(waitingIntents, (intent) => intent),
      );
    }
  },
  "deliveries/write recordDeliveries": () => recordDeliveries(db, deliveryRecords),
  "events listEvents": () => listEvents(db, WORKSPACE, FILTER),
  "media/copies readCopies": async () => readCopies(db, WORKSPACE, MANY),
  "media/found findMedia": () =>
    findMedia(db, WORKSPACE, { terms: ids(QUERY_WORDS_MAX + 2), limit: 200, before: "med_1" }),
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
  "media/staging expireFiles": () => expireFiles(db, files),
  "media/staging markDeleted": () =>
    markDeleted(
      db,
      MANY.map((objectKey) => ({ workspaceId: WORKSPACE, objectKey, nextAt: 1 })),
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
    const address = { workspaceId: WORKSPACE, id: "feed", name: "Blog", url: "https://a.example", template: "{title}" };
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
    const row = { workspaceId: WORKSPACE, id: "wh_1", url: "https://a.example", events: [], secret: "s", createdAt: 0 };
    const [endpoint = expect.fail("no endpoint")] = await db.insert(webhooks).values(row).returning();
    await replaceSecret(db, endpoint, { secret: "t", previousSecrets: PREVIOUS_SECRETS }, ENTRY);
  },
};

/** Functions that only make parts of the statements above, or read their answers. */
const PARTS = [
  "db/json-table jsonTable",
  "deliveries/app-posts countAppPostsOfEach",
  "deliveries/due makeGuard",
  "deliveries/follow-up-rows hasTakedown",
  "deliveries/guard leftValues",
  "deliveries/moves isInState",
  "deliveries/moves stateList",
  "deliveries/send-intent intentValues",
  "deliveries/send-intent readWrittenIntents",
  "deliveries/record getRecordNeeds",
  "deliveries/record recordValues",
  "deliveries/record readRecorded",
  "deliveries/thread-part-rows updateRecheckedThreadParts",
  "deliveries/write writeDeliveries",
  "invariants-page toPages",
  "media/media noteInspections",
  "media/staging among",
  "metrics measuredIn",
  "posts/approvals notifiedBy",
  "posts/media-uses canTakeFiles",
  "posts/media-uses takeFiles",
  "posts/new-post countedWith",
  "posts/new-post insertDeliveries",
  "posts/posts inChannelOrder",
  "posts/posts withDeliveries",
  "posts/spending editedPostFits",
  "posts/spending importedPostFits",
  "posts/spending newPostFits",
  "slots areFree",
  "slots firstFree",
  "standing keyOfRow",
  "webhooks/messages endpointsToNotify",
];

/** Functions that other tests call with their largest input. */
const ELSEWHERE = {
  "accounts/ended-rights findLateUploads": "test/unit/store/ended-rights.test.ts",
  "accounts/keys touchKey": "test/worker-api/keys.test.ts",
  "deliveries/follow-ups rescheduleFollowUp": "test/unit/store/deliveries/follow-ups.test.ts",
  "posts/write-imported writeImported": "test/worker-api/import.test.ts",
  "standing selectStanding": "test/worker-delivery/after-restore-stops.test.ts",
};

it("every function of the store that takes a list is listed in this file", () => {
  const listed = [...Object.keys(STATEMENTS), ...PARTS, ...Object.keys(ELSEWHERE)];
  expect(listed.sort()).toEqual(findListFunctions().sort());
});

describe("the largest input that there can be", () => {
  it.each(Object.entries(STATEMENTS))(
    "the largest possible input fits into the statements of %s",
    async (_, carryOut) => {
      await db
        .insert(workspaces)
        .values({ id: WORKSPACE, name: "Ada", plan: "unlimited", createdAt: 0 })
        .onConflictDoNothing();
      await carryOut();
    },
  );
});

it("a publisher can read the longest possible post, even if all its characters are escaped", async () => {
  const workspaceId = "ws_2";
  const channel = { workspaceId, id: "ch_1", platform: "facebook", handle: "a", createdAt: 0, updatedAt: 0 };
  const text = '"'.repeat(63_000);
  const overrides = Object.fromEntries(ids(8).map((id) => [id, { text }]));
  await db.insert(workspaces).values({ id: workspaceId, name: "Ada", plan: "unlimited", createdAt: 0 });
  await db.insert(channels).values({ ...channel, credential: "sealed" });
  await db
    .insert(posts)
    .values({ ...LARGEST.post, workspaceId, id: "post_1", channels: ["ch_1"], overrides, dueAt: 1 });
  await db
    .insert(deliveries)
    .values({ ...key, workspaceId, id: "dlv_1", platform: "facebook", state: "pending", nextAt: 1 });
  const lane = { workspaceId, lane: 0 };
  const { deliveries: due } = await readDue(db, lane, { busy: [], sendTimeoutsMs: {} });
  expect(due.map(({ post }) => post.overrides)).toEqual([overrides]);
});
