// Checks whether waiting deliveries can be published, and reports problems while there is time to fix them.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/domain/limits.ts";
import { preflight } from "../../../src/follow-up/preflight.ts";
import { deliveries, events, media as mediaTable, mediaUses, posts } from "../../../src/store/db/schema.ts";
import { nodeContext } from "../../support/node-context.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";
import { FILES, followedDelivery, letOthersWork, occupy, TWO_FOLLOW_UPS } from "./followed-delivery.ts";
import { CREDENTIAL } from "./on-x.ts";

const DUE_AT = NOW + HOUR_MS;
const WAITING = {
  state: "pending",
  nextAt: DUE_AT,
  checkAt: null,
  netPostId: null,
  url: null,
  publishedAt: null,
} as const;
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Runs the pre-flight check of a delivery that is due in an hour, once for each of `leads` in minutes, and returns the events of its workspace. */
async function runPreflight({ columns, ...parts }: Parts = {}, leads = [60]) {
  const followed = await followedDelivery({
    platform: "x",
    credential: CREDENTIAL,
    ...parts,
    columns: { ...WAITING, ...columns },
  });
  await followed.addWebhook("wh_1", { events: ["delivery.at_risk"] });
  for (const minutes of leads)
    await preflight(followed.tools, followed.lane, { kind: "preflight", channel: "ch_1", posts: ["post_1"], minutes });
  const rows = await db.select().from(events).where(eq(events.workspaceId, followed.key.workspaceId));
  return { ...followed, rows, bodies: rows.map(({ body }) => JSON.parse(body)) };
}

/** The answer of Threads about the posts of the last 24 hours. */
const answerQuota = (used: number) => Response.json({ data: [{ quota_usage: used, config: { quota_total: 250 } }] });

/** Runs the pre-flight check of a delivery to Threads, and lists the paths of the calls. */
async function runOnThreads(answer: (token: string | null) => Response, parts: Parts = {}) {
  const calls: string[] = [];
  const fetch = async (address: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(address);
    const token = new Headers(init?.headers).get("authorization") ?? searchParams.get("access_token");
    calls.push(pathname);
    return answer(token);
  };
  const credential = { user_id: "7", access_token: "t", issued_at: NOW, expires_at: NOW + 60 * DAY_MS };
  return { ...(await runPreflight({ platform: "threads", credential, fetch, ...parts })), calls };
}

describe("a network with a quota that can be read", () => {
  it("a pre-flight check reports a full quota of the network, with the used and the total number of posts", async () => {
    const { bodies, calls } = await runOnThreads(() => answerQuota(250));
    expect(calls).toEqual([expect.stringContaining("/7/threads_publishing_limit")]);
    expect(bodies).toMatchObject([{ error: "network_quota" }]);
    expect(JSON.stringify(bodies[0])).toContain("250 of 250 posts of the last 24 hours are used");
  });

  it("a pre-flight check reports nothing while the quota has room", async () => {
    expect((await runOnThreads(() => answerQuota(249))).bodies).toEqual([]);
  });

  it("a pre-flight check reports nothing if the network does not answer, or limits the rate of calls", async () => {
    expect((await runOnThreads(() => new Response("away", { status: 503 }))).bodies).toEqual([]);
    const tooFast = () => Response.json({ error: { code: 4, message: "Application request limit" } }, { status: 429 });
    expect((await runOnThreads(tooFast)).bodies).toEqual([]);
  });

  it("a pre-flight check reports a rate limit only if it lasts for at least a quarter of an hour", async () => {
    const answerLimited = (seconds: number) => () =>
      Response.json(
        { error: { code: 4, message: "Application request limit" } },
        { status: 429, headers: { "retry-after": String(seconds) } },
      );
    expect((await runOnThreads(answerLimited(899))).bodies).toEqual([]);
    expect((await runOnThreads(answerLimited(900))).bodies).toMatchObject([{ error: "network_quota" }]);
  });

  it("a pre-flight check reports nothing if the network is unavailable for hours", async () => {
    const away = () => new Response("away", { status: 503, headers: { "retry-after": "7200" } });
    expect((await runOnThreads(away)).bodies).toEqual([]);
  });

  it("a pre-flight check does not call the network with a credential that could not be renewed", async () => {
    const credential = { user_id: "7", access_token: "t", issued_at: NOW - 50 * DAY_MS, expires_at: NOW };
    const { bodies, calls } = await runOnThreads(() => new Response("away", { status: 503 }), { credential });
    expect(bodies).toEqual([]);
    expect(calls.filter((path) => path.includes("publishing_limit"))).toEqual([]);
  });

  it("a pre-flight check does not call the network for a delivery that fails anyway", async () => {
    const { calls, bodies } = await runOnThreads(() => answerQuota(0), { channel: { notBefore: DUE_AT + 1 } });
    expect([calls, bodies]).toMatchObject([[], [{ error: "network_quota" }]]);
  });
});

