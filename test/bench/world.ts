// The workspaces, channels and posts of a run, made through the API as any caller makes them.

export type Call = <Body>(method: string, path: string, token: string | null, body?: object) => Promise<Body>;
export interface BenchChannel {
  id: string;
  platform: string;
  /** As the network's ledger names the account. */
  account: string;
}
export interface BenchWorkspace {
  id: string;
  key: string;
  channels: BenchChannel[];
}

/** Networks that publish a text with one call. */
const NETWORKS: Record<string, (account: string) => { handle: string; credentials: object }> = {
  telegram: (account) => ({
    handle: `@${account}`,
    credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: `@${account}` },
  }),
  bluesky: (account) => ({
    handle: `${account}.bsky.social`,
    credentials: { identifier: `${account}.bsky.social`, app_password: "abcd-efgh-ijkl-mnop" },
  }),
  x: (account) => ({ handle: `@${account}`, credentials: { access_token: `access-for-${account}` } }),
  facebook: (account) => ({ handle: account, credentials: { access_token: `EAAuser-${account}` } }),
};

export function callerOf(url: string): Call {
  return async <Body>(method: string, path: string, token: string | null, body?: object): Promise<Body> => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  };
}

/** How many of `all` fall to the `i`th of so many. */
export const shareOf = (all: number, i: number, many: number) =>
  Math.floor(((i + 1) * all) / many) - Math.floor((i * all) / many);

/** Does `work` for every item, at most `hands` at a time. */
export async function sideBySide<Item>(items: Item[], hands: number, work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const hand = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: hands }, hand));
}

export async function makeWorkspaces(call: Call, workspaces: number, channels: number): Promise<BenchWorkspace[]> {
  const made: BenchWorkspace[] = [];
  await sideBySide([...Array(workspaces).keys()], 4, async (i) => {
    const account = { email: `bench${i}@crier.example`, password: "correct horse battery", workspace: `Bench ${i}` };
    const signedUp = await call<{ token: string; workspaces: { id: string }[] }>(
      "POST",
      "/v1/auth/signup",
      null,
      account,
    );
    const id = signedUp.workspaces[0]?.id ?? "";
    const { key } = await call<{ key: string }>("GET", `/v1/workspaces/${id}/key`, signedUp.token);
    const workspace: BenchWorkspace = { id, key, channels: [] };
    const own = shareOf(channels, i, workspaces);
    const networks = Object.entries(NETWORKS);
    for (let c = 0; c < own; c++) {
      const [platform, inputOf] = networks[c % networks.length] ?? [];
      if (platform === undefined || inputOf === undefined) continue;
      const input = inputOf(`bench${i}c${c}`);
      const channel = await call<{ id: string }>("POST", "/v1/channels", key, { platform, ...input });
      workspace.channels.push({ id: channel.id, platform, account: input.handle });
    }
    made.push(workspace);
  });
  return made;
}

export interface Planned {
  workspace: BenchWorkspace;
  channels: string[];
  text: string;
  /** Epoch milliseconds. */
  at: number;
}

/** Creates posts, `hands` at a time. Returns how many a second. */
export async function createPosts(call: Call, posts: Planned[], hands = 16): Promise<number> {
  const startedAt = performance.now();
  await sideBySide(posts, hands, async ({ workspace, channels, text, at }) => {
    await call("POST", "/v1/posts", workspace.key, { text, channels, publish_at: new Date(at).toISOString() });
  });
  return (posts.length / (performance.now() - startedAt)) * 1000;
}
