// Broken rows of deliveries, which no release has written: such a delivery is logged and held, or ends with its error. It is not sent,
// and the other deliveries of its channel and lane go out, once. The schema refuses most of these rows
// (test/unit/store/delivery-columns.test.ts), so they are written here with its checks switched off.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, MINUTE_MS } from "../support/machine.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { type Account, type ChannelBody, connect, ledger, post, signUp } from "../support/world.ts";

/** After five failures a delivery is given up, and after one more it is set aside. */
const STARTS = 7;

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  for (const level of ["error", "warn"] as const)
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
});
const workspaces: string[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  // Tests of other files read whole tables.
  const erase = testEnv.DB.prepare("DELETE FROM workspaces WHERE id IN (SELECT value FROM json_each(?))");
  await erase.bind(JSON.stringify(workspaces.splice(0))).run();
});

async function signUpForTest(): Promise<Account> {
  const account = await signUp();
  workspaces.push(account.workspace);
  return account;
}

async function due({ key }: Account, { id: channel }: ChannelBody, text: string) {
  const { id } = await post(key, { text, channels: [channel], publish_at: tomorrow() });
  await age(id, DAY_MS + 5 * MINUTE_MS);
  return id;
}

/** Runs a statement on rows of a post and its channel, and lets columns hold what their checks refuse. */
async function poison(sql: string, postId: string, channelId: string): Promise<void> {
  const { DB } = testEnv;
  const [, changed] = await DB.batch([
    DB.prepare("PRAGMA ignore_check_constraints = ON"),
    DB.prepare(sql.includes("?2") ? sql : `${sql} AND ?2 = ?2`).bind(postId, channelId),
    DB.prepare("PRAGMA ignore_check_constraints = OFF"),
  ]);
  expect(changed?.meta.changes).toBe(1);
}
/** Whether a line of the log says that the delivery of a post cannot be read. */
const isAbout = (line: string, postId: string) => line.includes("delivery_unreadable") && line.includes(postId);
const rowOf = (postId: string) =>
  testEnv.DB.prepare("SELECT * FROM deliveries WHERE post_id = ?").bind(postId).first<Record<string, unknown>>();

const inDelivery = (columns: string) => `UPDATE deliveries SET ${columns} WHERE post_id = ?1`;
const inPost = (columns: string) => `UPDATE posts SET ${columns} WHERE id = ?1`;
const part = JSON.stringify({ id: "1", url: null, urlState: "none", at: 1, attempts: 1 });

/** A lane with a broken delivery, one behind it on its channel, and one on another channel. All are due. */
async function poisonedLane(sql: string) {
  const account = await signUpForTest();
  const [channel, other] = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  const broken = await due(account, channel, "broken");
  await due(account, channel, "behind");
  await due(account, other, "elsewhere");
  await poison(sql, broken, channel.id);
  return { account, channel, other, broken };
}

/** What is wrong with a delivery, and the statement that makes it so: it cannot be read, so it stays as it is. */
const UNREADABLE: [string, string][] = [
  ["is in an unknown state", inDelivery("state = 'dreaming'")],
  ["is in an empty state", inDelivery("state = ''")],
  ["has a state in capital letters", inDelivery("state = 'PENDING'")],
  ["is live and due", inDelivery("state = 'live'")],
  ["was handed over and is due", inDelivery("state = 'handed_over'")],
  ["has failed and is due", inDelivery("state = 'failed'")],
  ["has an unknown outcome and is due", inDelivery("state = 'outcome_unknown'")],
  ["was removed and is due", inDelivery("state = 'removed'")],
  ["was cancelled and is due", inDelivery("state = 'cancelled'")],
  ["has parts that are no JSON", inDelivery("parts = '{broken'")],
  ["has parts that are no list", inDelivery("parts = '{}'")],
  ["has a part that is a number", inDelivery("parts = '[7]'")],
  ["has a part that is null", inDelivery("parts = '[null]'")],
  ["has a part without an id", inDelivery(`parts = '[{"at":1,"attempts":1}]'`)],
  ["has a live part, and a post without parts", inDelivery(`parts = '[${part}]'`)],
  ["has a comparison that is no JSON", inDelivery("readback = '{broken'")],
  ["has a post whose options are no JSON", inPost("overrides = '{broken'")],
  ["has a post whose thread is no JSON", inPost("thread = '[broken'")],
];

