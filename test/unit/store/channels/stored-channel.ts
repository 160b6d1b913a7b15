// A channel with further channels that tests do not write, in SQLite with a fixed clock.
import { expect } from "vitest";
import type { Connection } from "../../../../src/store/channels/channels.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { channels, webhooks, workspaces } from "../../../../src/store/db/schema.ts";
import { setClock } from "../../../support/database-clock.ts";
import { sqliteBinding, sqliteDatabase } from "../../../support/sqlite-database.ts";

/** The database's clock. */
export const NOW = 1_800_000_000_000;

const { raw } = sqliteDatabase();
setClock(raw, () => NOW);
/** The database of all tests. */
export let db = openDatabase(sqliteBinding(raw));

type Channel = typeof channels.$inferInsert;

export const CONNECTION: Connection = {
  accountId: "account_1",
  name: "Ada",
  avatarUrl: "https://a.example/ada.png",
  avatarAt: NOW + 3,
  profileUrl: "https://a.example/ada",
  credential: "sealed",
  credentialId: "credential_1",
  tokenExpiresAt: NOW + 9,
  renewAt: NOW + 5,
  warnAt: NOW + 7,
  connectedByName: null,
  connectedBy: "user_1",
  missingPermissions: [],
  tier: null,
};

/** Makes a row with the columns that every channel has. */
export const makeChannelRow = (workspaceId: string, id: string, columns: Partial<Channel> = {}): Channel => ({
  workspaceId,
  id,
  platform: "telegram",
  handle: `@${id}`,
  ...CONNECTION,
  createdAt: 0,
  updatedAt: 0,
  ...columns,
});

/** Adds rows one by one, because D1 allows a hundred parameters in a statement. */
export async function addChannels(rows: readonly Channel[]): Promise<void> {
  for (const row of rows) await db.insert(channels).values(row);
}

/** Stores the channel "ch_1" with these columns, another one of the same workspace, and one with the same id in another workspace. */
export async function storeChannel(columns: Partial<Channel> = {}) {
  // A new database object builds all statements again, so that a mistake in building them fails in every test.
  db = openDatabase(sqliteBinding(raw));
  raw.exec("DELETE FROM workspaces");
  await db
    .insert(workspaces)
    .values(["ws_1", "ws_2"].map((id) => ({ id, name: "Ada", plan: "unlimited", createdAt: 0 }) as const));
  await addChannels([
    makeChannelRow("ws_1", "ch_1", columns),
    makeChannelRow("ws_1", "ch_2"),
    makeChannelRow("ws_2", "ch_1"),
  ]);
  const readAll = async () => {
    const allRows = await db.select().from(channels).orderBy(channels.workspaceId, channels.id);
    return {
      ownRow: allRows.find((row) => row.workspaceId === "ws_1" && row.id === "ch_1"),
      otherRows: allRows.filter((row) => row.workspaceId !== "ws_1" || row.id !== "ch_1"),
    };
  };
  const { ownRow, otherRows } = await readAll();
  /** Reads the row, and expects unchanged rows of the other channels. */
  const read = async () => {
    const now = await readAll();
    expect(now.otherRows).toEqual(otherRows);
    return now.ownRow ?? expect.fail("the channel is gone");
  };
  return {
    /** The row right after it was stored. */
    channel: ownRow ?? expect.fail("no channel"),
    read,
    addWebhook: async (id: string, columns: Partial<typeof webhooks.$inferInsert> = {}) => {
      const row = { workspaceId: "ws_1", id, url: "https://hooks.example", secret: "sealed", createdAt: 0 };
      await db.insert(webhooks).values({ ...row, events: ["channel.token_expiring"], ...columns });
    },
  };
}
