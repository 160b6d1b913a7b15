// Posts found as they are now: by the files that they use, by dates on a clock that changes, and after edits.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import type { Query } from "../support/planted-posts.ts";
import { call, connect, post, signUp, uploadImage } from "../support/world.ts";
import { all, page } from "./found.ts";

describe("finding posts", () => {
  it("finds the posts that use a file, in thread and overrides too, drafts by their status", async () => {
    const owner = await signUp();
    const [channel, image, unused] = [
      await connect(owner.key, "bluesky"),
      await uploadImage(owner, { alt: "x" }),
      await uploadImage(owner, { alt: "y" }),
    ];
    const publish_at = "2027-03-01T09:00:00Z";
    const make = (body: object) => post(owner.key, { text: "x", channels: [channel.id], publish_at, ...body });
    const uses = [
      await make({ media: [image.id] }),
      await make({ thread: [{ text: "y", media: [image.id] }] }),
      await make({ overrides: { [channel.id]: { media: [image.id] } }, publish_at: "2027-02-01T09:00:00Z" }),
    ].map(({ id }) => id);
    await make({});
    const draft = await post(owner.key, { text: "x", media: [image.id], draft: true });
    const find = async (query: Query) => (await all(owner.key, query, 2)).found.map(({ id }) => id);
    expect(await find({ media: image.id })).toEqual(uses.toReversed());
    expect(await find({ media: image.id, order: "due" })).toEqual([uses[2], uses[0], uses[1]]);
    expect(await find({ media: image.id, status: "draft" })).toEqual([draft.id]);
    expect(await find({ media: image.id, status: "draft", order: "due" })).toEqual([draft.id]);
    expect(await find({ media: image.id, status: "failed" })).toEqual([]);
    expect(await find({ media: unused.id })).toEqual([]);
    expect((await all((await signUp()).key, { media: image.id })).found).toEqual([]);
    // A file that very many posts use is looked for among all posts that are no drafts, a window at a time.
    await testEnv.DB.prepare(
      `WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)
        INSERT INTO media_uses (workspace_id, media_id, post_id) SELECT ?, ?, 'post_0' || n FROM i`,
    )
      .bind(owner.workspace, image.id)
      .run();
    expect(await find({ media: image.id })).toEqual(uses.toReversed());
    expect(await find({ media: image.id, status: "draft" })).toEqual([draft.id]);
    expect(await page(owner.key, { media: image.id })).toMatchObject({ looked_through: 4 });
  });

  it("reads dates in the workspace's time zone, across clock changes", async () => {
    const { key } = await signUp();
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Europe/Berlin" } });
    const times = ["2027-03-27T22:59:59Z", "2027-03-27T23:00:00Z", "2027-03-28T21:59:59Z", "2027-03-28T22:00:00Z"];
    for (const publish_at of times) await post(key, { text: "x", draft: true, publish_at });
    const query = { status: "draft", from: "2027-03-28", to: "2027-03-29", order: "due" };
    expect((await all(key, query)).found.map(({ publish_at }) => publish_at)).toEqual(
      times.slice(1, 3).map((time) => time.replace("Z", ".000Z")),
    );
  });

  it("follows edits, cancellations and discarded drafts", async () => {
    const { key } = await signUp();
    const [one, two] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const { id } = await post(key, { text: "Erste", labels: ["a"], channels: [one.id], publish_at: at(3) });
    const edit = (body: object) => call("PATCH", `/v1/posts/${id}`, { token: key, body });
    const finds = async (query: Query) => (await all(key, { order: "due", ...query })).found.length;
    const seen = () =>
      Promise.all(
        [
          { channel: one.id },
          { channel: two.id },
          { label: "a" },
          { label: "b" },
          { q: "erste" },
          { q: "zweite" },
          { to: at(4) },
          { platform: "bluesky", order: "newest" },
        ].map(finds),
      );
    expect(await seen()).toEqual([1, 0, 1, 0, 1, 0, 1, 0]);
    await edit({ text: "Zweite", labels: ["b"], channels: [two.id], publish_at: at(5) });
    expect(await seen()).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    await edit({ draft: true });
    expect(await seen()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await finds({ status: "draft", label: "b", q: "zweite" })).toBe(1);
    await edit({ draft: false, channels: [one.id, two.id] });
    expect(await seen()).toEqual([1, 1, 0, 1, 0, 1, 0, 1]);
    await call("DELETE", `/v1/posts/${id}`, { token: key });
    expect(await finds({ status: "cancelled", label: "b" })).toBe(1);
  });
});
