// Figures of a range of dates, of a channel and of a label, beside those of the period before.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import type { figuresByChannel, figuresByDay, postsByFigure, readAnalytics } from "../../src/contract/analytics.ts";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, post, signUp } from "../support/world.ts";

type Analytics = z.output<(typeof readAnalytics)["result"]>;
type ByDay = z.output<(typeof figuresByDay)["result"]>;
type ByChannel = z.output<(typeof figuresByChannel)["result"]>;
type ByFigure = z.output<(typeof postsByFigure)["result"]>;

const DAY_MS = 86_400_000;
const today = () => new Date().toISOString().slice(0, 10);
const dateBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Publishes a measured post with `likes`, and moves its publication back by `daysAgo`. */
async function publish(
  key: string,
  channel: { id: string },
  { likes, daysAgo = 0, labels = [] }: { likes: number; daysAgo?: number; labels?: string[] },
) {
  const { id } = await post(key, { text: "counted", channels: [channel.id], labels });
  expect((await finished(key, id)).status).toBe("published");
  await check(key, id);
  const move = daysAgo * DAY_MS;
  await testEnv.DB.batch([
    testEnv.DB.prepare("UPDATE posts SET due_at = due_at - ? WHERE id = ?").bind(move, id),
    testEnv.DB.prepare("UPDATE deliveries SET published_at = published_at - ? WHERE post_id = ?").bind(move, id),
    testEnv.DB.prepare("UPDATE measurements SET likes = ?, day = day - ? WHERE post_id = ?").bind(likes, daysAgo, id),
  ]);
  return id;
}

const get = <Body>(key: string, path: string) => call<Body>("GET", `/v1/analytics${path}`, { token: key });
const findRow = ({ networks }: Analytics) => networks.find(({ platform }) => platform === "bluesky");

