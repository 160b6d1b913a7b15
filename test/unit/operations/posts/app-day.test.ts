// Some networks limit the posts of an app in a day. Posts that exceed the limit get a warning.
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
import { setUpWorkspace } from "./workspace-of-two.ts";

/** `NOW` is midnight in California. */
const LATER = NOW + HOUR_MS;
const toIso = (instant: number) => new Date(instant).toISOString();
const { settings } = nodeContext(db, NOW);

/** Sets up a workspace with two channels on YouTube, and other deliveries of the deployment to YouTube. */
async function setUpYouTube(otherDeliveries: Partial<typeof deliveries.$inferInsert>[], granted?: number) {
  const appPostsPerDay = granted === undefined ? {} : { youtube: granted };
  const outside = { settings: { ...settings, appPostsPerDay }, pause: () => new Promise<void>(() => {}) };
  const { create, call, first, second, ctx } = await setUpWorkspace({
    channel: { platform: "youtube" },
    outside,
  });
  const { key } = await storedDelivery();
  await db.delete(deliveries);
  for (const [position, columns] of otherDeliveries.entries()) {
    const id = `dlv_${position}`;
    const delivery = { ...key, channelId: `ch_${position}`, id, platform: "youtube", position, ...columns };
    await db.insert(deliveries).values({ state: "live", ...delivery });
  }
  const check = async (publishAt: number, body: object = {}) => {
    const answer = await create({
      draft: true,
      dry_run: true,
      publish_at: toIso(publishAt),
      channels: [first],
      ...body,
    });
    return Object(answer.body).warnings;
  };
  return { ctx, key, create, call, check, first, second };
}
const makePublished = (instant: number) => ({ publishedAt: instant, nextAt: null });
const makeDue = (instant: number) => ({ state: "pending" as const, nextAt: instant });

describe("a post to a network with a daily limit for the app", () => {
  it("a post gets a warning with the delay if published and due posts use up the daily limit before it", async () => {
    const { check, first } = await setUpYouTube(
      Array.from({ length: 100 }, (_, i) => (i < 60 ? makePublished(NOW) : makeDue(LATER))),
    );
    expect(await check(LATER)).toEqual([
      {
        code: "network_waits",
        channel: first,
        message: `youtube accepts 100 posts a day from this deployment's app, and they will be used up by then: the post may be delayed until ${toIso(NOW + 24 * HOUR_MS)}.`,
        until: toIso(NOW + 24 * HOUR_MS),
      },
    ]);
  });

  it("a post gets no warning if the day has room, on other days, and because of later posts", async () => {
    const { check } = await setUpYouTube([makePublished(NOW), makeDue(LATER), makeDue(LATER)], 3);
    expect(await check(LATER - 1)).toEqual([]);
    expect(await check(LATER)).toMatchObject([{ code: "network_waits" }]);
    expect(await check(NOW + 24 * HOUR_MS - 1)).toMatchObject([{ code: "network_waits" }]);
    expect(await check(NOW + 24 * HOUR_MS)).toEqual([]);
  });

  it("the warning of a full day names the channel for which there is no room", async () => {
    const { check, first, second } = await setUpYouTube([makePublished(NOW)], 2);
    expect(await check(LATER, { channels: [first, second] })).toMatchObject([
      { code: "network_waits", channel: second },
    ]);
  });

  it("failed and cancelled deliveries and those to other networks do not count towards the daily limit", async () => {
    const unsent = { nextAt: null, publishedAt: null, scheduledFor: NOW };
    const [failed, cancelled] = [
      { state: "failed" as const, ...unsent },
      { state: "cancelled" as const, ...unsent },
    ];
    const { check } = await setUpYouTube(
      [failed, cancelled, { platform: "x", ...makePublished(NOW) }, makePublished(NOW)],
      2,
    );
    expect(await check(LATER)).toEqual([]);
  });

  it("a video that was taken down counts towards the daily limit, because it was uploaded", async () => {
    const { check } = await setUpYouTube([{ state: "removed", ...makePublished(NOW) }], 1);
    expect(await check(LATER)).toMatchObject([{ code: "network_waits" }]);
  });
});

it("the deliveries of a stored post do not count in the warning of the same post", async () => {
  const { ctx, key, first } = await setUpYouTube([makeDue(LATER)], 1);
  const { workspaceId } = key;
  const { rule } = findNetwork("youtube") ?? expect.fail("YouTube is gone");
  const warn = (postId: string) => warnOfFullDays(ctx, [{ channel: first, rule }], LATER, { workspaceId, postId });
  expect(await warn(key.postId)).toEqual([]);
  expect(await warn("post_other")).toMatchObject([{ code: "network_waits", channel: first }]);
});

it("a post that is edited does not count itself", async () => {
  const { create, call, first } = await setUpYouTube([], 1);
  const { body: video } = await call("media.register", { body: { url: "https://files.example/a.mp4", kind: "video" } });
  const options = { overrides: { [first]: { title: "A loom", made_for_kids: false } }, media: [video.id] };
  const { body } = await create({ channels: [first], publish_at: toIso(LATER), ...options });
  const edited = await call("posts.update", { id: String(body.id), body: { text: "better" } });
  expect([body.warnings, edited.body.warnings]).toEqual([[], []]);
});

it("a database that does not answer counts as empty, and does not prevent a post", async () => {
  const { check, ctx } = await setUpYouTube([makePublished(NOW)], 1);
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
    const queries: string[] = [];
    const { prepare } = binding;
    binding.prepare = (query) => {
      queries.push(query);
      return prepare.call(binding, query);
    };
    const span = { from: 0, to: 1, except: null };
    expect(await countAppPosts(openDatabase(binding), platform, span, 100)).toBe(0);
    const plan = queries.map((query) => raw.prepare(`EXPLAIN QUERY PLAN ${query}`).all());
    expect(JSON.stringify(plan)).toContain("USING INDEX deliveries_of_app");
  },
);
