// What members of each role do to posts and files, through a session and through an application, and how roles change.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { noteKeySeen } from "../../src/store/accounts/workspaces.ts";
import { makeEntry } from "../support/audit-entries.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo } from "../support/mails.ts";
import { idOf, join } from "../support/members.ts";
import { authorizePath, open, register, tokensFor } from "../support/oauth.ts";
import { type Account, type CallOptions, call, connect, post, signUp, uploadImage } from "../support/world.ts";
import { callTool, connectClient } from "./mcp/clients.ts";

/** A call of a person in somebody's workspace. */
const as = (of: Account, { workspace }: Account, options: CallOptions = {}): CallOptions => ({
  ...options,
  token: of.session,
  headers: { "x-workspace": workspace },
});
const missing = (role: string) => ({ status: 403, body: { error: "role_missing", role } });
const setRole = (by: Account, { workspace }: Account, user: string, role: string) =>
  call("PATCH", `/v1/workspaces/${workspace}/members/${user}`, { token: by.session, body: { role } });
const remove = (by: Account, { workspace }: Account, user: string) =>
  call("DELETE", `/v1/workspaces/${workspace}/members/${user}`, { token: by.session });

describe("an author", () => {
  it("writes drafts, and releases none", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    await join(owner, author, "author");
    const channel = await connect(owner.key, "telegram");
    const whole = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const create = (body: object) => call<{ id: string }>("POST", "/v1/posts", as(author, owner, { body }));
    expect(await create(whole)).toMatchObject(missing("publisher"));
    expect(await create({ ...whole, dry_run: true })).toMatchObject(missing("publisher"));
    expect((await create({ ...whole, draft: true, dry_run: true })).status).toBe(200);
    const draft = await create({ ...whole, draft: true });
    expect(draft.status).toBe(201);
    const path = `/v1/posts/${draft.body.id}`;
    expect((await call("PATCH", path, as(author, owner, { body: { text: "y" } }))).status).toBe(200);
    expect(await call("PATCH", path, as(author, owner, { body: { draft: false } }))).toMatchObject(
      missing("publisher"),
    );
    expect((await call("GET", path, { token: owner.key })).body).toMatchObject({ status: "draft", text: "y" });
    expect((await call("DELETE", path, as(author, owner))).status).toBe(204);
  });

  it("changes nothing of what is scheduled: its text, its time, its being, its files' texts", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    await join(owner, author, "author");
    const channel = await connect(owner.key, "telegram");
    const [used, free] = [await uploadImage(owner), await uploadImage(owner)];
    const { id } = await post(owner.key, {
      text: "x",
      media: [used.id],
      channels: [channel.id],
      publish_at: tomorrow(),
    });
    const path = `/v1/posts/${id}`;
    for (const body of [{ text: "y" }, { draft: true }, { publish_at: null }]) {
      expect(await call("PATCH", path, as(author, owner, { body }))).toMatchObject(missing("publisher"));
    }
    expect(await call("DELETE", path, as(author, owner))).toMatchObject(missing("publisher"));
    const describe = (media: string) =>
      call("PATCH", `/v1/media/${media}`, as(author, owner, { body: { alt: "another text" } }));
    expect(await describe(used.id)).toMatchObject(missing("publisher"));
    expect((await describe(free.id)).status).toBe(200);
    expect((await describe("med_none")).status).toBe(404);
    expect(await call("DELETE", `/v1/media/${free.id}`, as(author, owner))).toMatchObject(missing("publisher"));
    expect((await call("GET", path, { token: owner.key })).body).toMatchObject({ status: "scheduled", text: "x" });
    expect((await call("GET", `/v1/media/${used.id}`, { token: owner.key })).body).toMatchObject({ alt: null });
  });

  it("cannot have a post that is released meanwhile by an edit that was begun on the draft", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    await join(owner, author, "author");
    const channel = await connect(owner.key, "telegram");
    const { id } = await post(owner.key, { text: "x", channels: [channel.id], publish_at: tomorrow(), draft: true });
    const path = `/v1/posts/${id}`;
    const edits = Array.from({ length: 4 }, (_, i) =>
      call("PATCH", path, as(author, owner, { body: { text: `edit ${i}` } })),
    );
    const release = call("PATCH", path, { token: owner.key, body: { draft: false, text: "released" } });
    const statuses = (await Promise.all([...edits, release])).map(({ status }) => status);
    expect(statuses.at(-1)).toBe(200);
    for (const status of statuses) expect([200, 403]).toContain(status);
    expect((await call("GET", path, { token: owner.key })).body).toMatchObject({
      status: "scheduled",
      text: "released",
    });
  });
});