describe("a network that limits the posts of an app in a day", () => {
  const { settings } = nodeContext(db, NOW);
  const outside = {
    settings: { ...settings, appPostsPerDay: { youtube: 1 } },
    pause: () => new Promise<void>(() => {}),
  };

  it("the delivery itself does not count towards the network's daily quota", async () => {
    await db.delete(deliveries);
    const token = { access_token: "t", refresh_token: "r", expires_at: NOW + DAY_MS };
    const credential = { ...token, scopes: [], channel_id: "UC1" };
    const { bodies } = await runPreflight({ platform: "youtube", credential, outside });
    expect(bodies.map(({ error }) => error)).not.toContain("network_quota");
  });

  it("a pre-flight check reports a full daily quota with the time at which there is room again", async () => {
    await followedDelivery({ platform: "youtube", columns: { publishedAt: NOW } });
    const { bodies } = await runPreflight({ platform: "youtube", outside });
    expect(bodies).toMatchObject([{ error: "network_quota", action: "wait" }]);
    expect(JSON.stringify(bodies[0])).toContain(new Date(NOW + DAY_MS).toISOString());
  });
});

describe("a thread", () => {
  it("a pre-flight check reports a thread with any part that its network would refuse", async () => {
    const thread = (...texts: string[]) => ({ options: { thread: texts.map((text) => ({ text })) } });
    expect((await runPreflight(thread("more", "and more"))).bodies).toEqual([]);
    expect((await runPreflight(thread("x".repeat(281), "more"))).bodies).toMatchObject([{ error: "content_refused" }]);
    expect((await runPreflight(thread("more", "x".repeat(281)))).bodies).toMatchObject([{ error: "content_refused" }]);
  });

  it("a pre-flight check reports a post that its network would refuse", async () => {
    expect((await runPreflight({ options: { text: "x".repeat(281) } })).bodies).toMatchObject([
      { error: "content_refused" },
    ]);
  });
});

describe("the files of a delivery", () => {
  const upload = { kind: "image", state: "ready", objectKey: "m/1", url: null, contentType: "image/png" } as const;
  /** Makes a delivery with these files. Only `med_1` is in the library, and no bucket can be read. */
  const withFiles = async (media: string[], thread: object[] = []) => {
    const followed = await followedDelivery({
      platform: "x",
      credential: CREDENTIAL,
      columns: WAITING,
      options: { thread: JSON.parse(JSON.stringify(thread)) },
    });
    const { workspaceId } = followed.key;
    const row = { ...upload, workspaceId, id: "med_1", createdAt: 0, bytes: 5, etag: "e" };
    await db.insert(mediaTable).values(row);
    await db.insert(mediaUses).values({ workspaceId, mediaId: row.id, postId: "post_1" });
    await db.update(posts).set({ media }).where(eq(posts.workspaceId, workspaceId));
    const judge = () =>
      preflight(followed.tools, followed.lane, { kind: "preflight", channel: "ch_1", posts: ["post_1"], minutes: 60 });
    const readBodies = async () => (await followed.readEvents()).map(({ body }) => JSON.parse(body));
    return { ...followed, judge, readBodies };
  };

  it("a pre-flight check reports a file that is not in the library, in any part of a thread", async () => {
    for (const [media, thread] of [[["med_9"]], [[], [{ text: "more", media: ["med_9"] }]]] as const) {
      const { judge, readBodies } = await withFiles([...media], [...(thread ?? [])]);
      await judge();
      expect(await readBodies()).toMatchObject([{ error: "media_missing" }]);
    }
  });

  it("a pre-flight check reports nothing if only the storage of files does not answer now", async () => {
    for (const [media, thread] of [[["med_1"]], [[], [{ text: "more", media: ["med_1"] }]]] as const) {
      const { judge, readBodies } = await withFiles([...media], [...(thread ?? [])]);
      await judge();
      expect(await readBodies()).toEqual([]);
    }
  });

  it.each([
    ["in the first part", ["med_9"], []],
    ["only in a later part", [], [{ text: "more" }, { text: "most", media: ["med_9"] }]],
  ])("a pre-flight check of files %s waits for the connections of other files", async (_place, media, thread) => {
    const { judge, readBodies, tools } = await withFiles(media, thread);
    const end = occupy(tools.limiter, ...FILES);
    const running = judge();
    await letOthersWork();
    expect(await readBodies()).toEqual([]);
    await end();
    await running;
    expect(await readBodies()).toHaveLength(1);
  });

  it("a pre-flight check of files waits behind two works without promised times", async () => {
    const { judge, readBodies, tools } = await withFiles(["med_9"]);
    const end = occupy(tools.limiter, ...TWO_FOLLOW_UPS);
    const running = judge();
    await letOthersWork();
    expect(await readBodies()).toEqual([]);
    await end();
    await running;
    expect(await readBodies()).toHaveLength(1);
  });
});

