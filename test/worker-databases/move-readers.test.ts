// Readers and agents during a move: nothing is lost or reported twice, and nothing is read from the old database
// afterwards.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { databaseVia } from "../support/breaking-db.ts";
import { callVia, database, databasesWith } from "../support/databases.ts";
import { tomorrow } from "../support/dates.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { isExtensive } from "../support/sampled.ts";
import { type Account, call, finished, getPost, ledger, post, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "../worker-api/connecting.ts";
import { callTool, connectClient, ERAS } from "../worker-api/mcp/clients.ts";
import { approve, createReviewPath, openReview } from "../worker-api/reviewed-post.ts";
import { finishMove, listHomes, moveTo, openBusyWorkspace, openQueries } from "./moving.ts";

interface Feed {
  events: { id: string }[];
  next: string | null;
}
const Posts = z.object({ posts: z.array(z.object({ id: z.string() })) });
type Posts = z.output<typeof Posts>;
const idsIn = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
const feed = (key: string, query: string) => call<Feed>("GET", `/v1/events?order=oldest&${query}`, { token: key });
async function publishSome({ account, channel }: Awaited<ReturnType<typeof openBusyWorkspace>>) {
  for (const text of ["one", "two", "three"])
    await finished(account.key, (await post(account.key, { text, channels: [channel.id] })).id);
}
async function moveAndConfirm(account: Account, target: number) {
  await moveTo(target, account);
  await finishMove(account);
}
/** The binding of a database. */
const bind = (home: 0 | 1, db: D1Database) => (home === 0 ? { DB: db } : { DB_1: db });

describe("at each statement of a move", () => {
  it("reads are complete during a move, and writes of agents, reviewers and consents are stored or refused for a while", async () => {
    const prepared = await openBusyWorkspace(1);
    const { account, channel } = prepared;
    await publishSome(prepared);
    const { key, session, workspace } = account;
    const listed = (query = "") => call<Posts>("GET", `/v1/posts?limit=200${query}`, { token: key });
    const postIds = idsIn((await listed()).body.posts);
    const drafts = idsIn((await listed("&status=draft")).body.posts);
    await call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { approval: "all" } });
    const reviews: { id: string; path: string }[] = [];
    const links: string[] = [];
    for (let i = 0; i < (isExtensive ? 24 : 6); i++) {
      const waitingPost = await post(key, { text: `waits ${i}`, channels: [channel.id], publish_at: tomorrow() });
      reviews.push({ id: waitingPost.id, path: await createReviewPath({ owner: account, waitingPost }) });
      postIds.push(waitingPost.id);
      links.push(await createLink(account));
    }
    postIds.sort();
    const clients = await Promise.all(ERAS.map((era) => connectClient(key, era)));
    const seenEvents: string[] = [];
    let cursor: string | null = null;
    const count = { calls: 0, kept: 0, refused: 0 };
    const note = (isKept: boolean) => count[isKept ? "kept" : "refused"]++;

    const readFeed = async () => {
      const { body }: { body: Feed } = await feed(key, `limit=1${cursor === null ? "" : `&cursor=${cursor}`}`);
      seenEvents.push(...body.events.map(({ id }) => id));
      cursor = body.next ?? cursor;
    };
    const readAsOwner = async () => {
      const headers = { "x-workspace": workspace };
      const { body } = await call<Posts>("GET", "/v1/posts?limit=200", { token: session, headers });
      expect(idsIn(body.posts)).toEqual(postIds);
      expect((await call<{ webhooks: object[] }>("GET", "/v1/webhooks", { token: key })).body.webhooks).toHaveLength(1);
    };
    const actAsAgent = async () => {
      const client = clients[count.calls % clients.length];
      if (client === undefined) throw new Error("there are two");
      const { body } = await callTool(client, "list_posts", { limit: 200, status: "draft" });
      const { posts } = Posts.parse(body);
      expect(idsIn(posts)).toEqual(drafts);
      const drafted = await callTool(client, "draft_post", { text: "by an agent", channels: [channel.id] });
      note(!drafted.refused);
      if (drafted.refused) expect(drafted.body.error).toBe("workspace_moving");
      else drafts.push(String(drafted.body.id));
      drafts.sort();
    };
    const review = async () => {
      const { id, path } = reviews.pop() ?? { id: "", path: "" };
      if (path === "") return;
      expect((await openReview(path)).status).toBe(200);
      const { status } = await approve(path);
      expect([200, 503]).toContain(status);
      note(status === 200);
      expect((await getPost(key, id)).status).toBe(status === 200 ? "scheduled" : "awaiting_approval");
    };
    const consent = async () => {
      const link = links.pop();
      if (link === undefined) return;
      const before = await listChannels(account);
      const { status, text } = await new Browser().connect(link, { decision: "allow", account: unique("moved") });
      const isKept = (await listChannels(account)).length > before.length;
      note(isKept);
      expect([status, text.includes("workspace_moving") || text.includes("being moved")]).toEqual(
        isKept ? [200, false] : [503, true],
      );
    };
    const acts = [readFeed, readAsOwner, actAsAgent, review, consent];
    let statements = 0;
    await moveTo(
      2,
      account,
      openQueries(undefined, async () => {
        if (++statements % (isExtensive ? 5 : 23) === 0) await acts[count.calls++ % acts.length]?.();
      }),
    );
    expect(count.kept).toBeGreaterThan(1);
    expect(count.refused).toBeGreaterThan(1);
    for (const act of acts) await act();
    const { events } = (await feed(key, "limit=200")).body;
    for (let i = 0; i <= events.length; i++) await readFeed();
    expect(seenEvents).toEqual(events.map(({ id }) => id));
    expect(await listHomes(account)).toEqual([2]);
    expect(await brokenInvariants(workspace)).toEqual([]);
    await finishMove(account);
  });
});