it("a publisher publishes, edits and cancels, and a viewer reads", async () => {
  const [owner, publisher, viewer] = [await signUp(), await signUp(), await signUp()];
  await join(owner, publisher, "publisher");
  await join(owner, viewer, "viewer");
  const channel = await connect(owner.key, "telegram");
  const body = { text: "x", channels: [channel.id], publish_at: tomorrow() };
  const made = await call<{ id: string }>("POST", "/v1/posts", as(publisher, owner, { body }));
  expect(made.status).toBe(201);
  const path = `/v1/posts/${made.body.id}`;
  expect((await call("PATCH", path, as(publisher, owner, { body: { text: "y" } }))).status).toBe(200);
  expect((await call("GET", path, as(viewer, owner))).body).toMatchObject({ text: "y" });
  expect(await call("POST", "/v1/posts", as(viewer, owner, { body: { ...body, draft: true } }))).toMatchObject(
    missing("author"),
  );
  expect((await call("DELETE", path, as(publisher, owner))).status).toBe(200);
  expect(await call("POST", "/v1/channels/connect", as(publisher, owner, { body: { platform: "x" } }))).toMatchObject(
    missing("owner"),
  );
});

it("a member from before there were roles goes on as a publisher", async () => {
  const [owner, old] = [await signUp(), await signUp()];
  const id = await join(owner, old, "viewer");
  await testEnv.DB.prepare("UPDATE members SET role = 'member' WHERE user_id = ? AND workspace_id = ?")
    .bind(id, owner.workspace)
    .run();
  expect((await call("GET", "/v1/workspace", as(old, owner))).body).toMatchObject({ role: "publisher" });
  expect(await call("GET", `/v1/workspaces/${owner.workspace}/key`, { token: old.session })).toMatchObject(
    missing("owner"),
  );
  expect((await setRole(owner, owner, id, "author")).body).toMatchObject({ id, role: "author" });
  expect((await remove(owner, owner, id)).status).toBe(204);
});

describe("an application", () => {
  it("acts with the role that its person has now", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    const id = await join(owner, person, "publisher");
    const channel = await connect(owner.key, "telegram");
    const { access_token } = await tokensFor(person, await register(), owner.workspace);
    const client = await connectClient(access_token, "2026-07-28");
    const queue = () => callTool(client, "queue_post", { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const draft = () => callTool(client, "draft_post", { text: "x" });
    expect((await queue()).refused).toBe(false);
    await setRole(owner, owner, id, "author");
    expect(await queue()).toMatchObject({ refused: true, body: missing("publisher").body });
    expect((await draft()).refused).toBe(false);
    await setRole(owner, owner, id, "viewer");
    expect(await draft()).toMatchObject({ refused: true, body: missing("author").body });
    expect((await callTool(client, "list_posts")).refused).toBe(false);
    await setRole(owner, owner, id, "publisher");
    expect((await queue()).refused).toBe(false);
    await remove(owner, owner, id);
    await expect(callTool(client, "list_posts")).rejects.toThrow();
  });

  it("in a session acts with it too", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    const id = await join(owner, person, "author");
    const { access_token } = await tokensFor(person, await register(), owner.workspace);
    const client = await connectClient(access_token, "2025-11-25");
    expect((await callTool(client, "draft_post", { text: "x" })).refused).toBe(false);
    await setRole(owner, owner, id, "viewer");
    expect(await callTool(client, "draft_post", { text: "x" })).toMatchObject({ refused: true });
  });

  it("is let in on a page that says who owns each workspace, and what one is there", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    await join(owner, person, "author");
    const page = await (await open(await authorizePath(await register()), person.session)).text();
    expect(page).toContain(`Owned by ${owner.email} (address not verified). You are its author.`);
    expect(page).toContain(`Owned by ${person.email}. You are its owner.`);
  });
});

