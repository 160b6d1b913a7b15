// A published delivery whose follow-up is due, over Node's SQLite; its network is a connector that a test gives.
import { and, eq } from "drizzle-orm";
import { expect } from "vitest";
import type { Context } from "../../../src/context.ts";
import type { ConnectionLimiter, ConnectionNeed } from "../../../src/delivery/connection-limiter.ts";
import type { OptionKind } from "../../../src/domain/delivery/follow-up-moves.ts";
import type { Json } from "../../../src/domain/json.ts";
import { doOptionWork } from "../../../src/follow-up/option-work.ts";
import { readOrHold } from "../../../src/follow-up/read.ts";
import { findNetwork } from "../../../src/networks/index.ts";
import type { ConnectorContext, Network, Published } from "../../../src/networks/network.ts";
import { LaneState } from "../../../src/publisher/lane-state.ts";
import { channels, type deliveries, posts } from "../../../src/store/db/schema.ts";
import { collectLogs } from "../../support/logs.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext, nodeNetworkIO, seal } from "../../support/node-context.ts";
import { db, MINUTE, NOW, readDelivery, storedDelivery, type Work } from "../store/deliveries/stored-delivery.ts";

const telegram = findNetwork("telegram") ?? expect.fail("Telegram is gone");

/** A connector with these steps; all others are those of a network that offers little. */
export const networkWith = (steps: Partial<Network>): Network => ({ ...telegram, ...steps });

const LIVE = {
  state: "live",
  nextAt: null,
  netPostId: "77",
  url: "https://net.example/77",
  publishedAt: NOW - MINUTE,
  checkAt: NOW,
} as const;

interface Parts {
  /** Of its columns, what differs from those of a delivery that went live a minute ago. */
  columns?: Partial<typeof deliveries.$inferInsert>;
  work?: readonly Work[];
  /** Options of its channel. */
  options?: Record<string, Json>;
  platform?: string;
  credential?: Json;
  channel?: Partial<typeof channels.$inferInsert>;
  /** Answers all calls of its network. */
  fetch?: (url: string, init?: RequestInit) => Promise<Response>;
  outside?: Partial<Context>;
}

/** A delivery whose follow-up is due, and the tools that its publisher works it with. */
export async function followedDelivery({
  columns,
  work,
  options = {},
  platform = "telegram",
  channel,
  ...parts
}: Parts = {}) {
  const stored = await storedDelivery({ ...LIVE, ...columns }, work);
  const { workspaceId, postId, channelId } = stored.key;
  const place = { purpose: "channel-credential", workspace: workspaceId, row: channelId } as const;
  const credential = await seal.seal(JSON.stringify(parts.credential ?? { token: "old" }), place);
  const isChannel = and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
  await db
    .update(channels)
    .set({ platform, credential, credentialId: "old", ...channel })
    .where(isChannel);
  await stored.change({ platform });
  await db
    .update(posts)
    .set({ overrides: { [channelId]: options } })
    .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId)));
  const io = nodeNetworkIO(() => NOW, parts.fetch ?? (() => Promise.reject(new Error("nobody is to be asked"))));
  const woken: string[][] = [];
  const ctx = nodeContext(db, NOW, {
    networkIO: () => io,
    webhooks: { wake: async (workspace, ids) => void woken.push([workspace, ...ids]) },
    ...parts.outside,
  });
  const lane = { workspaceId, lane: 0 };
  const storage = memoryStorage();
  const { tools } = new LaneState(lane, ctx, storage);
  const context: ConnectorContext<Json> = { credential: { token: "old" }, io };
  return {
    ...stored,
    lane,
    tools,
    context,
    storage,
    woken,
    logs: collectLogs(),
    /** The follow-up as it is read when it is due. */
    found: async () => (await readOrHold(ctx, stored.key)) ?? expect.fail("nothing is due"),
    readChannel: async () => (await db.select().from(channels).where(isChannel))[0] ?? expect.fail("no channel"),
    /** The row, also while others of its workspace are written. */
    readRow: () => readDelivery(stored.key),
  };
}

/** Does a piece of work that a follow-up was read with. */
export const doWork = (
  followUp: Parameters<typeof doOptionWork>[0],
  post: Published<Json>,
  kind: OptionKind,
): ReturnType<typeof doOptionWork> =>
  doOptionWork(
    followUp,
    post,
    kind,
    followUp.followUps.find((work) => work.kind === kind) ?? expect.fail(`no ${kind} is stored`),
  );

/** Work that is under way on these connections until `end` is called. */
export function occupy(limiter: ConnectionLimiter, ...needs: ConnectionNeed[]) {
  const ended = Promise.withResolvers<void>();
  const works = needs.map((need) => limiter.use(need, () => ended.promise));
  return async () => {
    ended.resolve();
    await Promise.all(works);
  };
}
/** Two works without promised times at other networks: as many as go on at once. */
export const TWO_FOLLOW_UPS = ["elsewhere", "beyond"].map((network) => ({
  network,
  hasFiles: false,
  isFollowUp: true,
}));
/** Files that are on their way to other networks on four of the five connections. */
export const FILES = ["elsewhere", "beyond"].map((network) => ({ network, hasFiles: true, isFollowUp: false }));
/** Two deliveries to one network: as many as go on at once. */
export const twoDeliveriesTo = (network: string) => [1, 2].map(() => ({ network, hasFiles: false, isFollowUp: false }));
/** Lets whatever can go on go on; what unseals waits for a thread, as this does. */
export const letOthersWork = async () => {
  for (let turn = 0; turn < 20; turn++) await crypto.subtle.digest("SHA-256", new Uint8Array(32));
};

/** A connector that renews its credential, once: the token "old" becomes the token "new". */
export const renewing = (steps: Partial<Network> = {}): Network =>
  networkWith({ refresh: async () => ({ is: "fresh", credential: { token: "new" } }), ...steps });
/** The token that a connector was called with. */
export const tokenOf = ({ credential }: ConnectorContext<Json>): Json =>
  typeof credential === "object" && credential !== null && "token" in credential ? (credential.token ?? null) : null;
