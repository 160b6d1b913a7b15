// The state of a worker that is down. Letting time pass in it moves every instant that the machine has written down into the
// past by the same amount: to whoever reads it afterwards, the outage was so much longer. The code under test runs as it is.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { INVARIANTS } from "../../../src/store/invariants.ts";

const INSTANTS = {
  deliveries: ["next_at", "scheduled_for", "sent_at", "started_at", "published_at"],
  channels: ["not_before", "renew_at"],
  posts: ["due_at", "publish_at"],
};

/** After its send a delivery whose publisher died is looked into: no call takes longer. */
const RECOVERED_WITHIN_MS = 5 * 60_000;

/** Everything below is for a worker whose processes have all ended. */
export async function passTime(stateFolder: string, ms: number): Promise<void> {
  await inDatabases(stateFolder, (db) => {
    for (const [table, columns] of Object.entries(INSTANTS)) {
      db.prepare(`UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} - :ms`).join(", ")}`).run({ ms });
    }
  });
  const objects = join(stateFolder, "v3/do");
  for (const object of await readdir(objects)) {
    for (const file of await databases(join(objects, object))) {
      within(join(objects, object, file), (db) => {
        const tables = db
          .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
          .all()
          .map(({ name }) => name);
        // The runtime keeps its alarms in nanoseconds, in the list of a class and once more in each object.
        const ns = BigInt(ms) * 1_000_000n;
        if (tables.includes("_cf_ALARM"))
          db.prepare("UPDATE _cf_ALARM SET scheduled_time = scheduled_time - ?").run(ns);
        if (tables.includes("_cf_METADATA"))
          db.prepare("UPDATE _cf_METADATA SET value = value - ? WHERE key = 1 AND typeof(value) = 'integer'").run(ns);
      });
    }
  }
}

/** A send that was under way when the worker died: nobody knows what became of it. */
export interface CutOffSend {
  /** Of this one send: its delivery, and which of its sends it was. */
  name: string;
  platform: string;
  account: string;
}

export async function sendsUnderWay(stateFolder: string): Promise<CutOffSend[]> {
  return inDatabase(stateFolder, (db) =>
    db
      .prepare(
        `SELECT deliveries.id || ' ' || deliveries.attempts AS name, deliveries.platform, channels.handle AS account
          FROM deliveries
          JOIN channels ON channels.workspace_id = deliveries.workspace_id AND channels.id = deliveries.channel_id
          WHERE deliveries.state = 'sending'`,
      )
      .all()
      .map(({ name, platform, account }) => ({
        name: String(name),
        platform: String(platform),
        account: String(account),
      })),
  );
}

/** Milliseconds until the last of the unfinished deliveries can be taken up again; 0 when none is left or all can. */
export async function longestWait(stateFolder: string): Promise<number> {
  return inDatabase(stateFolder, (db) => {
    const row = db
      .prepare(
        `SELECT MAX(MAX(next_at, COALESCE(channels.not_before, 0),
            CASE WHEN state = 'sending' THEN sent_at + ${RECOVERED_WITHIN_MS} ELSE 0 END)) AS at
          FROM deliveries
          JOIN channels ON channels.workspace_id = deliveries.workspace_id AND channels.id = deliveries.channel_id
          WHERE next_at IS NOT NULL`,
      )
      .get();
    return Math.max(0, Number(row?.at ?? 0) - Date.now());
  });
}

/** What the audit of a deployment finds in it. */
export async function brokenInvariants(stateFolder: string): Promise<string[]> {
  return inDatabase(stateFolder, (db) =>
    INVARIANTS.flatMap(({ name, sql }) =>
      db
        .prepare(sql)
        .all()
        .map((row) => `${name}: ${JSON.stringify(row)}`),
    ),
  );
}

/** What `ask` finds in the database of the worker. */
async function inDatabase<Found>(stateFolder: string, ask: (db: DatabaseSync) => Found): Promise<Found> {
  const [answer, ...others] = await inDatabases(stateFolder, ask);
  if (answer === undefined || others.length > 0) throw new Error(`one database was expected in ${stateFolder}`);
  return answer;
}

/** What `ask` finds in each of them, in an order that is the same for every worker. */
export async function inDatabases<Found>(stateFolder: string, ask: (db: DatabaseSync) => Found): Promise<Found[]> {
  const folder = join(stateFolder, "v3/d1/miniflare-D1DatabaseObject");
  const files = (await databases(folder)).filter((name) => name !== "metadata.sqlite").sort();
  return files.map((file) => within(join(folder, file), ask));
}

async function databases(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".sqlite"));
}

function within<Found>(file: string, ask: (db: DatabaseSync) => Found): Found {
  const db = new DatabaseSync(file);
  try {
    return ask(db);
  } finally {
    db.close();
  }
}
