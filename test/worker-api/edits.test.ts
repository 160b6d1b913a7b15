import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { removePost } from "../../src/operations/posts/remove.ts";
import { ask } from "../../src/store/db/batch.ts";
import { testEnv } from "../support/env.ts";
import {
  type Account,
  type Answer,
  call,
  connect,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
  uploadImage,
  uploadVideo,
} from "../support/world.ts";

const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const patch = (key: string, id: string, body: object): Promise<Answer<PostBody & { error?: string }>> =>
  call("PATCH", `/v1/posts/${id}`, { token: key, body });
const used = ({ workspace }: Account) =>
  testEnv.DB.prepare("SELECT COALESCE(SUM(posts), 0) AS n FROM usage_months WHERE workspace_id = ?")
    .bind(workspace)
    .first("n");

describe("PATCH /v1/posts/:id", () => {
  it("changes what it names and leaves the rest alone", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const before = await post(key, { text: "before", channels: [channel.id], publish_at: at(1), metadata: { a: "1" } });
    const changed = await patch(key, before.id, { text: "after" });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...before, text: "after", rev: 2, updated_at: expect.any(String) },
    });
    expect(changed.body.deliveries).toEqual(before.deliveries);
  });

  it("judges the merged post: a channel that is added brings its limits", async () => {
    const { key } = await signUp();
    const [telegram, bluesky] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    const before = await post(key, { text: "a".repeat(400), channels: [telegram.id], publish_at: at(1) });
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

  it("moves the time, judges it only then, and publishes at once when it is taken away", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: at(1) });
    expect(await patch(key, id, { publish_at: "2020-01-01T00:00:00Z" })).toMatchObject({
      status: 422,
      body: { error: "publish_at_in_past" },
    });
    const later = at(3);
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

  it("takes thirty edits at once, one after the other, and loses none of them", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const before = await post(key, { text: "before", channels: [channel.id], publish_at: at(30) });
    const patches = Array.from({ length: 30 }, (_, i) => {
      if (i % 3 === 0) return { text: `text ${i}` };
      return i % 3 === 1 ? { metadata: { edit: `${i}` } } : { publish_at: at(30 + i) };
    });
    const answers = await Promise.all(patches.map((body) => patch(key, before.id, body)));
    expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200));

    // Each answer is the one before it with one patch more: that puts them in order, but for a run of one field's edits,
    // of which only the last shows in what follows.
    const fieldsOf = ({ text, metadata, publish_at }: PostBody) => ({ text, metadata, publish_at });
    const after = await getPost(key, before.id);
    let now = fieldsOf(before);
    let left = patches.map((body, i) => ({ body, shown: fieldsOf(answers[i]?.body ?? before) }));
    const follows = ({ body, shown }: (typeof left)[number], state: typeof now) =>
      JSON.stringify({ ...state, ...body }) === JSON.stringify(shown);
    while (left.length > 0) {
      const run = left.filter((one) => follows(one, now)).map(({ shown }) => shown);
      expect(run, "an edit was made from what nobody left").not.toEqual([]);
      left = left.filter((one) => !follows(one, now));
      now = run.find((state) => left.some((one) => follows(one, state))) ?? fieldsOf(after);
      expect(run).toContainEqual(now);
    }
    expect(after.deliveries).toMatchObject([{ id: before.deliveries[0]?.id, scheduled_for: now.publish_at }]);
  }, 60_000);

  it("refuses an edit that meets the start only if the post has started", async () => {
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
      const done = await finished(key, id);
      expect(edited).toContain(done.text);
      expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual([done.text]);
    }
  }, 60_000);

  it("releases a draft and counts it once, however many release it at once", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const draft = await post(account.key, { text: "draft", draft: true, channels: [channel.id], publish_at: at(1) });
    expect(draft).toMatchObject({ status: "draft", draft: true, deliveries: [] });
    expect(await used(account)).toBe(0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => patch(account.key, draft.id, { draft: false })));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await used(account)).toBe(1);
    expect(await getPost(account.key, draft.id)).toMatchObject({
      status: "scheduled",
      deliveries: [{ status: "pending" }],
    });
  });

  it("pulls a scheduled post back, gives its count back, and sends nothing", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: at(1) });
    expect(await patch(account.key, id, { draft: true })).toMatchObject({
      status: 200,
      body: { status: "draft", draft: true, deliveries: [] },
    });
    expect(await used(account)).toBe(0);
    expect(await patch(account.key, id, { draft: false })).toMatchObject({
      status: 200,
      body: { status: "scheduled" },
    });
    expect(await used(account)).toBe(1);
  });

  it("judges a draft anew when it is released", async () => {
    const { key } = await signUp();
    const { id } = await post(key, { draft: true });
    expect(await patch(key, id, { draft: false })).toMatchObject({ status: 422, body: { error: "channels_required" } });
    const channel = await connect(key, "telegram");
    expect(
      (await patch(key, id, { channels: [channel.id], text: "now complete", publish_at: at(1) })).body.status,
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

  it("refuses a release beyond the month's allowance", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", draft: true, channels: [channel.id], publish_at: at(1) });
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

  it("sets a post type once", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: at(1) });
    expect(await patch(key, id, { post_type: "feed" })).toMatchObject({ status: 200, body: { post_type: "feed" } });
    expect((await patch(key, id, { post_type: "feed", text: "y" })).status).toBe(200);
    expect(await patch(key, id, { post_type: "carousel" })).toMatchObject({
      status: 422,
      body: { error: "post_type_fixed", field: "/post_type" },
    });
  });

  it("of ten edits at once each is applied whole: no field of one beside a field of another", async () => {
    const { key } = await signUp();
    const [a, b] = [await connect(key, "telegram"), await connect(key, "telegram")];
    const { id } = await post(key, { text: "start", channels: [a.id], publish_at: at(1) });
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

  it("knows no fields that it does not know, and no posts of others", async () => {
    const [mine, other] = [await signUp(), await signUp()];
    const { id } = await post(mine.key, { text: "x", draft: true });
    expect(await patch(mine.key, id, { status: "published" })).toMatchObject({
      status: 422,
      body: { error: "unknown_field", field: "/status" },
    });
    expect((await patch(other.key, id, { text: "y" })).status).toBe(404);
  });
});

describe("PATCH and DELETE /v1/media/:id", () => {
  it("the alt text is set, removed, and named by every body", async () => {
    const account = await signUp();
    const image = await uploadImage(account, { alt: "before" });
    const set = (body: object) => call("PATCH", `/v1/media/${image.id}`, { token: account.key, body });
    expect(await set({ alt: "a".repeat(2_000) })).toMatchObject({ status: 200, body: { alt: "a".repeat(2_000) } });
    expect(await set({ alt: "a".repeat(2_001) })).toMatchObject({
      status: 422,
      body: { error: "alt_too_long", field: "/alt" },
    });
    expect(await set({ alt: "   " })).toMatchObject({ status: 200, body: { alt: null } });
    expect(await set({ alt: null })).toMatchObject({ status: 200, body: { alt: null } });
    expect(await set({})).toMatchObject({ status: 422, body: { error: "alt_required", field: "/alt" } });
    expect(await set({ alt: "x", url: "https://example.com/" })).toMatchObject({
      status: 422,
      body: { error: "unknown_field", field: "/url" },
    });
  });

  it("an alt text that is set after the post was scheduled is the one that is published", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account, { alt: "before" });
    const { id } = await post(account.key, { media: [image.id], channels: [channel.id], publish_at: at(1) });
    await call("PATCH", `/v1/media/${image.id}`, { token: account.key, body: { alt: "after" } });
    await patch(account.key, id, { publish_at: null });
    await finished(account.key, id);
    expect((await ledger(channel.handle))[0]?.media[0]?.alt).toBe("after");
  });

  it("a file is deleted with its bytes, which come back to the allowance, unless a post needs it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const [free, needed] = [await uploadImage(account), await uploadVideo(account, 100)];
    const scheduled = await post(account.key, { text: "x", draft: true, media: [needed.id], channels: [channel.id] });
    const staged = async () =>
      (await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: account.key })).body.media_bytes.used;
    expect(await staged()).toBe(free.bytes + needed.bytes);
    const remove = (id: string) => call("DELETE", `/v1/media/${id}`, { token: account.key });
    // Its address has ended: nothing can be uploaded to it any more.
    await testEnv.DB.prepare("UPDATE media SET created_at = created_at - 90000000 WHERE id = ?").bind(free.id).run();
    expect((await remove(free.id)).status).toBe(204);
    expect(await testEnv.MEDIA?.head(`m/${account.workspace}/${free.id}`)).toBeNull();
    expect(await staged()).toBe(needed.bytes);
    expect((await remove(free.id)).status).toBe(404);
    await testEnv.DB.prepare("UPDATE posts SET status = 'published' WHERE id = ?").bind(scheduled.id).run();
    expect(await remove(needed.id)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
    expect(await staged()).toBe(needed.bytes);
  });
});