describe("analytics of a range", () => {
  it("covers the dates of the range, beside the same number of days before", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    await publish(key, channel, { likes: 5 });
    await publish(key, channel, { likes: 7, daysAgo: 1 });
    await publish(key, channel, { likes: 11, daysAgo: 2 });
    const range = `from=${dateBefore(1)}&to=${today()}`;
    const { body } = await get<Analytics>(key, `?${range}&compare=true`);
    expect(body).toMatchObject({
      days: 2,
      from: dateBefore(1),
      to: today(),
      timezone: "UTC",
      previous: { from: dateBefore(3), to: dateBefore(2) },
    });
    expect(findRow(body)).toMatchObject({
      deliveries: 2,
      figures: { likes: { value: 12, deliveries: 2 } },
      previous: { deliveries: 1, figures: { likes: { value: 11, deliveries: 1 } } },
    });
    expect((await get<Analytics>(key, `?${range}`)).body).toMatchObject({ previous: null });

    const days = (await get<ByDay>(key, `/days?${range}&compare=true`)).body.days;
    expect(days).toMatchObject([
      {
        date: today(),
        deliveries: 1,
        figures: { likes: { value: 5 } },
        previous: { date: dateBefore(2), deliveries: 1 },
      },
      {
        date: dateBefore(1),
        deliveries: 1,
        figures: { likes: { value: 7 } },
        previous: { date: dateBefore(3), deliveries: 0 },
      },
    ]);

    const ranked = (await get<ByFigure>(key, `/posts?platform=bluesky&figure=likes&${range}&compare=true`)).body;
    expect(ranked.posts.map(({ figures }) => figures.likes?.value)).toEqual([7, 5]);
    expect(ranked.previous?.posts.map(({ figures }) => figures.likes?.value)).toEqual([11]);
  });

  it("cuts the days on the workspace's clock", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Pacific/Kiritimati" } });
    const id = await publish(key, channel, { likes: 3 });
    // 13:30 on 10 June in UTC is 3:30 on 11 June in Kiritimati, fourteen hours ahead.
    const at = Date.UTC(2026, 5, 10, 13, 30);
    await testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE posts SET due_at = ? WHERE id = ?").bind(at, id),
      testEnv.DB.prepare("UPDATE deliveries SET published_at = ? WHERE post_id = ?").bind(at, id),
      testEnv.DB.prepare("UPDATE measurements SET day = ? WHERE post_id = ?").bind(Math.floor(at / DAY_MS), id),
    ]);
    const onDate = async (date: string) => {
      const query = `from=${date}&to=${date}`;
      const { posts } = (await get<ByFigure>(key, `/posts?platform=bluesky&figure=likes&${query}`)).body;
      const { days } = (await get<ByDay>(key, `/days?${query}`)).body;
      return [findRow((await get<Analytics>(key, `?${query}`)).body)?.deliveries, posts.length, days.length];
    };
    expect(await onDate("2026-06-10")).toEqual([0, 0, 0]);
    expect(await onDate("2026-06-11")).toEqual([1, 1, 1]);
  });

  it("filters by channel and by label", async () => {
    const { key } = await signUp();
    const [channel, other] = [await connect(key, "bluesky"), await connect(key, "bluesky")];
    await publish(key, channel, { likes: 1, labels: ["winter"] });
    await publish(key, channel, { likes: 2 });
    await publish(key, other, { likes: 4, labels: ["winter"] });
    const sum = async (query: string) => findRow((await get<Analytics>(key, `?${query}`)).body)?.figures.likes?.value;
    expect(await sum("days=7")).toBeTypeOf("number");
    expect(await sum(`channel=${channel.id}`)).toBe(3);
    expect(await sum("label=winter")).toBe(5);
    expect(await sum(`days=7&channel=${channel.id}&label=winter`)).toBe(1);
    expect(await sum("label=summer")).toBeUndefined();
    const ranked = await get<ByFigure>(key, `/posts?platform=bluesky&figure=likes&label=winter&channel=${other.id}`);
    expect(ranked.body.posts.map(({ figures }) => figures.likes?.value)).toEqual([4]);
    const rows = (await get<ByChannel>(key, "/channels?compare=true")).body.channels;
    expect(rows).toMatchObject([
      {
        channel: channel.id,
        platform: "bluesky",
        deliveries: 2,
        figures: { likes: { value: 3 } },
        previous: { deliveries: 0 },
      },
      {
        channel: other.id,
        platform: "bluesky",
        deliveries: 1,
        figures: { likes: { value: 4 } },
        previous: { deliveries: 0 },
      },
    ]);
  });

  it("a key that is limited to some channels reads no figures of others", async () => {
    const { key, session, workspace } = await signUp();
    const [channel, other] = [await connect(key, "bluesky"), await connect(key, "bluesky")];
    await publish(key, channel, { likes: 1 });
    await publish(key, other, { likes: 2 });
    const limited = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
      token: session,
      body: { name: "one", scopes: ["read"], channels: [channel.id] },
    });
    const { body } = await get<Analytics>(limited.body.key, "");
    expect(findRow(body)).toMatchObject({ deliveries: 1, figures: { likes: { value: 1 } } });
    expect((await get<ByChannel>(limited.body.key, "/channels")).body.channels).toHaveLength(1);
    expect((await get<Analytics>(limited.body.key, `?channel=${other.id}`)).body.networks).not.toContainEqual(
      expect.objectContaining({ deliveries: 1 }),
    );
  });

  it.each([
    ["days=7&from=2026-11-01", "invalid_range", "/days"],
    ["to=2026-11-01", "missing_field", "/from"],
    ["from=2026-11-02&to=2026-11-01", "invalid_range", "/to"],
    ["from=2025-01-01&to=2026-01-02", "invalid_range", "/to"],
    ["from=2026-02-30", "invalid_field", "/from"],
    ["from=2126-01-01", "invalid_range", "/from"],
    ["compare=yes", "invalid_field", "/compare"],
  ])("a query with %s is refused with %s", async (query, error, field) => {
    const { key } = await signUp();
    for (const path of ["", "/days", "/channels"]) {
      expect(await get(key, `${path}?${query}`)).toMatchObject({ status: 422, body: { error, field } });
    }
  });
});