it.each(UNREADABLE)("a delivery that %s is held, and the others of its channel and lane go out", async (_, sql) => {
  const { account, channel, other, broken } = await poisonedLane(sql);
  const before = await rowOf(broken);
  const { work } = await ownPublisher(account.workspace, channel.id);
  await work();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["behind"]);
  expect((await ledger(other.handle)).map(({ text }) => text)).toEqual(["elsewhere"]);
  expect(await rowOf(broken)).toEqual(before);
  expect(lines.filter((line) => isAbout(line, broken))).not.toEqual([]);
  // The audit cannot read JSON that does not parse: it fails as a whole.
  if (sql.includes("broken")) return;
  expect((await brokenInvariants(account.workspace)).filter((line) => line.includes(broken))).not.toEqual([]);
});

/** The same for rows that can be read, and the columns of the delivery when the others have gone out. */
const READABLE: [string, string, Record<string, unknown>][] = [
  ["has sends that are no JSON", inDelivery("sends = '{broken'"), { state: "pending" }],
  ["has sends that are no list", inDelivery("sends = '{}'"), { state: "pending" }],
  [
    "has a version that no number in JavaScript can hold",
    inDelivery("version = 9007199254740993"),
    { state: "pending" },
  ],
  ["has options for its channel that are a number", inPost("overrides = json_object(?2, 7)"), { state: "live" }],
  ["has an unknown network", inDelivery("platform = 'myspace'"), { error: "service_misconfigured" }],
  [
    "has the name of a member of objects as its network",
    inDelivery("platform = 'constructor'"),
    { error: "service_misconfigured" },
  ],
  ["has an unsealed publish key", inDelivery("publish_key = '{}'"), { error: "service_misconfigured" }],
  [
    "is being sent, and does not say since when",
    inDelivery("state = 'sending', sent_at = NULL"),
    { state: "outcome_unknown" },
  ],
  ["is being sent since a text", inDelivery("state = 'sending', sent_at = 'soon'"), { state: "outcome_unknown" }],
  [
    "is being sent since a time beyond all dates",
    inDelivery("state = 'sending', sent_at = 1e300"),
    { state: "sending" },
  ],
  ["is due before all dates", inDelivery("next_at = -1e300"), { state: "live" }],
  ["is due at a text", inDelivery("next_at = 'soon'"), { state: "pending" }],
  ["is due beyond all dates", inDelivery("next_at = 1e300"), { state: "pending" }],
  ["was promised before all dates", inDelivery("scheduled_for = -1e300"), { error: "missed_deadline" }],
];

it.each(READABLE)("a delivery that %s does not stop the others of its channel and lane", async (_, sql, end) => {
  const { account, channel, other, broken } = await poisonedLane(sql);
  const { work, storage } = await ownPublisher(account.workspace, channel.id);
  for (let i = 0; i < STARTS; i++) await work();
  const isLive = end.state === "live";
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([...(isLive ? ["broken"] : []), "behind"]);
  expect((await ledger(other.handle)).map(({ text }) => text)).toEqual(["elsewhere"]);
  expect(await rowOf(broken)).toMatchObject(end);
  if (storage.alarmAt !== null) expect(new Date(storage.alarmAt).getTime()).toBe(storage.alarmAt);
});

it("a channel whose JSON does not parse stops no other channel of its lane", async () => {
  const account = await signUpForTest();
  const [channel, other] = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  const broken = await due(account, channel, "broken");
  await due(account, other, "elsewhere");
  await poison("UPDATE channels SET missing_permissions = '[broken' WHERE id = ?2 AND ?1 = ?1", broken, channel.id);
  const { work } = await ownPublisher(account.workspace, channel.id);
  await work();
  expect(await ledger(channel.handle)).toEqual([]);
  expect((await ledger(other.handle)).map(({ text }) => text)).toEqual(["elsewhere"]);
});

it("more broken deliveries than are read at once stop no delivery behind them", async () => {
  const account = await signUpForTest();
  const channel = await connect(account.key, "telegram");
  const broken: string[] = [];
  for (let i = 0; i < 23; i++) broken.push(await due(account, channel, "broken"));
  for (const id of broken) await poison(inDelivery("state = 'dreaming'"), id, channel.id);
  await due(account, channel, "behind");
  const { work } = await ownPublisher(account.workspace, channel.id);
  await work();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["behind"]);
  for (const id of broken) expect(lines.filter((line) => isAbout(line, id))).not.toEqual([]);
});
