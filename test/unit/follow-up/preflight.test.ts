// Whether deliveries that still wait would go out: what would make them fail is told while there is time to fix it.
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

/** Judges a delivery that comes due in an hour, each time for one of these leads; returns the events of its workspace. */
async function judged({ columns, ...parts }: Parts = {}, leads = [60]) {
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

/** What Threads says of the posts of the last 24 hours. */
const quota = (used: number) => Response.json({ data: [{ quota_usage: used, config: { quota_total: 250 } }] });

/** Judges a delivery to Threads, which answers so; `calls`: the path and the token of each. */
async function judgedOnThreads(answer: (token: string | null) => Response, parts: Parts = {}) {
  const calls: string[] = [];
  const fetch = async (address: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(address);
    const token = new Headers(init?.headers).get("authorization") ?? searchParams.get("access_token");
    calls.push(pathname);
    return answer(token);
  };
  const credential = { user_id: "7", access_token: "t", issued_at: NOW, expires_at: NOW + 60 * DAY_MS };
  return { ...(await judged({ platform: "threads", credential, fetch, ...parts })), calls };
}

describe("a network that knows beforehand", () => {
  it("is asked, and a quota that is full is told of, with how much of it is used", async () => {
    const { bodies, calls } = await judgedOnThreads(() => quota(250));
    expect(calls).toEqual([expect.stringContaining("/7/threads_publishing_limit")]);
    expect(bodies).toMatchObject([{ error: "network_quota" }]);
    expect(JSON.stringify(bodies[0])).toContain("250 of 250 posts of the last 24 hours are used");
  });

  it("and has room tells of nothing", async () => {
    expect((await judgedOnThreads(() => quota(249))).bodies).toEqual([]);
  });

  it("and does not answer, or answers that calls come too fast, tells of nothing", async () => {
    expect((await judgedOnThreads(() => new Response("away", { status: 503 }))).bodies).toEqual([]);
    const tooFast = () => Response.json({ error: { code: 4, message: "Application request limit" } }, { status: 429 });
    expect((await judgedOnThreads(tooFast)).bodies).toEqual([]);
  });

  it("and has a limit that is over within a quarter of an hour tells of nothing, and of one that lasts longer", async () => {
    const limited = (seconds: number) => () =>
      Response.json(
        { error: { code: 4, message: "Application request limit" } },
        { status: 429, headers: { "retry-after": String(seconds) } },
      );
    expect((await judgedOnThreads(limited(899))).bodies).toEqual([]);
    expect((await judgedOnThreads(limited(900))).bodies).toMatchObject([{ error: "network_quota" }]);
  });

  it("and is away for hours tells of nothing", async () => {
    const away = () => new Response("away", { status: 503, headers: { "retry-after": "7200" } });
    expect((await judgedOnThreads(away)).bodies).toEqual([]);
  });

  it("is not asked with a credential that could not be renewed", async () => {
    const credential = { user_id: "7", access_token: "t", issued_at: NOW - 50 * DAY_MS, expires_at: NOW };
    const { bodies, calls } = await judgedOnThreads(() => new Response("away", { status: 503 }), { credential });
    expect(bodies).toEqual([]);
    expect(calls.filter((path) => path.includes("publishing_limit"))).toEqual([]);
  });

  it("is not asked for a delivery that would fail anyway", async () => {
    const { calls, bodies } = await judgedOnThreads(() => quota(0), { channel: { notBefore: DUE_AT + 1 } });
    expect([calls, bodies]).toMatchObject([[], [{ error: "network_quota" }]]);
  });
});

describe("a network that takes so many posts a day from an app", () => {
  const { settings } = nodeContext(db, NOW);
  const outside = {
    settings: { ...settings, appPostsPerDay: { youtube: 1 } },
    pause: () => new Promise<void>(() => {}),
  };

  it("is not full because of the delivery itself", async () => {
    await db.delete(deliveries);
    const token = { access_token: "t", refresh_token: "r", expires_at: NOW + DAY_MS };
    const credential = { ...token, scopes: [], channel_id: "UC1" };
    const { bodies } = await judged({ platform: "youtube", credential, outside });
    expect(bodies.map(({ error }) => error)).not.toContain("network_quota");
  });

  it("is full: the delivery is told of, with when there is room again, and the network is not asked", async () => {
    await followedDelivery({ platform: "youtube", columns: { publishedAt: NOW } });
    const { bodies } = await judged({ platform: "youtube", outside });
    expect(bodies).toMatchObject([{ error: "network_quota", action: "wait" }]);
    expect(JSON.stringify(bodies[0])).toContain(new Date(NOW + DAY_MS).toISOString());
  });
});

describe("a thread", () => {
  it("is judged with each of its parts, and one that its network would refuse is told of", async () => {
    const thread = (...texts: string[]) => ({ options: { thread: texts.map((text) => ({ text })) } });
    expect((await judged(thread("more", "and more"))).bodies).toEqual([]);
    expect((await judged(thread("x".repeat(281), "more"))).bodies).toMatchObject([{ error: "content_refused" }]);
    expect((await judged(thread("more", "x".repeat(281)))).bodies).toMatchObject([{ error: "content_refused" }]);
  });

  it("whose first part its network would refuse is told of", async () => {
    expect((await judged({ options: { text: "x".repeat(281) } })).bodies).toMatchObject([{ error: "content_refused" }]);
  });
});

describe("the files of a delivery", () => {
  const upload = { kind: "image", state: "ready", objectKey: "m/1", url: null, contentType: "image/png" } as const;
  /** Judges a delivery with these files, of which one is in the library and no bucket can be read. */
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

  it("are told of where one is not in the library, in each part of a thread", async () => {
    for (const [media, thread] of [[["med_9"]], [[], [{ text: "more", media: ["med_9"] }]]] as const) {
      const { judge, readBodies } = await withFiles([...media], [...(thread ?? [])]);
      await judge();
      expect(await readBodies()).toMatchObject([{ error: "media_missing" }]);
    }
  });

  it("are told of to nobody where their storage only does not answer now", async () => {
    for (const [media, thread] of [[["med_1"]], [[], [{ text: "more", media: ["med_1"] }]]] as const) {
      const { judge, readBodies } = await withFiles([...media], [...(thread ?? [])]);
      await judge();
      expect(await readBodies()).toEqual([]);
    }
  });

  it.each([
    ["of its first part", ["med_9"], []],
    ["of a later part alone", [], [{ text: "more" }, { text: "most", media: ["med_9"] }]],
  ])("wait for the connections of other files when they are %s", async (_what, media, thread) => {
    const { judge, readBodies, tools } = await withFiles(media, thread);
    const end = occupy(tools.limiter, ...FILES);
    const begun = judge();
    await letOthersWork();
    expect(await readBodies()).toEqual([]);
    await end();
    await begun;
    expect(await readBodies()).toHaveLength(1);
  });

  it("wait behind two works without promised times", async () => {
    const { judge, readBodies, tools } = await withFiles(["med_9"]);
    const end = occupy(tools.limiter, ...TWO_FOLLOW_UPS);
    const begun = judge();
    await letOthersWork();
    expect(await readBodies()).toEqual([]);
    await end();
    await begun;
    expect(await readBodies()).toHaveLength(1);
  });
});

describe("a delivery that would go out", () => {
  it("is told of to nobody", async () => {
    const { rows, woken } = await judged();
    expect([rows, woken]).toEqual([[], []]);
  });

  it("is told of to nobody once it is not waiting any more", async () => {
    const channel = { removedAt: NOW };
    expect((await judged({ channel, columns: { state: "cancelled", nextAt: null } })).rows).toEqual([]);
  });
});

describe("a delivery that would fail", () => {
  it("is told of once for each lead, to the endpoints that want it", async () => {
    const { key, rows, bodies, woken } = await judged({ channel: { removedAt: NOW } }, [60, 60, 10]);
    const event = { event: "delivery.at_risk", postId: "post_1", channelId: "ch_1" };
    // Of no session: each is below zero.
    const onceFor = (minutes: number) => -((DUE_AT / 1_000) * 100 + minutes);
    expect(rows).toMatchObject([60, 10].map((minutes) => ({ ...event, dedupeKey: onceFor(minutes) })));
    expect(bodies[0]).toMatchObject({ error: "channel_disconnected" });
    expect(JSON.stringify(bodies[0])).toContain("the channel will not be connected when its time comes");
    expect(woken).toEqual([1, 2].map(() => [key.workspaceId, "wh_1"]));
  });

  it("because its credential ends before its time is told of, and one that ends after is not", async () => {
    const ends = await judged({ channel: { tokenExpiresAt: DUE_AT } });
    expect(ends.bodies).toMatchObject([{ error: "token_expired" }]);
    expect((await judged({ channel: { tokenExpiresAt: DUE_AT + 1 } })).bodies).toEqual([]);
  });

  it("because its channel is to be left alone until after its time is told of", async () => {
    const rests = await judged({ channel: { notBefore: DUE_AT + 1 } });
    const detail = "the network asked to leave the channel alone until after its time";
    expect(rests.bodies).toMatchObject([{ error: "network_quota", detail, network_message: null }]);
    expect((await judged({ channel: { notBefore: DUE_AT } })).bodies).toEqual([]);
  });

  it("because its network may no longer answer the version of its API is told of", async () => {
    const { bodies } = await judged({ platform: "linkedin", columns: { nextAt: Date.parse("2027-09-15") } });
    expect(bodies).toMatchObject([
      { error: "service_misconfigured", detail: expect.stringContaining("version 202609") },
    ]);
  });

  it("because this deployment has no such network is told of", async () => {
    const detail = "this deployment has no such network";
    expect((await judged({ platform: "myspace" })).bodies).toMatchObject([{ error: "service_misconfigured", detail }]);
  });

  it("because its network refuses the credential is told of, with the loss of the credential", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const { rows } = await judged({ credential, fetch });
    expect(rows.map(({ event }) => event).toSorted()).toEqual(["channel.disconnected", "delivery.at_risk"]);
  });

  it("only because its network does not answer now is told of to nobody", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const { rows } = await judged({ credential, fetch: async () => new Response("away", { status: 503 }) });
    expect(rows).toEqual([]);
  });
});
