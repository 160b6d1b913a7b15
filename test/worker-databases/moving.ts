// A workspace with a history, and moves of it that can be observed or broken off.
import { confirmMove, moveWorkspace } from "../../scripts/move/move.ts";
import { OWN_TABLES } from "../../scripts/move/tables.ts";
import type { Query } from "../../scripts/query.ts";
import { databasesWith, signUpIn } from "../support/databases.ts";
import { tomorrow } from "../support/dates.ts";
import { DATABASES, testEnv } from "../support/env.ts";
import { type Account, call, connect, finished, post, uploadImage } from "../support/world.ts";

export class Died extends Error {}

/** The databases as a move sees them. The move breaks off before its statement number `diesAt`. */
export function openQueries(
  diesAt = Number.POSITIVE_INFINITY,
  before: (sql: string) => Promise<void> = async () => {},
): Query[] {
  let count = 0;
  return DATABASES.map((db) => async (sql, ...params) => {
    if (++count >= diesAt) throw new Died();
    await before(sql);
    return (
      await db
        .prepare(sql)
        .bind(...params)
        .all<Record<string, unknown>>()
    ).results;
  });
}
const tell = () => {};
export const moveTo = (
  target: number,
  { workspace }: Account,
  databases = openQueries(),
  letReadsEnd = async (): Promise<void> => {},
) => moveWorkspace({ workspace, target, databases, tell, letReadsEnd });
export const finishMove = ({ workspace }: Account) => confirmMove({ workspace, databases: openQueries(), tell });

/** Opens a workspace with a history and with scheduled posts. */
export async function openBusyWorkspace(home: number) {
  const account = await signUpIn(home);
  const channel = await connect(account.key, "telegram");
  const image = await uploadImage(account);
  await call("POST", "/v1/webhooks", { token: account.key, body: { url: `${testEnv.RECEIVERS}/moved` } });
  const past = await post(account.key, { text: "past", media: [image.id], channels: [channel.id] });
  await finished(account.key, past.id);
  await post(account.key, { text: "draft", channels: [channel.id], draft: true });
  const due = await post(account.key, { text: "due", channels: [channel.id], publish_at: tomorrow() });
  return { account, channel, due };
}

export const listHomes = async ({ workspace }: Account) => {
  const homes = await Promise.all(OWN_TABLES.map((table) => databasesWith(table, workspace)));
  return [...new Set(homes.flat())];
};
