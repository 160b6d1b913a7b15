// A network that takes so many posts a day from an app: who is told that a day is full, and who is not.
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { findNetwork, networks } from "../../../../src/networks/index.ts";
import { warnOfFullDays } from "../../../../src/operations/posts/warnings.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { deliveries } from "../../../../src/store/db/schema.ts";
import { countAppPosts } from "../../../../src/store/deliveries/app-posts.ts";
import { nodeContext } from "../../../support/node-context.ts";
import { sqliteDatabase } from "../../../support/sqlite-database.ts";
import { db, NOW, storedDelivery } from "../../store/deliveries/stored-delivery.ts";
import { workspaceOfTwo } from "./workspace-of-two.ts";

/** The clock of these tests stands at midnight in California. */
const LATER = NOW + HOUR_MS;
const iso = (at: number) => new Date(at).toISOString();
const { settings } = nodeContext(db, NOW);

/** A workspace with two channels on YouTube, and other deliveries of the deployment to that network. */
async function onYouTube(others: Partial<typeof deliveries.$inferInsert>[], granted?: number) {
  const appPostsPerDay = granted === undefined ? {} : { youtube: granted };
  const outside = { settings: { ...settings, appPostsPerDay }, pause: () => new Promise<void>(() => {}) };
  const { create, call, first, second, ctx } = await workspaceOfTwo({
    channel: { platform: "youtube" },
    outside,
  });
  const { key } = await storedDelivery();
  await db.delete(deliveries);
  for (const [position, columns] of others.entries()) {
    const id = `dlv_${position}`;
    const delivery = { ...key, channelId: `ch_${position}`, id, platform: "youtube", position, ...columns };
    await db.insert(deliveries).values({ state: "live", ...delivery });
  }
  const check = async (at: number, body: object = {}) => {
    const answer = await create({ draft: true, dry_run: true, publish_at: iso(at), channels: [first], ...body });
    return Object(answer.body).warnings;
  };
  return { ctx, key, create, call, check, first, second };
}
const out = (at: number) => ({ publishedAt: at, nextAt: null });
const due = (at: number) => ({ state: "pending" as const, nextAt: at });

describe("a post to a network that takes so many posts a day from an app", () => {
  it("is told that it may wait when all of these are out or due before it, and until when", async () => {
    const { check, first } = await onYouTube(Array.from({ length: 100 }, (_, i) => (i < 60 ? out(NOW) : due(LATER))));
    expect(await check(LATER)).toEqual([
      {
        code: "network_waits",
        channel: first,
        message: `youtube accepts 100 posts a day from this deployment's app, and they will be used up by then: the post may be delayed until ${iso(NOW + 24 * HOUR_MS)}.`,
      },
    ]);
  });

  it("is told nothing while there is room, the day before and after, and for what goes out later", async () => {
    const { check } = await onYouTube([out(NOW), due(LATER), due(LATER)], 3);
    expect(await check(LATER - 1)).toEqual([]);
    expect(await check(LATER)).toMatchObject([{ code: "network_waits" }]);
    expect(await check(NOW + 24 * HOUR_MS - 1)).toMatchObject([{ code: "network_waits" }]);
    expect(await check(NOW + 24 * HOUR_MS)).toEqual([]);
  });

  it("is told of the channel that there is no room for", async () => {
    const { check, first, second } = await onYouTube([out(NOW)], 2);
    expect(await check(LATER, { channels: [first, second] })).toMatchObject([
      { code: "network_waits", channel: second },
    ]);
  });

  it("does not count what failed, was cancelled or goes to another network", async () => {
    const unsent = { nextAt: null, publishedAt: null, scheduledFor: NOW };
    const [failed, cancelled] = [
      { state: "failed" as const, ...unsent },
      { state: "cancelled" as const, ...unsent },
    ];
    const { check } = await onYouTube([failed, cancelled, { platform: "x", ...out(NOW) }, out(NOW)], 2);
    expect(await check(LATER)).toEqual([]);
  });

  it("counts a video that was taken down: its upload was one", async () => {
    const { check } = await onYouTube([{ state: "removed", ...out(NOW) }], 1);
    expect(await check(LATER)).toMatchObject([{ code: "network_waits" }]);
  });
});

it("a post that is written already is no reason to wait for itself", async () => {
  const { ctx, key, first } = await onYouTube([due(LATER)], 1);
  const { workspaceId } = key;
  const { rule } = findNetwork("youtube") ?? expect.fail("YouTube is gone");
  const warn = (postId: string) => warnOfFullDays(ctx, [{ channel: first, rule }], LATER, { workspaceId, postId });
  expect(await warn(key.postId)).toEqual([]);
  expect(await warn("post_other")).toMatchObject([{ code: "network_waits", channel: first }]);
});

it("a post that is edited does not count itself", async () => {
  const { create, call, first } = await onYouTube([], 1);
  const { body: video } = await call("media.register", { body: { url: "https://files.example/a.mp4", kind: "video" } });
  const options = { overrides: { [first]: { title: "A loom", made_for_kids: false } }, media: [video.id] };
  const { body } = await create({ channels: [first], publish_at: iso(LATER), ...options });
  const edited = await call("posts.update", { id: String(body.id), body: { text: "better" } });
  expect([body.warnings, edited.body.warnings]).toEqual([[], []]);
});

it("a database that does not answer keeps nobody from writing a post", async () => {
  const { check, ctx } = await onYouTube([out(NOW)], 1);
  const away = new Proxy(db, {
    get: (whole, name) => (name === "select" ? () => expect.fail("away") : Reflect.get(whole, name)),
  });
  Object.assign(ctx, { databases: [away, db] });
  expect(await check(LATER)).toMatchObject([{ code: "network_waits" }]);
  Object.assign(ctx, { databases: [away] });
  expect(await check(LATER)).toEqual([]);
});

it.each(networks.flatMap(({ rule }) => (rule.app_posts_per_day === undefined ? [] : [rule.platform])))(
  "posts of the app on %s are found by an index",
  async (platform) => {
    const { raw, binding } = sqliteDatabase();
    const asked: string[] = [];
    const { prepare } = binding;
    binding.prepare = (query) => {
      asked.push(query);
      return prepare.call(binding, query);
    };
    const span = { from: 0, to: 1, except: null };
    expect(await countAppPosts(openDatabase(binding), platform, span, 100)).toBe(0);
    const plan = asked.map((query) => raw.prepare(`EXPLAIN QUERY PLAN ${query}`).all());
    expect(JSON.stringify(plan)).toContain("USING INDEX deliveries_of_app");
  },
);
