import { describe, expect, it } from "vitest";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { type Answer, connect, finished, getPost, ledger, type PostBody, post, signUp } from "../support/world.ts";
import { countPosts, patch } from "./edited-post.ts";

/**
 * The number of simultaneous edits. An edit that keeps losing races is given up after 20 s, so a test with thirty edits
 * runs only in virtual time (deterministic-simulation/scenarios).
 */
const EDITS = 12;

describe("PATCH /v1/posts/:id", () => {
  it("an edit changes only the fields that it names", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const before = await post(key, {
      text: "before",
      channels: [channel.id],
      publish_at: inDays(1),
      metadata: { a: "1" },
    });
    const changed = await patch(key, before.id, { text: "after" });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...before, text: "after", rev: 2, content_tag: expect.any(String), updated_at: expect.any(String) },
    });
    expect(changed.body.deliveries).toEqual(before.deliveries);
  });

  it("an edit is checked as the merged post, so an added channel applies its limits", async () => {
    const { key } = await signUp();
    const [telegram, bluesky] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    const before = await post(key, { text: "a".repeat(400), channels: [telegram.id], publish_at: inDays(1) });
    const refused = await patch(key, before.id, { channels: [telegram.id, bluesky.id] });
    expect(refused).toMatchObject({ status: 422, body: { error: "text_too_long" } });
    expect(await getPost(key, before.id)).toEqual(before);
    const added = await patch(key, before.id, {
      channels: [bluesky.id, telegram.id],
      overrides: { [bluesky.id]: { text: "short" } },
    });
    expect(added.body.deliveries.map(({ channel, status }) => [channel, status])).toEqual([
      [bluesky.id, "pending"],
      [telegram.id, "pending"],
    ]);
    expect(added.body.deliveries[1]?.id).toBe(before.deliveries[0]?.id);
  });

  it("an edit changes the time, checks only a changed time, and publishes at once when it removes the time", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    expect(await patch(key, id, { publish_at: "2020-01-01T00:00:00Z" })).toMatchObject({
      status: 422,
      body: { error: "publish_at_in_past" },
    });
    const later = inDays(3);
    expect(await patch(key, id, { publish_at: later })).toMatchObject({
      status: 200,
      body: { publish_at: later, deliveries: [{ scheduled_for: later }] },
    });
    expect((await patch(key, id, { publish_at: null })).status).toBe(200);
    expect((await finished(key, id)).status).toBe("published");
    expect(await ledger(channel.handle)).toHaveLength(1);
    expect(await patch(key, id, { text: "too late" })).toMatchObject({
      status: 409,
      body: { error: "post_not_editable" },
    });
  });

  it(`${EDITS} simultaneous edits are applied one after the other, and none is lost`, async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const before = await post(key, { text: "before", channels: [channel.id], publish_at: inDays(30) });
    const patches = Array.from({ length: EDITS }, (_, i) => {
      if (i % 3 === 0) return { text: `text ${i}` };
      return i % 3 === 1 ? { metadata: { edit: `${i}` } } : { publish_at: inDays(30 + i) };
    });
    const answers = await Promise.all(patches.map((body) => patch(key, before.id, body)));
    expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200));

    // Each answer is the previous answer with one more patch, which gives the order of the edits. Successive edits of
    // the same field have no visible order, because only the last of them shows in later answers.
    const pickFields = ({ text, metadata, publish_at }: PostBody) => ({ text, metadata, publish_at });
    const after = await getPost(key, before.id);
    let now = pickFields(before);
    let remaining = patches.map((body, i) => ({ body, fields: pickFields(answers[i]?.body ?? before) }));
    const follows = ({ body, fields }: (typeof remaining)[number], state: typeof now) =>
      JSON.stringify({ ...state, ...body }) === JSON.stringify(fields);
    while (remaining.length > 0) {
      const run = remaining.filter((edit) => follows(edit, now)).map(({ fields }) => fields);
      expect(run, "no remaining edit follows the current state").not.toEqual([]);
      remaining = remaining.filter((edit) => !follows(edit, now));
      now = run.find((state) => remaining.some((edit) => follows(edit, state))) ?? pickFields(after);
      expect(run).toContainEqual(now);
    }
    expect(after.deliveries).toMatchObject([{ id: before.deliveries[0]?.id, scheduled_for: now.publish_at }]);
  }, 60_000);

  it("an edit during the start of a post is refused only if the post has started", async () => {
    const { key } = await signUp();
    for (let round = 0; round < 4; round++) {
      const channel = await connect(key, "telegram");
      const { id } = await post(key, { text: "0", channels: [channel.id], publish_at: new Date(Date.now() + 700) });
      const edited = ["0"];
      let refused: Answer<PostBody & { error?: string }> | undefined;
      for (let i = 1; refused === undefined; i++) {
        const answers = await Promise.all([1, 2, 3].map((n) => patch(key, id, { text: `${i}.${n}` })));
        edited.push(...answers.flatMap(({ status, body }) => (status === 200 ? [body.text] : [])));
        refused = answers.find(({ status }) => status !== 200);
      }
      expect(refused).toMatchObject({ status: 409, body: { error: "post_not_editable" } });
      expect(["draft", "scheduled", "queued"]).not.toContain((await getPost(key, id)).status);
      const published = await finished(key, id);
      expect(edited).toContain(published.text);
      expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([published.text]);
    }
  }, 60_000);

  it("a draft is released and counted once, even if many calls release it at once", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const draft = await post(account.key, {
      text: "draft",
      draft: true,
      channels: [channel.id],
      publish_at: inDays(1),
    });
    expect(draft).toMatchObject({ status: "draft", draft: true, deliveries: [] });
    expect(await countPosts(account)).toBe(0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => patch(account.key, draft.id, { draft: false })));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await countPosts(account)).toBe(1);
    expect(await getPost(account.key, draft.id)).toMatchObject({
      status: "scheduled",
      deliveries: [{ status: "pending" }],
    });
  });

  it("a scheduled post that becomes a draft returns its count and is not sent", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    expect(await patch(account.key, id, { draft: true })).toMatchObject({
      status: 200,
      body: { status: "draft", draft: true, deliveries: [] },
    });
    expect(await countPosts(account)).toBe(0);
    expect(await patch(account.key, id, { draft: false })).toMatchObject({
      status: 200,
      body: { status: "scheduled" },
    });
    expect(await countPosts(account)).toBe(1);
  });

  it("a draft is checked again when it is released", async () => {
    const { key } = await signUp();
    const { id } = await post(key, { draft: true });
    expect(await patch(key, id, { draft: false })).toMatchObject({ status: 422, body: { error: "channels_required" } });
    const channel = await connect(key, "telegram");
    expect(
      (await patch(key, id, { channels: [channel.id], text: "now complete", publish_at: inDays(1) })).body.status,
    ).toBe("draft");
    await testEnv.DB.prepare("UPDATE posts SET publish_at = 1 WHERE id = ?").bind(id).run();
    expect(await patch(key, id, { draft: false })).toMatchObject({
      status: 422,
      body: { error: "publish_at_in_past" },
    });
    expect(await patch(key, id, { draft: false, publish_at: null })).toMatchObject({
      status: 200,
      body: { status: "queued" },
    });
    expect((await finished(key, id)).status).toBe("published");
  });

  it("the release of a draft beyond the month's posts is refused", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", draft: true, channels: [channel.id], publish_at: inDays(1) });
    await testEnv.DB.batch([
      testEnv.DB.prepare("UPDATE workspaces SET plan = 'free' WHERE id = ?").bind(account.workspace),
      testEnv.DB.prepare("INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, 30)").bind(
        account.workspace,
        new Date().toISOString().slice(0, 7),
      ),
    ]);
    expect(await patch(account.key, id, { draft: false })).toMatchObject({
      status: 402,
      body: { error: "plan_limit", used: 30, allowed: 30 },
    });
    expect((await getPost(account.key, id)).status).toBe("draft");
  });

  it("the post type can be set once", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: inDays(1) });
    expect(await patch(key, id, { post_type: "feed" })).toMatchObject({ status: 200, body: { post_type: "feed" } });
    expect((await patch(key, id, { post_type: "feed", text: "y" })).status).toBe(200);
    expect(await patch(key, id, { post_type: "carousel" })).toMatchObject({
      status: 422,
      body: { error: "post_type_fixed", field: "/post_type" },
    });
  });

  it("each of ten simultaneous edits is applied as a whole, without fields of other edits", async () => {
    const { key } = await signUp();
    const [a, b] = [await connect(key, "telegram"), await connect(key, "telegram")];
    const { id } = await post(key, { text: "start", channels: [a.id], publish_at: inDays(1) });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        patch(key, id, { text: `${i}`, channels: i % 2 ? [a.id, b.id] : [b.id], metadata: { i: `${i}` } }),
      ),
    );
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const after = await getPost(key, id);
    const i = Number(after.text);
    expect(after).toMatchObject({ metadata: { i: `${i}` }, channels: i % 2 ? [a.id, b.id] : [b.id] });
    expect(after.deliveries.map(({ channel }) => channel)).toEqual(after.channels);
  });

  it("an edit with an unknown field or of another workspace's post is rejected", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    const { id } = await post(mine.key, { text: "x", draft: true });
    expect(await patch(mine.key, id, { status: "published" })).toMatchObject({
      status: 422,
      body: { error: "unknown_field", field: "/status" },
    });
    expect((await patch(stranger.key, id, { text: "y" })).status).toBe(404);
  });
});