describe("DELETE /v1/posts/:id", () => {
  /** A cancel that has read the post as it is now, and goes on when it is told to. */
  async function begun({ workspace }: Account, id: string) {
    const ctx = compose(testEnv, () => {});
    const db = ctx.databaseOf(workspace);
    const input = { params: { id }, query: undefined, body: undefined, idempotencyKey: null };
    const first = await ask(db, removePost.read(ctx, db, workspace, input));
    return () =>
      removePost.run(
        ctx,
        { kind: "key", keyId: "key_1", workspaceId: workspace, scopes: SCOPES, channels: null },
        input,
        first,
      );
  }

  it("discards what an edit pulls back to a draft meanwhile: nobody releases what was cancelled", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: at(1) });
    const goOn = await begun(account, id);
    expect(await patch(account.key, id, { draft: true })).toMatchObject({ status: 200, body: { status: "draft" } });
    expect(await goOn()).toEqual({ status: 204, body: undefined });
    expect(await patch(account.key, id, { draft: false })).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(await used(account)).toBe(0);
  });

  it("cancels what an edit releases meanwhile", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: at(1), draft: true });
    const goOn = await begun(account, id);
    expect(await patch(account.key, id, { draft: false })).toMatchObject({ status: 200 });
    expect(await goOn()).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it("does not say that it cancelled what went out meanwhile", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await post(account.key, { text: "x", channels: [channel.id], publish_at: at(1) });
    const goOn = await begun(account, id);
    expect(await patch(account.key, id, { publish_at: null })).toMatchObject({ status: 200 });
    await finished(account.key, id);
    await expect(goOn()).rejects.toMatchObject({ code: "post_finished" });
  });
});
