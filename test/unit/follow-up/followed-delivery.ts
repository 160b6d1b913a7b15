// A published delivery whose follow-up work is due, in Node's SQLite, with a connector of the test.
import { and, eq } from "drizzle-orm";
import { expect } from "vitest";
import type { Context } from "../../../src/context.ts";
import type { ConnectionLimiter, ConnectionNeed } from "../../../src/delivery/connection-limiter.ts";
import type { OptionKind } from "../../../src/domain/delivery/follow-up-moves.ts";
import type { NetworkPost } from "../../../src/domain/delivery/stored-facts.ts";
import type { LiveThreadPart } from "../../../src/domain/delivery/thread.ts";
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

/** Makes a connector with these steps. All other steps are Telegram's, which offers few. */
export const makeNetwork = (steps: Partial<Network>): Network => ({ ...telegram, ...steps });

/** The post on its network, not compared yet. */
export const SHOWN: NetworkPost = { id: "77", url: "https://net.example/77", urlState: "none" };

const LIVE = {
  state: "live",
  nextAt: null,
  networkPost: SHOWN,
  publishedAt: NOW - MINUTE,
  checkAt: NOW,
} as const;

interface Parts {
  /** Columns that differ from those of a delivery that went live a minute ago. */
  columns?: Partial<typeof deliveries.$inferInsert>;
  work?: readonly Work[];
  /** Its published parts, if it is a thread. */
  threadParts?: readonly LiveThreadPart[];
  /** Options of its channel. */
  options?: Record<string, Json>;
  platform?: string;
  credential?: Json;
  channel?: Partial<typeof channels.$inferInsert>;
  /** Answers all calls of its network. */
  fetch?: (url: string, init?: RequestInit) => Promise<Response>;
  outside?: Partial<Context>;
}

/** Stores a delivery whose follow-up is due, and makes the tools of its publisher. */
export async function followedDelivery({
  columns,
  work,
  threadParts,
  options = {},
  platform = "telegram",
  channel,
  ...parts
}: Parts = {}) {
  const stored = await storedDelivery({ ...LIVE, ...columns }, work, threadParts);
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
    /** Reads the follow-up that is due. */
    found: async () => (await readOrHold(ctx, stored.key)) ?? expect.fail("nothing is due"),
    readChannel: async () => (await db.select().from(channels).where(isChannel))[0] ?? expect.fail("no channel"),
    /** Reads the row, even if other rows of its workspace have changed. */
    readRow: () => readDelivery(stored.key),
  };
}

/** Does the work of this kind that was read with a follow-up. */
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

/** Occupies connections with work until the returned function is called. */
export function occupy(limiter: ConnectionLimiter, ...needs: ConnectionNeed[]) {
  const ended = Promise.withResolvers<void>();
  const works = needs.map((need) => limiter.use(need, () => ended.promise));
  return async () => {
    ended.resolve();
    await Promise.all(works);
  };
}
/** The largest number of simultaneous works without promised times, on other networks. */
export const TWO_FOLLOW_UPS = ["elsewhere", "beyond"].map((network) => ({
  network,
  hasFiles: false,
  isFollowUp: true,
}));
/** Uploads to other networks that use four of the five connections. */
export const FILES = ["elsewhere", "beyond"].map((network) => ({ network, hasFiles: true, isFollowUp: false }));
/** The largest number of simultaneous deliveries to one network. */
export const makeTwoDeliveries = (network: string) =>
  [1, 2].map(() => ({ network, hasFiles: false, isFollowUp: false }));
/** Lets all other work continue. Digests need a thread, as unsealing does. */
export const letOthersWork = async () => {
  for (let turn = 0; turn < 20; turn++) await crypto.subtle.digest("SHA-256", new Uint8Array(32));
};

/** Makes a connector that renews its credential once: the token "old" becomes the token "new". */
export const makeRenewing = (steps: Partial<Network> = {}): Network =>
  makeNetwork({ refresh: async () => ({ is: "fresh", credential: { token: "new" } }), ...steps });
/** Returns the token with which a connector was called. */
export const getToken = ({ credential }: ConnectorContext<Json>): Json =>
  typeof credential === "object" && credential !== null && "token" in credential ? (credential.token ?? null) : null;
