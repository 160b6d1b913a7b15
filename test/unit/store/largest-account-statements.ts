// The functions of accounts, channels, deliveries and events, each with the largest input of its operation.
import { expect } from "vitest";
import { RECOVERY_CODES_COUNT } from "../../../src/domain/factor.ts";
import { KEY_CHANNELS_MAX, THREAD_PARTS_MAX, UNUSED_LOOKED_AT_MAX } from "../../../src/domain/limits.ts";
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
import type { Database } from "../../../src/store/db/db.ts";
import { workspaces } from "../../../src/store/db/schema.ts";
import { readDue } from "../../../src/store/deliveries/due.ts";
import { putOffFollowUps } from "../../../src/store/deliveries/follow-ups.ts";
import { recordRecheck } from "../../../src/store/deliveries/rechecks.ts";
import { recordDeliveries, takeTogether, writeDeliveries } from "../../../src/store/deliveries/write.ts";
import { listEvents } from "../../../src/store/events.ts";
import {
  connection,
  deliveryRecords,
  ENTRY,
  event,
  FILTER,
  HEIRS,
  ids,
  intents,
  key,
  liveThreadPart,
  MANY,
  WORKSPACE,
} from "./largest-values.ts";

const RECOVERY_HASHES = ids(RECOVERY_CODES_COUNT);
const OWN_ENTRY = { ...ENTRY, userId: "usr_1" };

export const ofAccounts = (db: Database): Record<string, () => Promise<unknown>> => ({
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
    recordRecheck(db, key, {
      after: {
        is: "kept",
        url: null,
        urlState: "none",
        missingSince: null,
        nextAt: 1,
        readback: { state: "altered", altered: ["text", "title", "media_count", "media_order"] },
      },
      result: "altered",
      altered: event,
      threadParts: Array.from({ length: THREAD_PARTS_MAX + 1 }, (_, position) => ({ ...liveThreadPart, position })),
    }),
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
});
