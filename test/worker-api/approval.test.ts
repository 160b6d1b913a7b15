// Posts that wait for approval are not published before they are approved.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { makeKey } from "../support/keys.ts";
import { asMember } from "../support/members.ts";
import { type Account, call, getPost, type PostBody, uploadImage } from "../support/world.ts";
import { countDeliveries, getUsage, openTeam, setApproval } from "./approvals.ts";

describe("posts that wait for approval", () => {
  it("imported posts wait for approval, and imported drafts stay drafts", async () => {
    const { owner, author, channel } = await openTeam();
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
    for (const { post } of answer.body.rows) expect(await countDeliveries(post.id)).toBe(0);
    expect(await getUsage(owner)).toMatchObject({ posts: { used: 0 }, drafts: { used: 3 } });
    const feed = await call<{ events: { event: string; post: string }[] }>("GET", "/v1/events", { token: owner.key });
    const requests = feed.body.events.filter(({ event }) => event === "post.approval_requested");
    expect(new Set(requests.map(({ post }) => post))).toEqual(
      new Set(answer.body.rows.slice(0, 2).map(({ post }) => post.id)),
    );
  });

  it("with the setting `authors`, only posts of authors and draft keys wait", async () => {
    const { owner, author, publisher, channel, create } = await openTeam();
    const waiting = await create(author);
    expect(waiting).toMatchObject({
      status: 201,
      body: {
        status: "awaiting_approval",
        draft: false,
        rev: 1,
        deliveries: [],
        approval: { state: "waiting", by: null, reason: null, rev: 1 },
      },
    });
    expect(await countDeliveries(waiting.body.id)).toBe(0);
    expect((await create(publisher)).body).toMatchObject({ status: "scheduled", approval: null });
    const { key } = await makeKey(owner, { scopes: ["draft"] });
    const body = { text: "y", channels: [channel.id] };
    expect((await call("POST", "/v1/posts", { token: key, body })).body).toMatchObject({ status: "awaiting_approval" });
    expect((await create(author, { dry_run: true })).body).toMatchObject({ status: "awaiting_approval", valid: true });
  });

  it("with the setting `all`, each post and each edit of a scheduled post waits; with `none`, no post waits", async () => {
    const { owner, author, publisher, create, patch } = await openTeam("none");
    const scheduled = await create(publisher);
    expect(await create(author)).toMatchObject({ status: 403, body: { error: "role_missing", role: "publisher" } });
    await setApproval(owner, "all");
    expect((await create(publisher)).body).toMatchObject({ status: "awaiting_approval" });
    expect((await getPost(owner.key, scheduled.body.id)).status).toBe("scheduled");
    expect((await patch(publisher, scheduled.body.id, { text: "y" })).body).toMatchObject({
      status: "awaiting_approval",
      approval: { state: "waiting", rev: 2 },
    });
    expect(await countDeliveries(scheduled.body.id)).toBe(0);
  });

  it("approval is configured by an owner and never by a key", async () => {
    const { owner, publisher } = await openTeam();
    const path = `/v1/workspaces/${owner.workspace}`;
    expect((await call("PATCH", path, { token: publisher.session, body: { approval: "none" } })).status).toBe(403);
    expect((await call("PATCH", path, { token: owner.key, body: { approval: "none" } })).status).toBe(403);
    expect((await call("PATCH", path, { token: owner.session, body: { approval: "some" } })).status).toBe(422);
    expect((await call("GET", "/v1/workspace", { token: owner.key })).body).toMatchObject({ approval: "authors" });
  });
});

describe("a waiting post", () => {
  it("a waiting post is listed, but neither counted nor scheduled", async () => {
    const { owner, author, create } = await openTeam();
    const before = await getUsage(owner);
    const { body } = await create(author);
    const { body: untimed } = await create(author, { publish_at: null });
    expect((await getUsage(owner)).posts.used).toBe(before.posts.used);
    for (const query of ["", "?status=awaiting_approval", "?order=due"]) {
      const { body: page } = await call<{ posts: PostBody[] }>("GET", `/v1/posts${query}`, { token: owner.key });
      expect(page.posts.map(({ id }) => id).sort(), query).toEqual([body.id, untimed.id].sort());
    }
    expect(body.due_at).toBe(body.publish_at);
    expect(untimed.due_at).toBeNull();
  });

  it("a post waits again after any edit, and its author can withdraw and cancel it", async () => {
    const { owner, author, publisher, create, patch, approve } = await openTeam();
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
    expect((await call("DELETE", path, asMember(author, owner))).body).toMatchObject({ status: "cancelled" });
    expect(await approve(publisher, body.id, { rev: 6 })).toMatchObject({ body: { error: "post_not_waiting" } });
    expect((await getUsage(owner)).drafts.used).toBe(0);
  });

  it("the alt texts of a waiting and of an approved post cannot be changed", async () => {
    const { owner, author, publisher, channel, create, approve } = await openTeam();
    const image = await uploadImage(owner);
    const { body } = await create(author, { media: [image.id], channels: [channel.id] });
    const setAlt = (account: Account) =>
      call("PATCH", `/v1/media/${image.id}`, asMember(account, owner, { alt: "another text" }));
    expect(await setAlt(author)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
    expect((await approve(publisher, body.id, { rev: 1 })).status).toBe(200);
    expect(await setAlt(publisher)).toMatchObject({ status: 409, body: { error: "media_in_use" } });
  });
});