it("a reader that learned the workspace's database before the switch finds all rows", async () => {
  const prepared = await openBusyWorkspace(1);
  const { account } = prepared;
  await publishSome(prepared);
  const whole = await feed(account.key, "limit=200");
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const heldDatabase = databaseVia(database(1), async (_, act) => {
    reached.resolve();
    await released.promise;
    return act();
  });
  const reading = callVia({ DB_1: heldDatabase }, "GET", "/v1/events?order=oldest&limit=200", { token: account.key });
  await reached.promise;
  await moveTo(2, account, openQueries(), async () => {
    released.resolve();
    await reading;
  });
  released.resolve();
  expect((await reading).body).toEqual(whole.body);
  await finishMove(account);
});

it.each([
  ["/v1/export", "lines"],
  ["/v1/posts.csv", "table"],
  ["/v1/audit.csv", "table"],
])("%s continues in the new database of the workspace, and is complete", async (path) => {
  const prepared = await openBusyWorkspace(1);
  const { account } = prepared;
  await publishSome(prepared);
  const options = { token: account.session, headers: { "x-workspace": account.workspace } };
  const fetchText = async (bindings: Parameters<typeof callVia>[0]) =>
    (await callVia(bindings, "GET", path, options)).text;
  const before = await fetchText({});
  let calls = 0;
  const watched = databaseVia(database(1), async (_, act) => {
    const answer = await act();
    if (++calls === 1) await moveAndConfirm(account, 2);
    return answer;
  });
  expect(await fetchText({ DB_1: watched })).toEqual(before);
  expect(calls).toBe(1);
});

it("a takedown that waits for its network is answered from the new database", async () => {
  const { account, channel } = await openBusyWorkspace(1);
  const { id } = await post(account.key, { text: "down", channels: [channel.id] });
  await finished(account.key, id);
  let isMoved = false;
  const watched = databaseVia(database(1), async (sql, act) => {
    const answer = await act();
    if (!isMoved && /insert into "follow_ups" .* returning /s.test(sql)) {
      isMoved = true;
      await moveAndConfirm(account, 2);
    }
    return answer;
  });
  const path = `/v1/posts/${id}/deliveries/${channel.id}`;
  const answer = await callVia({ DB_1: watched }, "DELETE", path, { token: account.key });
  expect(isMoved).toBe(true);
  expect(answer).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
  expect((await ledger(channel.handle)).find(({ text }) => text === "down")).toMatchObject({ deleted: true });
});

it.each([
  [0, 1],
  // No row of the workspace is left in its old database, as after its erasure.
  [1, 2],
] as const)(
  "a write that outlives a move and its confirmation is stored nowhere, from %i to %i",
  async (home, target) => {
    const { account, channel } = await openBusyWorkspace(home);
    let isMoved = false;
    const watched = databaseVia(database(home), async (sql, act) => {
      if (!isMoved && /insert into "posts"/i.test(sql)) {
        isMoved = true;
        await moveAndConfirm(account, target);
      }
      return act();
    });
    const body = { text: "late", channels: [channel.id], draft: true };
    const late = await callVia(bind(home, watched), "POST", "/v1/posts", { token: account.key, body });
    expect(isMoved).toBe(true);
    expect(late.body).toMatchObject({ error: "workspace_moving" });
    expect(await databasesWith("posts", account.workspace)).toEqual([target]);
    expect((await call("POST", "/v1/posts", { token: account.key, body })).status).toBe(201);
  },
);
