// Broken rows of deliveries that no release has written. Such a delivery is logged and held, or ends with its error. It
// is not sent, and the other deliveries of its channel and lane are published once. The schema rejects most of these
// rows (test/unit/store/delivery-columns.test.ts), so they are written here with its checks turned off.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, MINUTE_MS } from "../support/machine.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { everyNth } from "../support/sampled.ts";
import { type Account, type ChannelBody, connect, ledger, post, signUp } from "../support/world.ts";

/** A delivery is given up after five failures, and set aside after one more. */
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

async function createDue({ key }: Account, { id: channel }: ChannelBody, text: string) {
  const { id } = await post(key, { text, channels: [channel], publish_at: tomorrow() });
  await age(id, DAY_MS + 5 * MINUTE_MS);
  return id;
}

/** Runs a statement on the rows of a post and its channel, without the check constraints of columns. */
async function poison(sql: string, postId: string, channelId: string): Promise<void> {
  const { DB } = testEnv;
  const [, changed] = await DB.batch([
    DB.prepare("PRAGMA ignore_check_constraints = ON"),
    DB.prepare(sql.includes("?2") ? sql : `${sql} AND ?2 = ?2`).bind(postId, channelId),
    DB.prepare("PRAGMA ignore_check_constraints = OFF"),
  ]);
  expect(changed?.meta.changes).toBe(1);
}
/** Whether a line of the log reports that the delivery of a post cannot be read. */
const isUnreadableLine = (line: string, postId: string) =>
  line.includes("delivery_unreadable") && line.includes(postId);
const getRow = (postId: string) =>
  testEnv.DB.prepare("SELECT * FROM deliveries WHERE post_id = ?").bind(postId).first<Record<string, unknown>>();

const updateDelivery = (columns: string) => `UPDATE deliveries SET ${columns} WHERE post_id = ?1`;
const updatePost = (columns: string) => `UPDATE posts SET ${columns} WHERE id = ?1`;

/**
 * Creates a lane with a broken delivery, another delivery behind it on its channel, and one on another channel. All are
 * due.
 */
async function createPoisonedLane(sql: string) {
  const account = await signUpForTest();
  const [channel, otherChannel] = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  const broken = await createDue(account, channel, "broken");
  await createDue(account, channel, "behind");
  await createDue(account, otherChannel, "elsewhere");
  await poison(sql, broken, channel.id);
  return { account, channel, otherChannel, broken };
}

/**
 * A defect of a delivery, and the statement that causes it. The delivery cannot be read, and therefore stays unchanged.
 */
const UNREADABLE: [string, string][] = [
  ["is in an unknown state", updateDelivery("state = 'dreaming'")],
  ["is in an empty state", updateDelivery("state = ''")],
  ["has a state in capital letters", updateDelivery("state = 'PENDING'")],
  ["is live and due", updateDelivery("state = 'live'")],
  ["was handed over and is due", updateDelivery("state = 'handed_over'")],
  ["has failed and is due", updateDelivery("state = 'failed'")],
  ["has an unknown outcome and is due", updateDelivery("state = 'outcome_unknown'")],
  ["was removed and is due", updateDelivery("state = 'removed'")],
  ["was cancelled and is due", updateDelivery("state = 'cancelled'")],
  ["has sends that are no JSON", updateDelivery("sends = '{broken'")],
  ["has sends that are no list", updateDelivery("sends = '{}'")],
  ["has a send that is null", updateDelivery("sends = '[null]'")],
  ["was sent at a text", updateDelivery(`sends = '[{"sent_at":"soon"}]'`)],
  ["has a last try that is no JSON", updateDelivery("last_try = '{broken'")],
  ["has a last try that is a list", updateDelivery("last_try = '[]'")],
  ["has a post on its network that is no JSON", updateDelivery("network_post = '{broken'")],
  ["has a post on its network without an id", updateDelivery("network_post = '{}'")],
  ["has terms that are a list", updateDelivery("terms = '[]'")],
  ["has a post whose options are no JSON", updatePost("overrides = '{broken'")],
  ["has a post whose thread is no JSON", updatePost("thread = '[broken'")],
];

it.each(everyNth(UNREADABLE, { sample: 4 }))(
  "holds a delivery that %s, and publishes the others of its channel and lane",
  async (_, sql) => {
    const { account, channel, otherChannel, broken } = await createPoisonedLane(sql);
    const before = await getRow(broken);
    const { work } = await ownPublisher(account.workspace, channel.id);
    await work();
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["behind"]);
    expect((await ledger(otherChannel.handle)).map(({ text }) => text)).toEqual(["elsewhere"]);
    expect(await getRow(broken)).toEqual(before);
    expect(lines.filter((line) => isUnreadableLine(line, broken))).not.toEqual([]);
    // The audit fails as a whole if it meets JSON that does not parse.
    if (sql.includes("broken")) return;
    expect((await brokenInvariants(account.workspace)).filter((line) => line.includes(broken))).not.toEqual([]);
  },
);

