// Examplenet as seen by a program: its paths, its refusals, and the ledger that records a post before it is answered.
import { type Context, Hono } from "hono";
import { misbehave } from "../../../simulators/faults.ts";
import type { Simulator, SimulatorEnv, World } from "../../../simulators/simulator.ts";

const PLATFORM = "examplenet";

export function createSimulator({ ledger, faults, state }: World): Simulator {
  const app = new Hono<SimulatorEnv>();
  const posts = state.map<string, { id: string; url: string }>("examplenet.posts");
  // Any token `token-of-<name>` is valid, and creates the account.
  const readAccountName = (c: Context) => /^Bearer token-of-(\w+)$/.exec(c.req.header("authorization") ?? "")?.[1];

  const on = (method: string, path: string, name: string, act: (c: Context, account: string) => Promise<Response>) =>
    app.on(method, path, async (c) => {
      const account = readAccountName(c);
      if (account === undefined) return c.json({ error: "unknown token" }, 401);
      return misbehave(faults.take(PLATFORM, name, [account]), c.env, () => act(c, account));
    });

  on("GET", "/v1/me", "me", async (c, account) => c.json({ id: account, name: account }));
  on("GET", "/v1/posts/:key", "posts.read", async (c) => {
    const post = posts.get(c.req.param("key") ?? "");
    return post === undefined ? c.json({ error: "no such post" }, 404) : c.json(post);
  });
  on("PUT", "/v1/posts/:key", "posts.write", async (c, account) => {
    const { text } = await c.req.json<{ text: string }>();
    if (text === "" || [...text].length > 300) return c.json({ error: "text must have 1 to 300 characters" }, 422);
    const id = c.req.param("key") ?? "";
    const existing = posts.get(id);
    if (existing !== undefined) return c.json(existing);
    const url = `https://example.net/@${account}/${id}`;
    posts.set(id, { id, url });
    const shownPost = { marks: [], card: null };
    ledger.accept({ platform: PLATFORM, account, id, text, media: [], token: id, url, detail: {}, shown: shownPost });
    return c.json({ id, url });
  });

  return {
    platform: PLATFORM,
    app,
    expireToken: () => false,
    remove: (id) => void posts.delete(id),
    reset: () => posts.clear(),
    calls: ["me", "posts.read", "posts.write"],
    publishCalls: { default: "posts.write" },
    demo: { handle: "crier_demo", credentials: { token: "token-of-crier_demo" } },
  };
}
