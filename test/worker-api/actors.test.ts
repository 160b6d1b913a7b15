// The actor of an event: the person, key, application or reviewer behind it.
import { describe, expect, it } from "vitest";
import type { Actor } from "../../src/domain/actor.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { as, idOf, join } from "../support/members.ts";
import { register, tokensFor } from "../support/oauth.ts";
import { type Account, call, connect, finished, type PostBody, post, signUp } from "../support/world.ts";
import { callTool, connected, ERAS } from "./mcp/clients.ts";
import { approve as approveByLink, asked, linkTo } from "./reviewed-post.ts";

interface ListedEvent {
  event: string;
  post: string | null;
  actor: Actor | null;
}
const events = async ({ key }: Account, query = "") =>
  (await call<{ events: ListedEvent[] }>("GET", `/v1/events?order=oldest${query}`, { token: key })).body.events;
const actors = async (account: Account, query = "") => (await events(account, query)).map(({ actor }) => actor);
const found = async ({ key }: Account, query: string) =>
  (await call<{ posts: PostBody[] }>("GET", `/v1/posts?${query}`, { token: key })).body.posts.map(({ id }) => id);

/** An application that the owner let in, and the id of its connection. */
async function application(owner: Account) {
  const { access_token } = await tokensFor(owner, await register({ client_name: "Assistant" }));
  const path = `/v1/workspaces/${owner.workspace}/connections`;
  const { body } = await call<{ connections: { id: string }[] }>("GET", path, { token: owner.session });
  return { client: await connected(access_token, ERAS[1] ?? "2026-07-28"), id: body.connections[0]?.id ?? "" };
}

describe("the actor of an event", () => {
  it("is the person, the key or the application that wrote the post, and events can be filtered by it", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const named = await makeKey(owner, { name: "The shop", scopes: ["read", "publish"] });
    const app = await application(owner);
    const person = await idOf(owner);
    const write = async (by: Account["session"], text: string) => {
      const headers = { "x-workspace": owner.workspace };
      const body = { text, channels };
      return (await call<PostBody>("POST", "/v1/posts", { token: by, headers, body })).body.id;
    };
    const posts = {
      person: await write(owner.session, "a person's"),
      key: await write(named.key, "a key's"),
      app: String((await callTool(app.client, "queue_post", { text: "an application's", channels })).body.id),
      own: await write(owner.key, "the workspace key's"),
    };
    for (const id of Object.values(posts)) await finished(owner.key, id);
    const listed = new Map((await events(owner)).map((event) => [event.post, event.actor]));
    expect(listed.get(posts.person)).toEqual({ kind: "person", id: person, name: "Ada" });
    expect(listed.get(posts.key)).toEqual({ kind: "key", id: named.id, name: "The shop" });
    expect(listed.get(posts.app)).toEqual({ kind: "app", id: app.id, name: "Assistant" });
    expect(listed.get(posts.own)).toEqual({ kind: "key", id: expect.stringMatching(/^key_/), name: "Workspace key" });

    for (const [id, its] of [
      [person, posts.person],
      [named.id, posts.key],
      [app.id, posts.app],
    ]) {
      expect((await events(owner, `&actor=${id}`)).map((event) => event.post)).toEqual([its]);
      expect((await events(owner, `&actor=${id}&event=delivery.failed`)).length).toBe(0);
      expect(await found(owner, `author=${id}`)).toEqual([its]);
    }
    const { body } = await callTool(app.client, "list_events", {});
    expect(body.events).toContainEqual(
      expect.objectContaining({ post: posts.key, actor: { kind: "key", id: named.id, name: "The shop" } }),
    );
    // Another workspace sees none of it, whatever it asks for.
    const stranger = await signUp();
    for (const id of [person, named.id, app.id]) {
      expect(await events(stranger, `&actor=${id}`)).toEqual([]);
      expect(await found(stranger, `author=${id}`)).toEqual([]);
    }
  });

  it("keeps its name after the key is revoked, the application removed and the person renamed", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const named = await makeKey(owner, { name: "The shop", scopes: ["publish"] });
    const app = await application(owner);
    const own = await call<PostBody>("POST", "/v1/posts", as(owner, owner, { text: "one", channels }));
    const { id } = await post(named.key, { text: "two", channels });
    const { body } = await callTool(app.client, "queue_post", { text: "three", channels });
    expect((await revoke(owner, named.id)).status).toBe(204);
    const connection = `/v1/workspaces/${owner.workspace}/connections/${app.id}`;
    expect((await call("DELETE", connection, { token: owner.session })).status).toBe(204);
    await call("PATCH", "/v1/auth/me", { token: owner.session, body: { name: "Augusta" } });
    for (const one of [own.body.id, id, String(body.id)]) await finished(owner.key, one);
    expect(new Set((await actors(owner)).map((actor) => actor?.name))).toEqual(
      new Set(["Ada", "The shop", "Assistant"]),
    );
  });

  it("is the person who last changed the post, not the person who approved it", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    const writer = await join(owner, author, "author");
    const channels = [(await connect(owner.key, "telegram")).id];
    const approval = { token: owner.session, body: { approval: "authors" } };
    await call("PATCH", `/v1/workspaces/${owner.workspace}`, approval);
    const { body } = await call<PostBody>("POST", "/v1/posts", { token: owner.key, body: { text: "x", draft: true } });
    const change = { text: "y", channels, draft: false };
    expect(await call("PATCH", `/v1/posts/${body.id}`, as(author, owner, change))).toMatchObject({ status: 200 });
    await call("POST", `/v1/posts/${body.id}/approve`, as(owner, owner, { rev: 2 }));
    await finished(owner.key, body.id);
    expect((await events(owner)).map(({ event, actor }) => [event, actor?.id])).toEqual([
      ["post.approval_requested", writer],
      ["post.approved", await idOf(owner)],
      ["delivery.succeeded", writer],
    ]);
  });

  it("is a reviewer without an account by the name that they gave", async () => {
    const waits = await asked();
    await approveByLink(await linkTo(waits), "Clara Client");
    const listed = await events(waits.owner, "&event=post.approved");
    expect(listed).toMatchObject([{ actor: { kind: "reviewer", id: null, name: "Clara Client" } }]);
  });

  it("is the importer for an imported post", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const { key, id } = await makeKey(owner, { name: "The sheet", scopes: ["publish"] });
    const answer = await call<{ rows: { post: PostBody }[] }>("POST", "/v1/posts/import", {
      token: key,
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify({ text: "one", channels }),
    });
    await finished(owner.key, answer.body.rows[0]?.post.id ?? "");
    expect(await actors(owner)).toEqual([{ kind: "key", id, name: "The sheet" }]);
  });

  it("is absent for a post that is older than this field", async () => {
    const owner = await signUp();
    const channels = [(await connect(owner.key, "telegram")).id];
    const { id } = await post(owner.key, { text: "x", channels, publish_at: tomorrow() });
    await testEnv.DB.prepare("UPDATE posts SET author = NULL WHERE id = ?").bind(id).run();
    const due = "UPDATE deliveries SET scheduled_for = ?1, next_at = ?1 WHERE post_id = ?2";
    await testEnv.DB.prepare(due).bind(Date.now(), id).run();
    // The channel is looked at for this one.
    await post(owner.key, { text: "another", channels });
    await finished(owner.key, id);
    expect((await events(owner)).find((event) => event.post === id)?.actor).toBeNull();
  });
});
