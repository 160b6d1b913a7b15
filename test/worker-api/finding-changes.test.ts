// Finding posts by the files that they use, by dates across clock changes, and after edits.

import { describe, expect, it } from "vitest";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import type { Query } from "../support/planted-posts.ts";
import { call, connect, post, signUp, uploadImage } from "../support/world.ts";
import { fetchAll, fetchPage } from "./found.ts";

describe("finding posts", () => {
  it("finds the posts that use a file, also in threads and overrides, and finds drafts by their status", async () => {
    const owner = await signUp();
    const [channel, image, unused] = [
      await connect(owner.key, "bluesky"),
      await uploadImage(owner, { alt: "x" }),
      await uploadImage(owner, { alt: "y" }),
    ];
    const publish_at = inDays(30);
    const make = (body: object) => post(owner.key, { text: "x", channels: [channel.id], publish_at, ...body });
    const uses = [
      await make({ media: [image.id] }),
      await make({ thread: [{ text: "y", media: [image.id] }] }),
      await make({ overrides: { [channel.id]: { media: [image.id] } }, publish_at: inDays(3) }),
    ].map(({ id }) => id);
    await make({});
    const draft = await post(owner.key, { text: "x", media: [image.id], draft: true });
    const find = async (query: Query) => (await fetchAll(owner.key, query, 2)).posts.map(({ id }) => id);
    expect(await find({ media: image.id })).toEqual(uses.toReversed());
    expect(await find({ media: image.id, order: "due" })).toEqual([uses[2], uses[0], uses[1]]);
    expect(await find({ media: image.id, status: "draft" })).toEqual([draft.id]);
    expect(await find({ media: image.id, status: "draft", order: "due" })).toEqual([draft.id]);
    expect(await find({ media: image.id, status: "failed" })).toEqual([]);
    expect(await find({ media: unused.id })).toEqual([]);
    expect((await fetchAll((await signUp()).key, { media: image.id })).posts).toEqual([]);
    // If very many posts use a file, the search reads all posts that are not drafts, a window at a time.
    await testEnv.DB.prepare(
      `WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)
        INSERT INTO media_uses (workspace_id, media_id, post_id) SELECT ?, ?, 'post_0' || n FROM i`,
    )
      .bind(owner.workspace, image.id)
      .run();
    expect(await find({ media: image.id })).toEqual(uses.toReversed());
    expect(await find({ media: image.id, status: "draft" })).toEqual([draft.id]);
    expect(await fetchPage(owner.key, { media: image.id })).toMatchObject({ looked_through: 4 });
  });

  it("reads dates in the workspace's time zone, across clock changes", async () => {
    const { key } = await signUp();
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Europe/Berlin" } });
    const times = ["2027-03-27T22:59:59Z", "2027-03-27T23:00:00Z", "2027-03-28T21:59:59Z", "2027-03-28T22:00:00Z"];
    for (const publish_at of times) await post(key, { text: "x", draft: true, publish_at });
    const query = { status: "draft", from: "2027-03-28", to: "2027-03-29", order: "due" };
    expect((await fetchAll(key, query)).posts.map(({ publish_at }) => publish_at)).toEqual(
      times.slice(1, 3).map((time) => time.replace("Z", ".000Z")),
    );
  });

  it("finds posts by their current values after edits, cancellations and discarded drafts", async () => {
    const { key } = await signUp();
    const [telegram, bluesky] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    const { id } = await post(key, { text: "Erste", labels: ["a"], channels: [telegram.id], publish_at: inDays(3) });
    const edit = (body: object) => call("PATCH", `/v1/posts/${id}`, { token: key, body });
    const countPosts = async (query: Query) => (await fetchAll(key, { order: "due", ...query })).posts.length;
    const countMatches = () =>
      Promise.all(
        [
          { channel: telegram.id },
          { channel: bluesky.id },
          { label: "a" },
          { label: "b" },
          { q: "erste" },
          { q: "zweite" },
          { to: inDays(4) },
          { platform: "bluesky", order: "newest" },
        ].map(countPosts),
      );
    expect(await countMatches()).toEqual([1, 0, 1, 0, 1, 0, 1, 0]);
    await edit({ text: "Zweite", labels: ["b"], channels: [bluesky.id], publish_at: inDays(5) });
    expect(await countMatches()).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    await edit({ draft: true });
    expect(await countMatches()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await countPosts({ status: "draft", label: "b", q: "zweite" })).toBe(1);
    await edit({ draft: false, channels: [telegram.id, bluesky.id] });
    expect(await countMatches()).toEqual([1, 1, 0, 1, 0, 1, 0, 1]);
    await call("DELETE", `/v1/posts/${id}`, { token: key });
    expect(await countPosts({ status: "cancelled", label: "b" })).toBe(1);
  });
});
