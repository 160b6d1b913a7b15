// The actor of an event: the person, key, application or reviewer behind it.
import { describe, expect, it } from "vitest";
import type { Actor } from "../../src/domain/actor.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { asMember, getUserId, join } from "../support/members.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { type Account, call, connect, finished, type PostBody, post, signUp } from "../support/world.ts";
import { callTool, connectClient, ERAS } from "./mcp/clients.ts";
import { approve as approveByLink, createReviewPath, requestApproval } from "./reviewed-post.ts";

interface ListedEvent {
  event: string;
  post: string | null;
  actor: Actor | null;
}
const listEvents = async ({ key }: Account, query = "") =>
  (await call<{ events: ListedEvent[] }>("GET", `/v1/events?order=oldest${query}`, { token: key })).body.events;
const listActors = async (account: Account, query = "") => (await listEvents(account, query)).map(({ actor }) => actor);
const findPosts = async ({ key }: Account, query: string) =>
  (await call<{ posts: PostBody[] }>("GET", `/v1/posts?${query}`, { token: key })).body.posts.map(({ id }) => id);

/** Connects an application for the owner, and returns its client and the id of its connection. */
async function connectApplication(owner: Account) {
  const { access_token } = await tokensFor(owner, await register({ client_name: "Assistant" }));
  const path = `/v1/workspaces/${owner.workspace}/connections`;
  const { body } = await call<{ connections: { id: string }[] }>("GET", path, { token: owner.session });
  return { client: await connectClient(access_token, ERAS[1] ?? "2026-07-28"), id: body.connections[0]?.id ?? "" };
}

describe("the actor of an event", () => {
  it("the actor is the person, key or application that wrote the post, and events can be filtered by it", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const namedKey = await makeKey(owner, { name: "The shop", scopes: ["read", "publish"] });
    const app = await connectApplication(owner);
    const person = await getUserId(owner);
    const write = async (token: Account["session"], text: string) => {
      const headers = { "x-workspace": owner.workspace };
      const body = { text, channels };
      return (await call<PostBody>("POST", "/v1/posts", { token, headers, body })).body.id;
    };
    const posts = {
      person: await write(owner.session, "a person's"),
      key: await write(namedKey.key, "a key's"),
      app: String((await callTool(app.client, "queue_post", { text: "an application's", channels })).body.id),
      own: await write(owner.key, "the workspace key's"),
    };
    for (const id of Object.values(posts)) await finished(owner.key, id);
    const actorByPost = new Map((await listEvents(owner)).map((event) => [event.post, event.actor]));
    expect(actorByPost.get(posts.person)).toEqual({ kind: "person", id: person, name: "Ada" });
    expect(actorByPost.get(posts.key)).toEqual({ kind: "key", id: namedKey.id, name: "The shop" });
    expect(actorByPost.get(posts.app)).toEqual({ kind: "app", id: app.id, name: "Assistant" });
    expect(actorByPost.get(posts.own)).toEqual({
      kind: "key",
      id: expect.stringMatching(/^key_/),
      name: "Workspace key",
    });

    for (const [id, postId] of [
      [person, posts.person],
      [namedKey.id, posts.key],
      [app.id, posts.app],
    ]) {
      expect((await listEvents(owner, `&actor=${id}`)).map((event) => event.post)).toEqual([postId]);
      expect((await listEvents(owner, `&actor=${id}&event=delivery.failed`)).length).toBe(0);
      expect(await findPosts(owner, `author=${id}`)).toEqual([postId]);
    }
    const { body } = await callTool(app.client, "list_events", {});
    expect(body.events).toContainEqual(
      expect.objectContaining({ post: posts.key, actor: { kind: "key", id: namedKey.id, name: "The shop" } }),
    );
    // Another workspace sees none of these events and posts.
    const stranger = await signUp();
    for (const id of [person, namedKey.id, app.id]) {
      expect(await listEvents(stranger, `&actor=${id}`)).toEqual([]);
      expect(await findPosts(stranger, `author=${id}`)).toEqual([]);
    }
  });

  it("an actor keeps its name after the key is revoked, the application disconnected and the person renamed", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const namedKey = await makeKey(owner, { name: "The shop", scopes: ["publish"] });
    const app = await connectApplication(owner);
    const personPost = await call<PostBody>("POST", "/v1/posts", asMember(owner, owner, { text: "one", channels }));
    const { id } = await post(namedKey.key, { text: "two", channels });
    const { body } = await callTool(app.client, "queue_post", { text: "three", channels });
    expect((await revoke(owner, namedKey.id)).status).toBe(204);
    const connection = `/v1/workspaces/${owner.workspace}/connections/${app.id}`;
    expect((await call("DELETE", connection, { token: owner.session })).status).toBe(204);
    await call("PATCH", "/v1/auth/me", { token: owner.session, body: { name: "Augusta" } });
    for (const postId of [personPost.body.id, id, String(body.id)]) await finished(owner.key, postId);
    expect(new Set((await listActors(owner)).map((actor) => actor?.name))).toEqual(
      new Set(["Ada", "The shop", "Assistant"]),
    );
  });

  it("the actor is the person who last changed the post, not the person who approved it", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    const writer = await join(owner, author, "author");
    const channels = [(await connect(owner.key, "telegram")).id];
    const approval = { token: owner.session, body: { approval: "authors" } };
    await call("PATCH", `/v1/workspaces/${owner.workspace}`, approval);
    const { body } = await call<PostBody>("POST", "/v1/posts", { token: owner.key, body: { text: "x", draft: true } });
    const change = { text: "y", channels, draft: false };
    expect(await call("PATCH", `/v1/posts/${body.id}`, asMember(author, owner, change))).toMatchObject({ status: 200 });
    await call("POST", `/v1/posts/${body.id}/approve`, asMember(owner, owner, { rev: 2 }));
    await finished(owner.key, body.id);
    expect((await listEvents(owner)).map(({ event, actor }) => [event, actor?.id])).toEqual([
      ["post.approval_requested", writer],
      ["post.approved", await getUserId(owner)],
      ["delivery.succeeded", writer],
    ]);
  });

  it("a reviewer without an account is an actor with the name that they gave", async () => {
    const review = await requestApproval();
    await approveByLink(await createReviewPath(review), "Clara Client");
    const listed = await listEvents(review.owner, "&event=post.approved");
    expect(listed).toMatchObject([{ actor: { kind: "reviewer", id: null, name: "Clara Client" } }]);
  });

  it("the actor of an imported post is its importer", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const { key, id } = await makeKey(owner, { name: "The sheet", scopes: ["publish"] });
    const answer = await call<{ rows: { post: PostBody }[] }>("POST", "/v1/posts/import", {
      token: key,
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify({ text: "one", channels }),
    });
    await finished(owner.key, answer.body.rows[0]?.post.id ?? "");
    expect(await listActors(owner)).toEqual([{ kind: "key", id, name: "The sheet" }]);
  });

  it("a post that was stored before authors were recorded has no actor", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const { id } = await post(owner.key, { text: "x", channels, publish_at: tomorrow() });
    await testEnv.DB.prepare("UPDATE posts SET author = NULL WHERE id = ?").bind(id).run();
    const due = "UPDATE deliveries SET scheduled_for = ?1, next_at = ?1 WHERE post_id = ?2";
    await testEnv.DB.prepare(due).bind(Date.now(), id).run();
    // This post wakes the channel, which then also sends the older post.
    await post(owner.key, { text: "another", channels });
    await finished(owner.key, id);
    expect((await listEvents(owner)).find((event) => event.post === id)?.actor).toBeNull();
  });
});
