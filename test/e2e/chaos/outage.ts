// The state of a worker that is down. Letting time pass moves every instant in that state into the past by the same
// amount, so the outage appears longer to the next worker. The code under test is unchanged.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { INVARIANTS } from "../../../src/store/invariants.ts";

const INSTANTS = {
  deliveries: ["next_at", "scheduled_for", "started_at", "published_at"],
  channels: ["not_before", "renew_at"],
  posts: ["due_at", "publish_at"],
};

/** The sends of a delivery, each `:ms` earlier. */
const EARLIER_SENDS = `(SELECT json_group_array(json_set(value, '$.sent_at', CAST((value ->> '$.sent_at') - :ms AS INTEGER))) FROM json_each(sends))`;

/** How long after its send a delivery of a dead publisher is reconciled. No call takes longer. */
const RECOVERED_WITHIN_MS = 5 * 60_000;

/** All functions below need a worker whose processes have all ended. */
export async function passTime(stateFolder: string, ms: number): Promise<void> {
  await inDatabases(stateFolder, (db) => {
    for (const [table, columns] of Object.entries(INSTANTS)) {
      db.prepare(`UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} - :ms`).join(", ")}`).run({ ms });
    }
    db.prepare(`UPDATE deliveries SET sends = ${EARLIER_SENDS} WHERE sends <> '[]'`).run({ ms });
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

/** A send that was in progress when the worker died, so that its outcome is unknown. */
export interface CutOffSend {
  /** The id of its delivery and the number of the send. */
  name: string;
  platform: string;
  account: string;
}

export async function sendsUnderWay(stateFolder: string): Promise<CutOffSend[]> {
  return inDatabase(stateFolder, (db) =>
    db
      .prepare(
        `SELECT deliveries.id || ' ' || json_array_length(deliveries.sends) AS name, deliveries.platform, channels.handle AS account
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

/** Milliseconds until all unfinished deliveries can be claimed again; 0 if no delivery is waiting. */
export async function longestWait(stateFolder: string): Promise<number> {
  return inDatabase(stateFolder, (db) => {
    const row = db
      .prepare(
        `SELECT MAX(MAX(next_at, COALESCE(channels.not_before, 0),
            CASE WHEN state = 'sending' THEN (sends ->> '$[#-1].sent_at') + ${RECOVERED_WITHIN_MS} ELSE 0 END)) AS at
          FROM deliveries
          JOIN channels ON channels.workspace_id = deliveries.workspace_id AND channels.id = deliveries.channel_id
          WHERE next_at IS NOT NULL`,
      )
      .get();
    return Math.max(0, Number(row?.at ?? 0) - Date.now());
  });
}

/** The findings of the audit in this state. */
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

/** The result of `ask` for the database of the worker. */
async function inDatabase<Found>(stateFolder: string, ask: (db: DatabaseSync) => Found): Promise<Found> {
  const [answer, ...otherAnswers] = await inDatabases(stateFolder, ask);
  if (answer === undefined || otherAnswers.length > 0) throw new Error(`one database was expected in ${stateFolder}`);
  return answer;
}

/** The results of `ask` for each database, in the same order for every worker. */
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