describe("a delivery that would succeed", () => {
  it("a pre-flight check reports nothing for a delivery without problems", async () => {
    const { rows, woken } = await runPreflight();
    expect([rows, woken]).toEqual([[], []]);
  });

  it("a pre-flight check reports nothing once the delivery no longer waits", async () => {
    const channel = { removedAt: NOW };
    expect((await runPreflight({ channel, columns: { state: "cancelled", nextAt: null } })).rows).toEqual([]);
  });
});

describe("a delivery that would fail", () => {
  it("a problem is reported once for each lead, to the endpoints that subscribe to it", async () => {
    const { key, rows, bodies, woken } = await runPreflight({ channel: { removedAt: NOW } }, [60, 60, 10]);
    const event = { event: "delivery.at_risk", postId: "post_1", channelId: "ch_1" };
    // The keys are negative, because they belong to no session.
    const toDedupeKey = (minutes: number) => -((DUE_AT / 1_000) * 100 + minutes);
    expect(rows).toMatchObject([60, 10].map((minutes) => ({ ...event, dedupeKey: toDedupeKey(minutes) })));
    expect(bodies[0]).toMatchObject({ error: "channel_disconnected" });
    expect(JSON.stringify(bodies[0])).toContain("the channel will not be connected when its time comes");
    expect(woken).toEqual([1, 2].map(() => [key.workspaceId, "wh_1"]));
  });

  it("a pre-flight check reports a credential that expires before the delivery is due, and none that expires later", async () => {
    const ending = await runPreflight({ channel: { tokenExpiresAt: DUE_AT } });
    expect(ending.bodies).toMatchObject([{ error: "token_expired" }]);
    expect((await runPreflight({ channel: { tokenExpiresAt: DUE_AT + 1 } })).bodies).toEqual([]);
  });

  it("a pre-flight check reports a network's wait that lasts until after the delivery is due", async () => {
    const resting = await runPreflight({ channel: { notBefore: DUE_AT + 1 } });
    const detail = "the network asked to leave the channel alone until after its time";
    expect(resting.bodies).toMatchObject([{ error: "network_quota", detail, network_message: null }]);
    expect((await runPreflight({ channel: { notBefore: DUE_AT } })).bodies).toEqual([]);
  });

  it("a pre-flight check reports an API version that ends before the delivery is due", async () => {
    const { bodies } = await runPreflight({ platform: "linkedin", columns: { nextAt: Date.parse("2027-09-15") } });
    expect(bodies).toMatchObject([
      { error: "service_misconfigured", detail: expect.stringContaining("version 202609") },
    ]);
  });

  it("a pre-flight check reports a network that this deployment does not have", async () => {
    const detail = "this deployment has no such network";
    expect((await runPreflight({ platform: "myspace" })).bodies).toMatchObject([
      { error: "service_misconfigured", detail },
    ]);
  });

  it("a pre-flight check reports a refused credential, together with its loss", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const { rows } = await runPreflight({ credential, fetch });
    expect(rows.map(({ event }) => event).toSorted()).toEqual(["channel.disconnected", "delivery.at_risk"]);
  });

  it("a pre-flight check reports nothing if only the network does not answer now", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const { rows } = await runPreflight({ credential, fetch: async () => new Response("away", { status: 503 }) });
    expect(rows).toEqual([]);
  });
});
