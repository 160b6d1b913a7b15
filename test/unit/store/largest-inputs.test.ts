// D1 limits lists and long values: 100 parameters, 2 MB for a value or a row, 100 KB of SQL, and five terms of a compound SELECT. This
// test calls each function of the store that takes a list with the longest list that its callers can pass. Statements without lists
// are the same for each input, and the suites in workerd, which has D1's limits, run them.
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/db/db.ts";
import { channels, deliveries, posts, workspaces } from "../../../src/store/db/schema.ts";
import { readDue } from "../../../src/store/deliveries/due.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";
import { ofAccounts } from "./largest-account-statements.ts";
import { ofContent } from "./largest-content-statements.ts";
import { ids, key, LARGEST, WORKSPACE } from "./largest-values.ts";
import { findListFunctions } from "./list-functions.ts";

const db = openDatabase(sqliteDatabase().binding);
/** Calls each function with the largest input of its operation. */
const STATEMENTS = { ...ofAccounts(db), ...ofContent(db) };

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
  "accounts/workspaces changeSettings": "test/worker-api/link-tags.test.ts",
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
