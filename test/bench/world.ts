// The workspaces, channels and posts of a run. Keys are written directly into the database, everything else through the API.
import { createHash, randomBytes } from "node:crypto";
import { makeId, makeWorkspaceKey } from "../../src/domain/ids.ts";
import type { NewWorkspace } from "./workspaces.ts";

export type Call = <Body>(method: string, path: string, token: string | null, body?: object) => Promise<Body>;
export interface BenchChannel {
  id: string;
  platform: string;
  /** The account's name in the network's ledger. */
  account: string;
}
export interface BenchWorkspace {
  id: string;
  key: string;
  channels: BenchChannel[];
}

/** The credentials for an account of a network, by network. All of these networks publish a text with one call. */
const INPUTS = {
  telegram: (account: string) => ({
    handle: `@${account}`,
    credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: `@${account}` },
  }),
  bluesky: (account: string) => ({
    handle: `${account}.bsky.social`,
    credentials: { identifier: `${account}.bsky.social`, app_password: "abcd-efgh-ijkl-mnop" },
  }),
  x: (account: string) => ({ handle: `@${account}`, credentials: { access_token: `access-for-${account}` } }),
  facebook: (account: string) => ({ handle: account, credentials: { access_token: `EAAuser-${account}` } }),
};
export type BenchNetwork = keyof typeof INPUTS;
const NETWORKS: readonly BenchNetwork[] = ["telegram", "bluesky", "x", "facebook"];

export function makeCaller(url: string): Call {
  return async <Body>(method: string, path: string, token: string | null, body?: object): Promise<Body> => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  };
}

/** The share of `all` for the item `i` of `count`. */
export const getShare = (total: number, i: number, count: number) =>
  Math.floor(((i + 1) * total) / count) - Math.floor((i * total) / count);

/** Does `work` for every item, at most `atOnce` of them at a time. */
export async function sideBySide<Item>(items: Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const workNext = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workNext));
}

/** Creates workspaces without a channel. `name` distinguishes them from those of other calls. */
export async function makeWorkspaces(call: Call, name: string, count: number): Promise<BenchWorkspace[]> {
  const entropy = (length: number) => new Uint8Array(randomBytes(length));
  const now = Date.now();
  const entries: { row: NewWorkspace; key: string }[] = Array.from({ length: count }, (_, i) => {
    const key = makeWorkspaceKey(entropy);
    const keyHash = createHash("sha256").update(key).digest("hex");
    const id = makeId("ws", now, entropy);
    return { key, row: { id, name: `${name} ${i}`, keyId: makeId("key", now, entropy), keyHash, createdAt: now } };
  });
  await call("POST", "/_bench/workspaces", null, { workspaces: entries.map(({ row }) => row) });
  return entries.map(({ row, key }) => ({ id: row.id, key, channels: [] }));
}

/** Connects an account to a workspace. */
export async function connect(
  call: Call,
  workspace: BenchWorkspace,
  platform: string,
  input: { handle: string; credentials: object },
): Promise<BenchChannel> {
  const { id } = await call<{ id: string }>("POST", "/v1/channels", workspace.key, { platform, ...input });
  const channel = { id, platform, account: input.handle };
  workspace.channels.push(channel);
  return channel;
}

export const connectAs = (call: Call, workspace: BenchWorkspace, platform: BenchNetwork, account: string) =>
  connect(call, workspace, platform, INPUTS[platform](account));

/** Workspaces that share this many channels on four networks. */
export async function makeConnectedWorkspaces(
  call: Call,
  name: string,
  workspaces: number,
  channels: number,
): Promise<BenchWorkspace[]> {
  const created = await makeWorkspaces(call, name, workspaces);
  await sideBySide([...created.entries()], 8, async ([i, workspace]) => {
    for (let c = 0; c < getShare(channels, i, workspaces); c++) {
      // A workspace may connect sixty accounts a minute, so connecting five hundred would take ten minutes.
      if (c % 50 === 49) await call("POST", "/_bench/forget-connects", null, { workspace: workspace.id });
      // If each workspace has one channel, the networks still take turns.
      const platform = NETWORKS[(i + c) % NETWORKS.length] ?? "telegram";
      await connectAs(call, workspace, platform, `${name}${i}c${c}`);
    }
  });
  return created;
}

export interface Planned {
  workspace: BenchWorkspace;
  channels: string[];
  /** Unique, so that the ledger's entries are found by it. */
  text: string;
  /** Epoch milliseconds. */
  at: number;
}

/** Creates posts, `atOnce` at a time. Returns the number per second. */
export async function createPosts(call: Call, posts: Planned[], atOnce = 16): Promise<number> {
  const startedAt = performance.now();
  await sideBySide(posts, atOnce, async ({ workspace, channels, text, at }) => {
    await call("POST", "/v1/posts", workspace.key, { text, channels, publish_at: new Date(at).toISOString() });
  });
  return (posts.length / (performance.now() - startedAt)) * 1000;
}
