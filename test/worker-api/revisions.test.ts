import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { removePost } from "../../src/operations/posts/remove.ts";
import { updatePost } from "../../src/operations/posts/update.ts";
import { ask } from "../../src/store/db/batch.ts";
import { inDays } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, getPost, type PostBody, post, signUp } from "../support/world.ts";

type ChangeAnswer = PostBody & { error?: string; field?: string; current?: PostBody };
const change = (method: "PATCH" | "DELETE", key: string, id: string, ifMatch: string | null, body?: object) =>
  call<ChangeAnswer>(method, `/v1/posts/${id}`, {
    token: key,
    body,
    headers: ifMatch === null ? {} : { "if-match": ifMatch },
  });

/** Creates a scheduled post and a draft, in their own workspace. */
async function createPosts() {
  const { key } = await signUp();
  const channel = await connect(key, "telegram");
  const scheduled = await post(key, { text: "one", channels: [channel.id], publish_at: inDays(1) });
  const draft = await post(key, { text: "one", draft: true });
  return { key, channel, scheduled, draft };
}

describe("the revision of a post", () => {
  it("the revision is in each answer with one post, and grows with each edit and with a cancellation", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const body = { text: "one", channels: [channel.id], publish_at: inDays(1) };
    const created = await call<PostBody>("POST", "/v1/posts", {
      token: key,
      body,
      headers: { "idempotency-key": "k" },
    });
    const { id } = created.body;
    const again = await call("POST", "/v1/posts", { token: key, body, headers: { "idempotency-key": "k" } });
    const read = await call("GET", `/v1/posts/${id}`, { token: key });
    for (const { headers, body } of [created, again, read]) {
      expect(headers.get("etag")).toBe('"1"');
      expect(body.rev).toBe(1);
    }
    const edited = await change("PATCH", key, id, '"1"', { text: "two" });
    expect(edited).toMatchObject({ status: 200, body: { rev: 2, text: "two" } });
    expect(edited.headers.get("etag")).toBe('"2"');
    const cancelled = await change("DELETE", key, id, '"2"');
    expect(cancelled).toMatchObject({ status: 200, body: { rev: 3, status: "cancelled" } });
    expect(cancelled.headers.get("etag")).toBe('"3"');
    const dry = await call("POST", "/v1/posts", { token: key, body: { ...body, dry_run: true } });
    expect(dry.headers.get("etag")).toBeNull();
  });

  it("a call with another revision in If-Match is refused with 412 and the current post, and changes nothing", async () => {
    const { key, scheduled, draft } = await createPosts();
    for (const { id } of [scheduled, draft]) {
      await change("PATCH", key, id, null, { text: "two" });
      const now = await getPost(key, id);
      for (const ifMatch of ['"1"', 'W/"2"', '"two"', '"1", "3"', '"02"', '""']) {
        const refused = await change("PATCH", key, id, ifMatch, { text: "three" });
        expect(refused).toMatchObject({ status: 412, body: { error: "post_changed", field: "If-Match" } });
        expect(refused.body.current).toEqual(now);
        expect(refused.headers.get("etag")).toBe('"2"');
        expect(await change("DELETE", key, id, ifMatch)).toMatchObject({ status: 412, body: { current: now } });
      }
      expect(await getPost(key, id)).toEqual(now);
      expect(await change("PATCH", key, id, '"1" ,\t"2"', { text: "three" })).toMatchObject({ body: { rev: 3 } });
      expect(await change("PATCH", key, id, "*", { text: "four" })).toMatchObject({ status: 200, body: { rev: 4 } });
    }
    expect((await change("DELETE", key, draft.id, '"4"')).status).toBe(204);
    expect((await change("DELETE", key, scheduled.id, '"4"')).status).toBe(200);
  });

  it.each(["2", "abc", '"1', '"1" "2"', ",", '"a b"'])("the header If-Match: %s is refused", async (ifMatch) => {
    const { key, draft } = await createPosts();
    const refused = await change("PATCH", key, draft.id, ifMatch, { text: "two" });
    expect(refused).toMatchObject({ status: 422, body: { error: "invalid_field", field: "If-Match" } });
  });

  it("only one of many simultaneous edits of the same revision is accepted", async () => {
    const { key, scheduled, draft } = await createPosts();
    for (const { id } of [scheduled, draft]) {
      const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
      const answers = await Promise.all(texts.map((text) => change("PATCH", key, id, '"1"', { text })));
      const [accepted, ...otherAccepted] = answers.filter(({ status }) => status === 200);
      expect(otherAccepted).toEqual([]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 412]));
      const now = await getPost(key, id);
      expect(now).toMatchObject({ rev: 2, text: accepted?.body.text });
      for (const { status, body } of answers) if (status === 412) expect(body.current).toEqual(now);
    }
  });

  it.each(["an edit", "a cancellation"])(
    "the revision is checked by %s even if another edit comes after its read",
    async (act) => {
      const { key, scheduled, draft } = await createPosts();
      const workspaceId = (await call<{ id: string }>("GET", "/v1/workspace", { token: key })).body.id;
      const ctx = compose(testEnv, () => {});
      const db = ctx.databaseOf(workspaceId);
      for (const { id } of [scheduled, draft]) {
        const caller = {
          kind: "key" as const,
          keyId: "",
          name: "Key",
          workspaceId,
          scopes: SCOPES,
          channels: null,
          budget: null,
        };
        const input = { params: { id }, query: undefined, idempotencyKey: null, revisions: [1] };
        const begin = async () => {
          if (act === "an edit") {
            const edit = { ...input, body: { text: "mine" } };
            const reads = await ask(db, updatePost.read(ctx, db, workspaceId, edit));
            return () => updatePost.run(ctx, caller, edit, reads);
          }
          const end = { ...input, body: undefined };
          const reads = await ask(db, removePost.read(ctx, db, workspaceId, end));
          return () => removePost.run(ctx, caller, end, reads);
        };
        const finish = await begin();
        const theirs = await change("PATCH", key, id, null, { text: "theirs" });
        await expect(finish()).rejects.toMatchObject({ code: "post_changed" });
        expect(await getPost(key, id)).toEqual({ ...theirs.body, warnings: [] });
      }
    },
  );

  it("only one of an edit and a cancellation of the same revision takes effect", async () => {
    const { key, channel } = await createPosts();
    for (let round = 0; round < 5; round++) {
      for (const body of [
        { text: "one", channels: [channel.id], publish_at: inDays(1) },
        { text: "one", draft: true },
      ]) {
        const { id } = await post(key, body);
        const [edit, end] = await Promise.all([
          change("PATCH", key, id, '"1"', { text: "two" }),
          change("DELETE", key, id, '"1"'),
        ]);
        const now = await call<PostBody>("GET", `/v1/posts/${id}`, { token: key });
        if (edit.status === 200) {
          expect(end).toMatchObject({ status: 412, body: { current: { rev: 2, text: "two" } } });
          expect(now.body).toMatchObject({ rev: 2, text: "two", status: edit.body.status });
        } else if (body.draft) {
          expect([edit.status, end.status, now.status]).toEqual([404, 204, 404]);
        } else {
          expect([edit.status, end.status]).toEqual([412, 200]);
          expect(now.body).toMatchObject({ rev: 2, text: "one", status: "cancelled" });
        }
      }
    }
  });
});

describe("due_at", () => {
  it("due_at is the promised time, and null for a draft without a time", async () => {
    const { key, scheduled, draft, channel } = await createPosts();
    expect(scheduled.due_at).toBe(scheduled.publish_at);
    expect(draft.due_at).toBeNull();
    const timed = await post(key, { text: "x", draft: true, publish_at: inDays(3) });
    expect(timed).toMatchObject({ draft: true, due_at: timed.publish_at });
    const before = Date.now();
    const now = await post(key, { text: "x", channels: [channel.id] });
    expect(now.publish_at).toBeNull();
    expect(Date.parse(now.due_at ?? "")).toBeGreaterThanOrEqual(before - 1_000);
    expect(now.due_at).toBe(now.deliveries[0]?.scheduled_for);
  });
});
