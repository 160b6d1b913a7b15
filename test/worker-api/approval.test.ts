// Posts that wait for approval: who waits, who decides, and that nothing goes out before.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { as, join } from "../support/members.ts";
import {
  type Account,
  call,
  connect,
  finished,
  getPost,
  ledger,
  type PostBody,
  signUp,
  uploadImage,
} from "../support/world.ts";

const setApproval = (owner: Account, approval: string) =>
  call("PATCH", `/v1/workspaces/${owner.workspace}`, { token: owner.session, body: { approval } });

/** A workspace with an author and a publisher, where authors ask. */
async function team(approval = "authors") {
  const [owner, author, publisher] = [await signUp(), await signUp(), await signUp()];
  await join(owner, author, "author");
  await join(owner, publisher, "publisher");
  const channel = await connect(owner.key, "telegram");
  expect(await setApproval(owner, approval)).toMatchObject({ status: 200, body: { approval } });
  const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
  const create = (by: Account, more: object = {}) =>
    call<PostBody>("POST", "/v1/posts", as(by, owner, { ...body, ...more }));
  const patch = (by: Account, id: string, more: object) =>
    call<PostBody>("PATCH", `/v1/posts/${id}`, as(by, owner, more));
  const approve = (by: Account, id: string, more: object) =>
    call<PostBody>("POST", `/v1/posts/${id}/approve`, as(by, owner, more));
  const decline = (by: Account, id: string, more: object = { reason: "Not now." }) =>
    call<PostBody>("POST", `/v1/posts/${id}/decline`, as(by, owner, more));
  return { owner, author, publisher, channel, create, patch, approve, decline };
}
const used = async ({ key }: Account) =>
  (await call<Record<"posts" | "drafts", { used: number }>>("GET", "/v1/usage", { token: key })).body;
const deliveriesOf = (id: string) =>
  testEnv.DB.prepare("SELECT COUNT(*) AS n FROM deliveries WHERE post_id = ?").bind(id).first<number>("n");

describe("posts that wait for approval", () => {
  it("a file's posts too, and its drafts stay drafts", async () => {
    const { owner, author, channel } = await team();
    const lines = [
      { text: "one", channels: [channel.id] },
      { text: "two", channels: [channel.id], publish_at: tomorrow() },
      { text: "three", draft: true },
    ];
    const answer = await call<{ rows: { post: PostBody }[] }>("POST", "/v1/posts/import", {
      token: author.session,
      headers: { "x-workspace": owner.workspace, "content-type": "application/x-ndjson" },
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
    });
    expect(answer.body.rows.map(({ post }) => [post.text, post.status])).toEqual([
      ["one", "awaiting_approval"],
      ["two", "awaiting_approval"],
      ["three", "draft"],
    ]);
    for (const { post } of answer.body.rows) expect(await deliveriesOf(post.id)).toBe(0);
    expect(await used(owner)).toMatchObject({ posts: { used: 0 }, drafts: { used: 3 } });
    const feed = await call<{ events: { event: string; post: string }[] }>("GET", "/v1/events", { token: owner.key });
    const asked = feed.body.events.filter(({ event }) => event === "post.approval_requested");
    expect(new Set(asked.map(({ post }) => post))).toEqual(
      new Set(answer.body.rows.slice(0, 2).map(({ post }) => post.id)),
    );
  });

  it("with authors: what an author or a draft key queues, and nobody else's", async () => {
    const { owner, author, publisher, channel, create } = await team();
    const waits = await create(author);
    expect(waits).toMatchObject({
      status: 201,
      body: {
        status: "awaiting_approval",
        draft: false,
        rev: 1,
        deliveries: [],
        approval: { state: "waiting", by: null, reason: null, rev: 1 },
      },
    });
    expect(await deliveriesOf(waits.body.id)).toBe(0);
    expect((await create(publisher)).body).toMatchObject({ status: "scheduled", approval: null });
    const { key } = await makeKey(owner, { scopes: ["draft"] });
    const body = { text: "y", channels: [channel.id] };
    expect((await call("POST", "/v1/posts", { token: key, body })).body).toMatchObject({ status: "awaiting_approval" });
    expect((await create(author, { dry_run: true })).body).toMatchObject({ status: "awaiting_approval", valid: true });
  });

  it("with all: everybody's, also an edit of what was scheduled before; with none: nobody's", async () => {
    const { owner, author, publisher, create, patch } = await team("none");
    const scheduled = await create(publisher);
    expect(await create(author)).toMatchObject({ status: 403, body: { error: "role_missing", role: "publisher" } });
    await setApproval(owner, "all");
    expect((await create(publisher)).body).toMatchObject({ status: "awaiting_approval" });
    expect((await getPost(owner.key, scheduled.body.id)).status).toBe("scheduled");
    expect((await patch(publisher, scheduled.body.id, { text: "y" })).body).toMatchObject({
      status: "awaiting_approval",
      approval: { state: "waiting", rev: 2 },
    });
    expect(await deliveriesOf(scheduled.body.id)).toBe(0);
  });

  it("is set by an owner, and by no key", async () => {
    const { owner, publisher } = await team();
    const path = `/v1/workspaces/${owner.workspace}`;
    expect((await call("PATCH", path, { token: publisher.session, body: { approval: "none" } })).status).toBe(403);
    expect((await call("PATCH", path, { token: owner.key, body: { approval: "none" } })).status).toBe(403);
    expect((await call("PATCH", path, { token: owner.session, body: { approval: "some" } })).status).toBe(422);
    expect((await call("GET", "/v1/workspace", { token: owner.key })).body).toMatchObject({ approval: "authors" });
  });
});

