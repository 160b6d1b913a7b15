// Rows and messages that Crier has not written: a broken one ends with a precise error, and its neighbours are
// processed.
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, MINUTE_MS } from "../support/machine.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { type Account, type ChannelBody, connect, getPost, ledger, post, signUp } from "../support/world.ts";

const STARTS_MAX = 6;

async function createDue({ key }: Account, { id: channel }: ChannelBody, text: string): Promise<string> {
  const { id } = await post(key, { text, channels: [channel], publish_at: tomorrow() });
  await age(id, DAY_MS - MINUTE_MS);
  return id;
}

/** A defect of the channel or the delivery, the function that causes it, and the resulting error. */
const POISONS: [string, (channel: ChannelBody, workspace: string, id: string) => Promise<unknown>, string][] = [
  [
    "a credential of another shape",
    async ({ id }, workspace) => {
      const place = { purpose: "channel-credential", workspace, row: id } as const;
      const sealed = await compose(testEnv, () => {}).seal?.seal('{"of":"another release"}', place);
      return testEnv.DB.prepare("UPDATE channels SET credential = ? WHERE id = ?").bind(sealed, id).run();
    },
    "internal_error",
  ],
  [
    "a credential that is no JSON",
    async ({ id }, workspace) => {
      const place = { purpose: "channel-credential", workspace, row: id } as const;
      const sealed = await compose(testEnv, () => {}).seal?.seal("{broken", place);
      return testEnv.DB.prepare("UPDATE channels SET credential = ? WHERE id = ?").bind(sealed, id).run();
    },
    "internal_error",
  ],
  [
    "a publish key of another shape",
    async (_channel, workspace, id) => {
      const row = await testEnv.DB.prepare("SELECT id FROM deliveries WHERE post_id = ?")
        .bind(id)
        .first<{ id: string }>();
      const place = { purpose: "publish-key", workspace, row: row?.id ?? "" } as const;
      const sealed = await compose(testEnv, () => {}).seal?.seal("[7]", place);
      return testEnv.DB.prepare("UPDATE deliveries SET publish_key = ?, state = 'staged' WHERE post_id = ?")
        .bind(sealed, id)
        .run();
    },
    "internal_error",
  ],
  [
    "an unknown network",
    async (_channel, _workspace, id) =>
      testEnv.DB.prepare("UPDATE deliveries SET platform = 'myspace' WHERE post_id = ?").bind(id).run(),
    "service_misconfigured",
  ],
  [
    "options of a megabyte",
    async ({ id: channel }, _workspace, id) =>
      testEnv.DB.prepare("UPDATE posts SET overrides = json_object(?, json_object('silent', ?)) WHERE id = ?")
        .bind(channel, "x".repeat(1_000_000), id)
        .run(),
    "internal_error",
  ],
];

it.each(POISONS)(
  "ends a delivery with %s by itself, and publishes the others of its lane",
  async (_name, poison, error) => {
    const account = await signUp();
    const { workspace, key } = account;
    const [channel, otherChannel] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    const brokenId = await createDue(account, channel, "broken");
    const otherId = await createDue(account, otherChannel, "elsewhere");
    await poison(channel, workspace, brokenId);
    const { work } = await ownPublisher(workspace, channel.id);
    for (let i = 0; i <= STARTS_MAX; i++) {
      await work();
      for (const id of [brokenId, otherId]) await age(id, 5 * MINUTE_MS);
    }
    expect((await getPost(key, otherId)).deliveries[0]).toMatchObject({ status: "live" });
    expect(await ledger(otherChannel.handle)).toHaveLength(1);
    expect(await ledger(channel.handle)).toEqual([]);
    const [delivery] = (await getPost(key, brokenId)).deliveries;
    // Whether the delivery waits or has ended, its error names the reason.
    expect(["failed", "waiting", "retrying", "publishing", "queued"]).toContain(delivery?.status);
    expect(delivery).toMatchObject({ error, attempts: 0 });
    // The operator's audit reports a row whose columns contradict each other.
    expect(await brokenInvariants(workspace)).toHaveLength(error === "service_misconfigured" ? 1 : 0);
  },
);

const nest = (depth: number): unknown => (depth === 0 ? {} : [nest(depth - 1)]);
const lane = { workspace: "ws_1", lane: 0 };
const WRONG: unknown[] = [
  null,
  7,
  "publish",
  [],
  {},
  nest(200),
  { kind: "publish" },
  { kind: "publish", workspace: 7, lane: 0 },
  { kind: "publish", workspace: "ws_1", lane: "0" },
  { kind: "publish", workspace: "ws_1", lane: 1e300 },
  { kind: "publish", workspace: "ws_1", lane: -1 },
  { kind: "publish", workspace: "ws_1", lane: 0.5 },
  { kind: "publish", workspace: "w".repeat(50_000), lane: 0 },
  { kind: "publish", workspace: "", lane: 0 },
  { kind: "after_publish", ...lane, channel: "c", posts: "p" },
  { kind: "after_publish", ...lane, channel: "c", posts: [{ toString: 1, valueOf: 1 }] },
  { kind: "preflight", ...lane, channel: "c", posts: [{ toString: null }], minutes: 5 },
  { kind: "follow_ups", ...lane, tasks: [{ kind: "after_publish", channel: "c", posts: [{ toString: {} }] }] },
  { kind: "follow_ups", ...lane, tasks: "all" },
  { kind: "follow_ups", ...lane, tasks: [null, 7, [], { kind: "after_publish" }] },
  { kind: "renew_credential", ...lane, channel: { id: "c" } },
  { kind: "account_mail", about: "everything", user: "u", email: "e" },
  { kind: "constructor", ...lane },
  { kind: "__proto__", ...lane },
  { kind: ["publish"], ...lane },
];

it("acknowledges messages of every wrong shape, and processes the message between them", async () => {
  const lines: string[] = [];
  for (const level of ["error", "warn"] as const)
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
  try {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const id = await createDue(account, channel, "between");
    await age(id, MINUTE_MS);
    const { lane: ownLane } = await ownPublisher(account.workspace, channel.id);
    const good = { kind: "publish", workspace: account.workspace, lane: ownLane.lane };
    const bodies = [...WRONG.slice(0, 12), good, ...WRONG.slice(12)];
    const messages = bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body }));
    const batch = createMessageBatch("crier-jobs", messages);
    const execution = createExecutionContext();
    await worker.queue(batch, testEnv, execution);
    const result = await getQueueResult(batch, execution);
    expect(result).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(result.explicitAcks).toHaveLength(bodies.length);
    expect(lines.filter((line) => line.includes("unknown_job"))).toHaveLength(WRONG.length);
    await eventually(async () => expect((await getPost(account.key, id)).deliveries[0]?.status).toBe("live"));
  } finally {
    vi.restoreAllMocks();
  }
});