/** Rows with a defect that can be read, and the columns of the delivery after the others have been published. */
const READABLE: [string, string, Record<string, unknown>][] = [
  [
    "has a version that no number in JavaScript can hold",
    updateDelivery("version = 9007199254740993"),
    { state: "pending" },
  ],
  ["has options for its channel that are a number", updatePost("overrides = json_object(?2, 7)"), { state: "live" }],
  [
    "has an unknown network",
    updateDelivery("platform = 'myspace'"),
    { last_try: expect.stringContaining("service_misconfigured") },
  ],
  [
    "has the name of a member of objects as its network",
    updateDelivery("platform = 'constructor'"),
    { last_try: expect.stringContaining("service_misconfigured") },
  ],
  [
    "has an unsealed publish key",
    updateDelivery("publish_key = '{}'"),
    { last_try: expect.stringContaining("service_misconfigured") },
  ],
  [
    "is being sent, and does not say since when",
    updateDelivery("state = 'sending', sends = '[]'"),
    { state: "outcome_unknown" },
  ],
  [
    "is being sent since a time beyond all dates",
    updateDelivery(`state = 'sending', sends = '[{"sent_at":1e300}]'`),
    { state: "sending" },
  ],
  ["is due before all dates", updateDelivery("next_at = -1e300"), { state: "live" }],
  ["is due at a text", updateDelivery("next_at = 'soon'"), { state: "pending" }],
  ["is due beyond all dates", updateDelivery("next_at = 1e300"), { state: "pending" }],
  [
    "was promised before all dates",
    updateDelivery("scheduled_for = -1e300"),
    { last_try: expect.stringContaining("missed_deadline") },
  ],
];

it.each(everyNth(READABLE, { sample: 3 }))(
  "publishes the others of the channel and lane if a delivery %s",
  async (_, sql, end) => {
    const { account, channel, otherChannel, broken } = await createPoisonedLane(sql);
    const { work, storage } = await ownPublisher(account.workspace, channel.id);
    for (let i = 0; i < STARTS; i++) await work();
    const isLive = end.state === "live";
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([...(isLive ? ["broken"] : []), "behind"]);
    expect((await ledger(otherChannel.handle)).map(({ text }) => text)).toEqual(["elsewhere"]);
    expect(await getRow(broken)).toMatchObject(end);
    if (storage.alarmAt !== null) expect(new Date(storage.alarmAt).getTime()).toBe(storage.alarmAt);
  },
);

it("holds a delivery with a live part whose post has no parts, and publishes the others", async () => {
  const { account, channel, broken } = await createPoisonedLane(updateDelivery("published_at = 1"));
  await testEnv.DB.prepare(
    `INSERT INTO thread_parts (workspace_id, post_id, channel_id, position, network_id, url_state, published_at, attempts)
      SELECT workspace_id, post_id, channel_id, 0, '1', 'none', 1, 1 FROM deliveries WHERE post_id = ?`,
  )
    .bind(broken)
    .run();
  const { work } = await ownPublisher(account.workspace, channel.id);
  await work();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["behind"]);
  expect(lines.filter((line) => isUnreadableLine(line, broken))).not.toEqual([]);
});

it("publishes on the other channels of the lane if the JSON of a channel does not parse", async () => {
  const account = await signUpForTest();
  const [channel, otherChannel] = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
  const broken = await createDue(account, channel, "broken");
  await createDue(account, otherChannel, "elsewhere");
  await poison("UPDATE channels SET missing_permissions = '[broken' WHERE id = ?2 AND ?1 = ?1", broken, channel.id);
  const { work } = await ownPublisher(account.workspace, channel.id);
  await work();
  expect(await ledger(channel.handle)).toEqual([]);
  expect((await ledger(otherChannel.handle)).map(({ text }) => text)).toEqual(["elsewhere"]);
});

it("publishes a delivery behind more broken deliveries than are read at once", async () => {
  const account = await signUpForTest();
  const channel = await connect(account.key, "telegram");
  const broken: string[] = [];
  for (let i = 0; i < 23; i++) broken.push(await createDue(account, channel, "broken"));
  for (const id of broken) await poison(updateDelivery("state = 'dreaming'"), id, channel.id);
  await createDue(account, channel, "behind");
  const { work } = await ownPublisher(account.workspace, channel.id);
  await work();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["behind"]);
  for (const id of broken) expect(lines.filter((line) => isUnreadableLine(line, id))).not.toEqual([]);
});