describe("a waiting post", () => {
  it("is listed, and neither counted nor promised", async () => {
    const { owner, author, create } = await team();
    const before = await used(owner);
    const { body } = await create(author);
    const { body: untimed } = await create(author, { publish_at: null });
    expect((await used(owner)).posts.used).toBe(before.posts.used);
    for (const query of ["", "?status=awaiting_approval", "?order=due"]) {
      const { body: page } = await call<{ posts: PostBody[] }>("GET", `/v1/posts${query}`, { token: owner.key });
      expect(page.posts.map(({ id }) => id).sort(), query).toEqual([body.id, untimed.id].sort());
    }
    expect(body.due_at).toBe(body.publish_at);
    expect(untimed.due_at).toBeNull();
  });

  it("waits anew after an edit, whoever makes it, and can be taken back and cancelled by an author", async () => {
    const { owner, author, publisher, create, patch, approve } = await team();
    const { body } = await create(author);
    const path = `/v1/posts/${body.id}`;
    expect((await patch(author, body.id, { text: "y" })).body).toMatchObject({
      status: "awaiting_approval",
      rev: 2,
      approval: { state: "waiting", rev: 2 },
    });
    expect((await patch(publisher, body.id, { text: "z" })).body).toMatchObject({
      status: "awaiting_approval",
      rev: 3,
    });
    expect(await approve(publisher, body.id, { rev: 2 })).toMatchObject({
      status: 412,
      body: { error: "post_changed", field: "/rev", current: { rev: 3, text: "z" } },
    });
    expect((await patch(author, body.id, { draft: true })).body).toMatchObject({ status: "draft", approval: null });
    expect((await patch(author, body.id, { draft: false })).body).toMatchObject({ status: "awaiting_approval" });
    expect((await call("DELETE", path, as(author, owner))).body).toMatchObject({ status: "cancelled" });
    expect(await approve(publisher, body.id, { rev: 6 })).toMatchObject({ body: { error: "post_not_waiting" } });
    expect((await used(owner)).drafts.used).toBe(0);
  });

  it("keeps its files' texts as they were looked at", async () => {
    const { owner, author, publisher, channel, create, approve } = await team();
    const image = await uploadImage(owner);
    const { body } = await create(author, { media: [image.id], channels: [channel.id] });
    const describe = (by: Account) => call("PATCH", `/v1/media/${image.id}`, as(by, owner, { alt: "another text" }));
    expect(await describe(author)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
    expect((await approve(publisher, body.id, { rev: 1 })).status).toBe(200);
    expect(await describe(publisher)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
  });
});

describe("a decision", () => {
  it("approves exactly what stands, which is scheduled and counted, and goes out", async () => {
    const { owner, author, publisher, channel, create, approve } = await team();
    const text = "Exactly this: é \u{1F30D}  two spaces";
    const { body } = await create(author, { text, publish_at: undefined });
    expect(await approve(author, body.id, { rev: 1 })).toMatchObject({ status: 403, body: { role: "publisher" } });
    const done = await approve(publisher, body.id, { rev: 1 });
    expect(done).toMatchObject({
      status: 200,
      body: { rev: 1, approval: { state: "approved", by: "Ada", reason: null, rev: 1 } },
    });
    expect(done.body.due_at).not.toBeNull();
    expect((await finished(owner.key, body.id)).status).toBe("published");
    expect((await ledger(channel.handle)).map((entry) => entry.text)).toEqual([text]);
    expect(await approve(publisher, body.id, { rev: 1 })).toMatchObject({
      status: 409,
      body: { error: "post_not_waiting" },
    });
  });

  it("is a publisher's or a publish key's, not a draft key's", async () => {
    const { owner, author, create } = await team();
    const { body } = await create(author);
    const path = `/v1/posts/${body.id}/approve`;
    const [draft, publish] = [
      await makeKey(owner, { scopes: ["draft", "read"] }),
      await makeKey(owner, { scopes: ["publish"], name: "The desk" }),
    ];
    expect(await call("POST", path, { token: draft.key, body: { rev: 1 } })).toMatchObject({
      status: 403,
      body: { error: "scope_missing", scope: "publish" },
    });
    expect((await call("POST", path, { token: publish.key, body: { rev: 1 } })).body).toMatchObject({
      status: "scheduled",
      approval: { by: "the key The desk" },
    });
  });

  it("after its time takes another one", async () => {
    const { author, publisher, create, approve } = await team();
    const { body } = await create(author);
    await testEnv.DB.prepare("UPDATE posts SET publish_at = 1000000, due_at = 1000000 WHERE id = ?")
      .bind(body.id)
      .run();
    expect(await approve(publisher, body.id, { rev: 1 })).toMatchObject({
      status: 422,
      body: { error: "publish_at_in_past" },
    });
    const publish_at = tomorrow();
    expect((await approve(publisher, body.id, { rev: 1, publish_at })).body).toMatchObject({
      status: "scheduled",
      publish_at,
    });
  });

  it("takes the next free slot as another time", async () => {
    const { owner, author, publisher, create, approve } = await team();
    const slots = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: "07:45", channels: null }));
    expect((await call("PUT", "/v1/slots", { token: owner.key, body: { slots } })).status).toBe(200);
    const { body } = await create(author);
    const approved = await approve(publisher, body.id, { rev: 1, publish_at: "next_slot" });
    expect(approved).toMatchObject({ status: 200, body: { status: "scheduled" } });
    expect(approved.body.publish_at).toMatch(/T07:45:00\.000Z$/);
  });

  it("declines with a reason, and the draft can be asked for again", async () => {
    const { author, publisher, create, patch, decline } = await team();
    const { body } = await create(author);
    expect(await decline(author, body.id)).toMatchObject({ status: 403 });
    expect(await decline(publisher, body.id, { reason: " " })).toMatchObject({
      status: 422,
      body: { field: "/reason" },
    });
    expect((await decline(publisher, body.id)).body).toMatchObject({
      status: "draft",
      approval: { state: "declined", by: "Ada", reason: "Not now.", rev: 1 },
    });
    expect(await decline(publisher, body.id)).toMatchObject({ status: 409, body: { error: "post_not_waiting" } });
    expect((await patch(author, body.id, { text: "y" })).body).toMatchObject({ approval: { state: "declined" } });
    expect((await patch(author, body.id, { draft: false })).body).toMatchObject({
      status: "awaiting_approval",
      approval: { state: "waiting", reason: null },
    });
  });

  it("is kept with what the post was then, and goes with the post", async () => {
    const { owner, author, publisher, channel, create, patch, approve, decline } = await team();
    const other = await connect(owner.key, "telegram");
    const image = await uploadImage(owner, { alt: "A kite" });
    const publish_at = tomorrow();
    const { body } = await create(author, {
      text: "Été 🏳️‍🌈",
      media: [image.id],
      overrides: { [channel.id]: { text: "own", silent: true } },
      publish_at,
    });
    const read = (by = owner.key) =>
      call<{ decision: object | null }>("GET", `/v1/posts/${body.id}/decision`, { token: by });
    expect(await read()).toMatchObject({ status: 200, body: { decision: null } });
    await decline(publisher, body.id, { reason: "Shorter." });
    const declined = {
      state: "declined",
      by: "Ada",
      reason: "Shorter.",
      rev: 1,
      text: "Été 🏳️‍🌈",
      media: [image.id],
      thread: null,
      channels: [channel.id],
      overrides: { [channel.id]: { text: "own", silent: true } },
      publish_at,
      post_type: null,
      alts: { [image.id]: "A kite" },
    };
    await call("PATCH", `/v1/media/${image.id}`, as(author, owner, { alt: "A red kite" }));
    const change = { text: "y", media: [], overrides: {}, channels: [channel.id, other.id], publish_at: null };
    await patch(author, body.id, { ...change, draft: false });
    expect((await read()).body).toEqual({ decision: { ...declined, at: expect.any(String) } });

    const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expect(await approve(publisher, body.id, { rev: 2, publish_at: later })).toMatchObject({ status: 200 });
    await patch(publisher, body.id, { text: "z" });
    expect((await read()).body).toMatchObject({ decision: { state: "approved", text: "y", publish_at: later } });
    expect((await getPost(owner.key, body.id)).text).toBe("z");

    // Who does not know of a channel learns of no post that was on it.
    await patch(publisher, body.id, { channels: [channel.id] });
    const { key: narrow } = await makeKey(owner, { scopes: ["read"], channels: [channel.id] });
    expect(await read(narrow)).toMatchObject({ status: 200, body: { decision: null } });
    const { key: stranger } = await signUp();
    expect(await read(stranger)).toMatchObject({ status: 404 });

    await patch(publisher, body.id, { draft: true });
    await call("DELETE", `/v1/posts/${body.id}`, { token: owner.key });
    expect(await read()).toMatchObject({ status: 404 });
    const rows = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM posts WHERE decided LIKE ?");
    expect(await rows.bind(`%${image.id}%`).first<number>("n")).toBe(0);
  });

  it("in a free slot is kept with the time of that slot", async () => {
    const { owner, author, publisher, create, approve } = await team();
    await call("PUT", "/v1/slots", {
      token: owner.key,
      body: { slots: [{ weekday: 3, time: "09:30", channels: null }] },
    });
    const { body } = await create(author);
    const approved = await approve(publisher, body.id, { rev: 1, publish_at: "next_slot" });
    expect(approved.status).toBe(200);
    const { body: kept } = await call<{ decision: { publish_at: string } }>("GET", `/v1/posts/${body.id}/decision`, {
      token: owner.key,
    });
    expect(kept.decision.publish_at).toBe(approved.body.publish_at);
    expect(new Date(kept.decision.publish_at).getUTCDay()).toBe(3);
  });

  it("is one of several at once: approve, decline, edit and cancel each win alone", async () => {
    const { owner, author, publisher, create, patch, approve, decline } = await team();
    for (let i = 0; i < 4; i++) {
      const { body } = await create(author);
      await Promise.all([
        approve(publisher, body.id, { rev: 1 }),
        decline(publisher, body.id, { reason: "no", rev: 1 }),
        patch(author, body.id, { text: "changed" }),
        call("DELETE", `/v1/posts/${body.id}`, as(author, owner)),
        approve(publisher, body.id, { rev: 1 }),
      ]);
      const after = await getPost(owner.key, body.id);
      const count = await deliveriesOf(body.id);
      expect(count, after.status).toBe(after.status === "scheduled" || after.deliveries.length > 0 ? 1 : 0);
      // What is scheduled is what was approved.
      if (after.status === "scheduled")
        expect(after).toMatchObject({ text: "x", approval: { state: "approved", rev: 1 } });
    }
  });

  it("is told to webhooks that name it and to the feed, with the approval", async () => {
    const { owner, author, publisher, create, approve } = await team();
    const { body } = await create(author, { metadata: { campaign: "w" } });
    await approve(publisher, body.id, { rev: 1 });
    const { body: feed } = await call<{ events: Record<string, unknown>[] }>("GET", `/v1/events?post=${body.id}`, {
      token: owner.key,
    });
    expect(feed.events).toMatchObject([
      {
        event: "post.approved",
        post: body.id,
        channel: null,
        delivery: null,
        platform: null,
        approval: { state: "approved", by: "Ada", rev: 1 },
        metadata: { campaign: "w" },
      },
      { event: "post.approval_requested", approval: { state: "waiting", by: null } },
    ]);
  });
});
