// A publisher of one lane with two channels on Telegram, in Node's SQLite. Tests determine the network's answers.
import { and, eq } from "drizzle-orm";
import { onTestFinished, vi } from "vitest";
import type { Context } from "../../../src/context.ts";
import type { WorkAllowance, WorkLimits } from "../../../src/domain/work-allowance.ts";
import { Publisher } from "../../../src/publisher/publisher.ts";
import { channels, deliveries } from "../../../src/store/db/schema.ts";
import { collectLogs } from "../../support/logs.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext, nodeNetworkIO, seal } from "../../support/node-context.ts";
import { db, NOW, pass, storedDelivery } from "../store/deliveries/stored-delivery.ts";

type Delivery = typeof deliveries.$inferInsert;
/** The deliveries of the lane: two posts on one channel, and the first post on another channel. */
export const [FIRST, BESIDE, SECOND] = [
  { postId: "post_1", channelId: "ch_1" },
  { postId: "post_1", channelId: "ch_2" },
  { postId: "post_2", channelId: "ch_1" },
];
type Key = typeof FIRST;

export const answerSent = (id = 77) =>
  Response.json({ ok: true, result: { message_id: id, chat: { id: 5, type: "private" } } });
export const answerTooFast = (seconds: number) =>
  Response.json(
    { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: seconds } },
    { status: 429 },
  );

interface Parts {
  storage?: ReturnType<typeof memoryStorage>;
  /** Answers the calls of the channel with this chat. */
  answer?: (chat: string) => Response | Promise<Response>;
  outside?: Partial<Context>;
  /** The limits of one invocation. */
  limits?: WorkLimits;
}

/** Lets all work in progress continue. */
const letOthersWork = () => new Promise<void>((go) => void setImmediate(go));

/** Makes a publisher. `ring` fires its alarm, and ends when all due work is done. */
export function makePublisher(
  workspaceId: string,
  { storage = memoryStorage(), answer = () => answerSent(), outside, limits }: Parts = {},
) {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  const logs = collectLogs();
  const calls: string[] = [];
  const pauses: number[] = [];
  const later: Promise<unknown>[] = [];
  const io = nodeNetworkIO(
    () => NOW,
    async (_url, init) => {
      const { chat_id: chat } = JSON.parse(String(init?.body));
      calls.push(chat);
      return answer(chat);
    },
  );
  let contexts = 0;
  let allowance: WorkAllowance | null = null;
  const makeContext = (newAllowance: WorkAllowance | null) => {
    contexts++;
    allowance = newAllowance;
    return nodeContext(db, NOW, {
      networkIO: () => io,
      pause: (ms) => {
        pauses.push(ms);
        return letOthersWork();
      },
      later: (work) => void later.push(work),
      ...outside,
    });
  };
  const publisher = new Publisher(storage, makeContext, limits);
  const lane = { workspaceId, lane: 0 };
  const ring = async () => {
    await publisher.arm(lane, NOW);
    await storage.deleteAlarm();
    await publisher.alarm();
    await Promise.all(later);
  };
  return { publisher, lane, storage, ring, calls, pauses, logs, contexts: () => contexts, allowance: () => allowance };
}

/** Makes a clock for the object and the database. The first wait of a piece of work moves it forward, and later waits last until they are aborted. */
export function makeMovingClock() {
  let now = NOW;
  const pause = async (ms: number, signal?: AbortSignal) => {
    if (signal === undefined) return letOthersWork();
    if (now > NOW) return new Promise<void>((end) => signal.addEventListener("abort", () => end()));
    now += ms;
    pass(ms);
  };
  return { now: () => now, pause };
}

/** Stores a lane with connected channels and deliveries that are due since a minute, with these changes. */
export async function storeLane(changes: [Key, Partial<Delivery>][] = []) {
  const { key, guard } = await storedDelivery();
  const { workspaceId } = key;
  for (const row of ["ch_1", "ch_2"]) {
    const credential = JSON.stringify({ bot_token: "1:token", chat_id: row, username: null, type: "private" });
    await db
      .update(channels)
      .set({
        credential: await seal.seal(credential, { purpose: "channel-credential", workspace: workspaceId, row }),
        credentialId: row,
      })
      .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, row)));
  }
  const isRow = ({ postId, channelId }: Key) =>
    and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, postId), eq(deliveries.channelId, channelId));
  const change = async (deliveryKey: Key, columns: Partial<Delivery>) => {
    await db.update(deliveries).set(columns).where(isRow(deliveryKey));
  };
  for (const [deliveryKey, columns] of changes) await change(deliveryKey, columns);
  const read = async (deliveryKey: Key) => (await db.select().from(deliveries).where(isRow(deliveryKey)))[0];
  const states = async () => {
    const rows = await Promise.all([FIRST, BESIDE, SECOND].map(read));
    return rows.map((row) => row?.state);
  };
  const reconnect = async (channelId: string, credentialId: string) => {
    const isChannel = and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
    await db.update(channels).set({ credentialId }).where(isChannel);
  };
  return { workspaceId, guard, change, read, states, connectAnew: reconnect };
}
