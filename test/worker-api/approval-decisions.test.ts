// Decisions on posts that wait for approval: the right to decide, the content that is decided on, and the effect.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import { asMember } from "../support/members.ts";
import { call, connect, finished, getPost, ledger, signUp, uploadImage } from "../support/world.ts";
import { countDeliveries, openTeam } from "./approvals.ts";

describe("a decision on a waiting post", () => {
  it("an approval covers the exact current content, which is then scheduled, counted and published", async () => {
    const { owner, author, publisher, channel, create, approve } = await openTeam();
    const text = "Exactly this: é \u{1F30D}  two spaces";
    const { body } = await create(author, { text, publish_at: undefined });
    expect(await approve(author, body.id, { rev: 1 })).toMatchObject({ status: 403, body: { role: "publisher" } });
    const approved = await approve(publisher, body.id, { rev: 1 });
    expect(approved).toMatchObject({
      status: 200,
      body: { rev: 1, approval: { state: "approved", by: "Ada", reason: null, rev: 1 } },
    });
    expect(approved.body.due_at).not.toBeNull();
    expect((await finished(owner.key, body.id)).status).toBe("published");
    expect((await ledger(channel.handle)).map((entry) => entry.text)).toEqual([text]);
    expect(await approve(publisher, body.id, { rev: 1 })).toMatchObject({
      status: 409,
      body: { error: "post_not_waiting" },
    });
  });

  it("a publisher or a publish key can approve a post, and a draft key cannot", async () => {
    const { owner, author, create } = await openTeam();
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

  it("an approval after the post's time requires a new time", async () => {
    const { author, publisher, create, approve } = await openTeam();
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

  it("an approval accepts the next free slot as the new time", async () => {
    const { owner, author, publisher, create, approve } = await openTeam();
    const slots = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: "07:45", channels: null }));
    expect((await call("PUT", "/v1/slots", { token: owner.key, body: { slots } })).status).toBe(200);
    const { body } = await create(author);
    const approved = await approve(publisher, body.id, { rev: 1, publish_at: "next_slot" });
    expect(approved).toMatchObject({ status: 200, body: { status: "scheduled" } });
    expect(approved.body.publish_at).toMatch(/T07:45:00\.000Z$/);
  });

  it("a declined post is a draft with the reason, and its author can request approval again", async () => {
    const { author, publisher, create, patch, decline } = await openTeam();
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

  it("a decision is stored with the content at that time and deleted with the post", async () => {
    const { owner, author, publisher, channel, create, patch, approve, decline } = await openTeam();
    const otherChannel = await connect(owner.key, "telegram");
    const image = await uploadImage(owner, { alt: "A kite" });
    const publish_at = tomorrow();
    const { body } = await create(author, {
      text: "Été 🏳️‍🌈",
      media: [image.id],
      overrides: { [channel.id]: { text: "own", silent: true } },
      publish_at,
    });
    const read = (token = owner.key) =>
      call<{ decision: object | null }>("GET", `/v1/posts/${body.id}/decision`, { token });
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
      poll: null,
      link_tags: null,
      repeat: null,
      channels: [channel.id],
      overrides: { [channel.id]: { text: "own", silent: true } },
      publish_at,
      media_fit: "exact",
      post_type: null,
      alts: { [image.id]: "A kite" },
    };
    await call("PATCH", `/v1/media/${image.id}`, asMember(author, owner, { alt: "A red kite" }));
    const change = { text: "y", media: [], overrides: {}, channels: [channel.id, otherChannel.id], publish_at: null };
    await patch(author, body.id, { ...change, draft: false });
    expect((await read()).body).toEqual({ decision: { ...declined, at: expect.any(String) } });

    const later = new Date(Date.now() + 2 * 86_400_000).toISOString();
    expect(await approve(publisher, body.id, { rev: 2, publish_at: later })).toMatchObject({ status: 200 });
    await patch(publisher, body.id, { text: "z" });
    expect((await read()).body).toMatchObject({ decision: { state: "approved", text: "y", publish_at: later } });
    expect((await getPost(owner.key, body.id)).text).toBe("z");

    // A key that is limited to some channels does not learn about a post that was on another channel.
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

  it("an approval for the next free slot is stored with the time of that slot", async () => {
    const { owner, author, publisher, create, approve } = await openTeam();
    await call("PUT", "/v1/slots", {
      token: owner.key,
      body: { slots: [{ weekday: 3, time: "09:30", channels: null }] },
    });
    const { body } = await create(author);
    const approved = await approve(publisher, body.id, { rev: 1, publish_at: "next_slot" });
    expect(approved.status).toBe(200);
    const { body: stored } = await call<{ decision: { publish_at: string } }>("GET", `/v1/posts/${body.id}/decision`, {
      token: owner.key,
    });
    expect(stored.decision.publish_at).toBe(approved.body.publish_at);
    expect(new Date(stored.decision.publish_at).getUTCDay()).toBe(3);
  });

  it("simultaneous approvals, refusals, edits and cancellations schedule only approved content, and only once", async () => {
    const { owner, author, publisher, create, patch, approve, decline } = await openTeam();
    for (let i = 0; i < 4; i++) {
      const { body } = await create(author);
      await Promise.all([
        approve(publisher, body.id, { rev: 1 }),
        decline(publisher, body.id, { reason: "no", rev: 1 }),
        patch(author, body.id, { text: "changed" }),
        call("DELETE", `/v1/posts/${body.id}`, asMember(author, owner)),
        approve(publisher, body.id, { rev: 1 }),
      ]);
      const after = await getPost(owner.key, body.id);
      const count = await countDeliveries(body.id);
      expect(count, after.status).toBe(after.status === "scheduled" || after.deliveries.length > 0 ? 1 : 0);
      // A scheduled post has the approved content.
      if (after.status === "scheduled")
        expect(after).toMatchObject({ text: "x", approval: { state: "approved", rev: 1 } });
    }
  });

  it("a decision is in the event feed, with the approval", async () => {
    const { owner, author, publisher, create, approve } = await openTeam();
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