describe("a workspace keeps an owner", () => {
  it("when they leave, step down or are removed", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    const stays = { status: 409, body: { error: "owner_stays" } };
    const ownerId = await idOf(owner);
    const secondId = await join(owner, second, "publisher");
    expect(await remove(owner, owner, ownerId)).toMatchObject(stays);
    expect(await setRole(owner, owner, ownerId, "viewer")).toMatchObject(stays);
    expect((await setRole(owner, owner, ownerId, "owner")).status).toBe(200);
    expect((await setRole(owner, owner, secondId, "owner")).body).toMatchObject({ role: "owner" });
    expect((await setRole(owner, owner, ownerId, "author")).body).toMatchObject({ role: "author" });
    expect(await setRole(owner, owner, ownerId, "owner")).toMatchObject(missing("owner"));
    expect(await remove(second, owner, secondId)).toMatchObject(stays);
    expect((await remove(owner, owner, ownerId)).status).toBe(204);
    expect((await setRole(second, owner, "usr_none", "viewer")).status).toBe(404);
    expect(await setRole(second, owner, secondId, "king")).toMatchObject({ status: 422, body: { field: "/role" } });
  });

  it.each(["step down", "leave", "remove each other"])("when all of them %s at once", async (what) => {
    const owners = await Promise.all(Array.from({ length: 4 }, signUp));
    const [first] = owners;
    if (first === undefined) throw new Error("nobody");
    const ids = [await idOf(first)];
    for (const owner of owners.slice(1)) ids.push(await join(first, owner, "owner"));
    await Promise.all(
      owners.map((owner, i) => {
        const [self = "", next = ""] = [ids[i], ids[(i + 1) % ids.length]];
        if (what === "step down") return setRole(owner, first, self, "viewer");
        return remove(owner, first, what === "leave" ? self : next);
      }),
    );
    const left = await testEnv.DB.prepare(
      "SELECT COUNT(*) AS n FROM members WHERE workspace_id = ? AND role = 'owner'",
    ).bind(first.workspace);
    expect(await left.first("n")).toBeGreaterThanOrEqual(1);
  });
});

describe("an owner who has seen the key and", () => {
  const path = ({ workspace }: Account) => `/v1/workspaces/${workspace}`;
  /** A workspace with a second owner, who has seen its key or not. */
  const two = async (sees = true) => {
    const [owner, second] = [await signUp(), await signUp()];
    const id = await join(owner, second, "owner");
    if (sees) expect((await call("GET", `${path(owner)}/key`, { token: second.session })).status).toBe(200);
    return { owner, second, id };
  };
  const rotate = ({ session }: Account, of: Account) => call("POST", `${path(of)}/key/rotate`, { token: session });
  const seen = { key_seen: true, hint: expect.stringContaining("key/rotate") };
  const mailed = async ({ email }: Account, count: number) => {
    const [mail] = await mailsTo(email, count);
    if (count > 0) expect(mail?.text).toContain("They have seen the workspace key");
  };

  it("is removed is named in the answer, so that the key can be replaced", async () => {
    const { owner, id } = await two();
    expect(await remove(owner, owner, id)).toMatchObject({ status: 200, body: seen });
    const made = await two(false);
    await rotate(made.second, made.owner);
    expect(await remove(made.owner, made.owner, made.id)).toMatchObject({ status: 200, body: seen });
  });

  it("gets another role is named alike", async () => {
    const { owner, id } = await two();
    expect(await setRole(owner, owner, id, "publisher")).toMatchObject({ status: 200, body: { ...seen, id } });
    const unseen = await two(false);
    expect((await setRole(unseen.owner, unseen.owner, unseen.id, "publisher")).body).not.toHaveProperty("key_seen");
  });

  it("is like any other once the key was replaced, and so is who never saw it", async () => {
    const { owner, id } = await two();
    await rotate(owner, owner);
    expect((await remove(owner, owner, id)).status).toBe(204);
    const unseen = await two(false);
    expect((await remove(unseen.owner, unseen.owner, unseen.id)).status).toBe(204);
  });

  it.each(["leaves", "steps down", "erases their account"])("%s is mailed to the others", async (how) => {
    const { owner, second, id } = await two();
    if (how === "leaves") await remove(second, owner, id);
    else if (how === "steps down") await setRole(second, owner, id, "viewer");
    else await call("DELETE", "/v1/auth/me", { token: second.session });
    await mailed(owner, 1);
    const unseen = await two(false);
    await remove(unseen.second, unseen.owner, unseen.id);
    await mailed(unseen.owner, 0);
  });

  it("is removed meanwhile is not shown it", async () => {
    const [owner, publisher] = [await signUp(), await signUp()];
    const userId = await join(owner, publisher, "publisher");
    const { accounts } = compose(testEnv, () => {});
    const entry = makeEntry(owner.workspace, "key.revealed");
    expect(await noteKeySeen(accounts, entry, userId, "key_1")).toBe(false);
  });
});
