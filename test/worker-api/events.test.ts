// The event feed, newest first, and as a log that neither skips nor repeats an event.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call, connect, fault, finished, type PostBody, post, signUp } from "../support/world.ts";

interface Feed {
  events: Record<string, unknown>[];
  next: string | null;
}
const readFeed = async (key: string, query = ""): Promise<Feed> => {
  const answer = await call<Feed>("GET", `/v1/events${query}`, { token: key });
  expect(answer.status).toBe(200);
  return answer.body;
};
const listNames = ({ events }: Feed) => events.map(({ event }) => event);

describe("GET /v1/events", () => {
  it("the feed reports a success, and a failure with its error, both with the post's metadata", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const good = await post(key, { text: "good", channels: [channel.id], metadata: { order: "77" } });
    const published = await finished(key, good.id);
    const refused = { ok: false, error_code: 400, description: "Bad Request: no" };
    await fault({
      platform: "telegram",
      account: channel.handle,
      call: "sendMessage",
      do: "status",
      status: 400,
      body: refused,
    });
    const bad = await post(key, { text: "bad", channels: [channel.id] });
    await finished(key, bad.id);
    const { events, next } = await readFeed(key);
    expect(next).toBeNull();
    expect(events).toMatchObject([
      {
        event: "delivery.failed",
        post: bad.id,
        error: "content_refused",
        action: "edit_and_resend",
        url: null,
        attempt: 1,
      },
      {
        event: "delivery.succeeded",
        post: good.id,
        channel: channel.id,
        platform: "telegram",
        delivery: published.deliveries[0]?.id,
        url: published.deliveries[0]?.url,
        error: null,
        action: null,
        metadata: { order: "77" },
      },
    ]);
    expect(listNames(await readFeed(key, "?event=delivery.failed"))).toEqual(["delivery.failed"]);
    expect(listNames(await readFeed(key, `?post=${good.id}`))).toEqual(["delivery.succeeded"]);
    expect(listNames(await readFeed(key, `?channel=${channel.id}&event=delivery.succeeded`))).toEqual([
      "delivery.succeeded",
    ]);
    expect(listNames(await readFeed(key, "?channel=ch_none"))).toEqual([]);
    expect(listNames(await readFeed(key, "?actor=usr_none"))).toEqual([]);
    expect(listNames(await readFeed((await signUp()).key))).toEqual([]);
  });

  it.each([
    ["newest", "channel"],
    ["oldest", "channel"],
    ["newest", "actor"],
    ["oldest", "actor"],
  ])("the feed finds events among many others, page by page (%s, of one %s)", async (order, filter) => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const insert = testEnv.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
       INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
       SELECT ?1, i, 'evt_' || i, 'delivery.succeeded', 'post_' || i, iif(i IN (3, 7000), ?2, 'ch_other'), 1,
         json_object('event', 'delivery.succeeded', 'id', 'evt_' || i, 'channel', ?2,
           'actor', json_object('kind', 'key', 'id', iif(i IN (3, 7000), ?2, 'key_other'), 'name', 'One')), i FROM n`,
    );
    await testEnv.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(account.workspace).run();
    await insert.bind(account.workspace, channel.id).run();
    const foundIds: unknown[] = [];
    let cursor = "";
    for (let pages = 0; pages < 3; pages++) {
      const page = await readFeed(account.key, `?${filter}=${channel.id}&order=${order}&limit=5${cursor}`);
      foundIds.push(...page.events.map(({ id }) => id));
      if (page.next === null) break;
      cursor = `&cursor=${page.next}`;
    }
    expect(foundIds).toEqual(order === "newest" ? ["evt_7000", "evt_3"] : ["evt_3", "evt_7000"]);
  });

  it("the feed is a log whose readers neither miss nor repeat an event if they continue at the last `next`", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const polled: unknown[] = [];
    let { next } = await readFeed(key, "?order=oldest");
    const listen = async () => {
      for (;;) {
        const page = await readFeed(key, `?order=oldest&limit=2&cursor=${next}`);
        next = page.next;
        polled.push(...page.events.map(({ post }) => post));
        if (page.events.length === 0) return;
      }
    };
    const posts: PostBody[] = [];
    for (let i = 0; i < 5; i++) {
      posts.push(await post(key, { text: `post ${i}`, channels: [channel.id] }));
      if (i % 2 === 0) await listen();
    }
    for (const { id } of posts) await finished(key, id);
    await listen();
    expect(polled.toSorted()).toEqual(posts.map(({ id }) => id).toSorted());
    await listen();
    expect(polled).toHaveLength(5);
  });

  it("the feed lists pages from the newest event on", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    for (let i = 0; i < 3; i++) await finished(key, (await post(key, { text: `${i}`, channels: [channel.id] })).id);
    const first = await readFeed(key, "?limit=2");
    const second = await readFeed(key, `?limit=2&cursor=${first.next}`);
    expect([first.events.length, second.events.length, second.next]).toEqual([2, 1, null]);
    expect(new Set([...first.events, ...second.events].map(({ id }) => id)).size).toBe(3);
  });

  it.each([
    ["?event=delivery.unknown", "unknown_event", "/event"],
    ["?event=channel.disconnected", "unknown_event", "/event"],
    ["?cursor=nonsense", "unreadable_cursor", "/cursor"],
    ["?cursor=%00", "unreadable_cursor", "/cursor"],
    ["?order=random", "invalid_field", "/order"],
  ])("the feed refuses %s", async (query, error, field) => {
    const { key } = await signUp();
    const answer = await call("GET", `/v1/events${query}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });
});
