// The rights of each role on posts and files, in a session and through an application, and changes of roles.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { noteKeySeen } from "../../src/store/accounts/workspaces.ts";
import { makeEntry } from "../support/audit-entries.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo } from "../support/mails.ts";
import { getUserId, join } from "../support/members.ts";
import { authorizePath, open, register, tokensFor } from "../support/oauth.ts";
import { type Account, type CallOptions, call, connect, post, signUp, uploadImage } from "../support/world.ts";
import { callTool, connectClient } from "./mcp/clients.ts";

/** Makes the options of a person's call in another person's workspace. */
const buildOptions = (account: Account, { workspace }: Account, options: CallOptions = {}): CallOptions => ({
  ...options,
  token: account.session,
  headers: { "x-workspace": workspace },
});
const missingRole = (role: string) => ({ status: 403, body: { error: "role_missing", role } });
const setRole = (account: Account, { workspace }: Account, user: string, role: string) =>
  call("PATCH", `/v1/workspaces/${workspace}/members/${user}`, { token: account.session, body: { role } });
const removeMember = (account: Account, { workspace }: Account, user: string) =>
  call("DELETE", `/v1/workspaces/${workspace}/members/${user}`, { token: account.session });

describe("an author", () => {
  it("an author writes drafts and releases none", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    await join(owner, author, "author");
    const channel = await connect(owner.key, "telegram");
    const whole = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const create = (body: object) => call<{ id: string }>("POST", "/v1/posts", buildOptions(author, owner, { body }));
    expect(await create(whole)).toMatchObject(missingRole("publisher"));
    expect(await create({ ...whole, dry_run: true })).toMatchObject(missingRole("publisher"));
    expect((await create({ ...whole, draft: true, dry_run: true })).status).toBe(200);
    const draft = await create({ ...whole, draft: true });
    expect(draft.status).toBe(201);
    const path = `/v1/posts/${draft.body.id}`;
    expect((await call("PATCH", path, buildOptions(author, owner, { body: { text: "y" } }))).status).toBe(200);
    expect(await call("PATCH", path, buildOptions(author, owner, { body: { draft: false } }))).toMatchObject(
      missingRole("publisher"),
    );
    expect((await call("GET", path, { token: owner.key })).body).toMatchObject({ status: "draft", text: "y" });
    expect((await call("DELETE", path, buildOptions(author, owner))).status).toBe(204);
  });

  it("an author changes nothing of a scheduled post, neither its text, time and status nor the alt texts of its files", async () => {
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
      expect(await call("PATCH", path, buildOptions(author, owner, { body }))).toMatchObject(missingRole("publisher"));
    }
    expect(await call("DELETE", path, buildOptions(author, owner))).toMatchObject(missingRole("publisher"));
    const setAlt = (media: string) =>
      call("PATCH", `/v1/media/${media}`, buildOptions(author, owner, { body: { alt: "another text" } }));
    expect(await setAlt(used.id)).toMatchObject(missingRole("publisher"));
    expect((await setAlt(free.id)).status).toBe(200);
    expect((await setAlt("med_none")).status).toBe(404);
    expect(await call("DELETE", `/v1/media/${free.id}`, buildOptions(author, owner))).toMatchObject(
      missingRole("publisher"),
    );
    expect((await call("GET", path, { token: owner.key })).body).toMatchObject({ status: "scheduled", text: "x" });
    expect((await call("GET", `/v1/media/${used.id}`, { token: owner.key })).body).toMatchObject({ alt: null });
  });

  it("an author's edit that began on a draft does not change the post once it was released", async () => {
    const [owner, author] = [await signUp(), await signUp()];
    await join(owner, author, "author");
    const channel = await connect(owner.key, "telegram");
    const { id } = await post(owner.key, { text: "x", channels: [channel.id], publish_at: tomorrow(), draft: true });
    const path = `/v1/posts/${id}`;
    const edits = Array.from({ length: 4 }, (_, i) =>
      call("PATCH", path, buildOptions(author, owner, { body: { text: `edit ${i}` } })),
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
  const created = await call<{ id: string }>("POST", "/v1/posts", buildOptions(publisher, owner, { body }));
  expect(created.status).toBe(201);
  const path = `/v1/posts/${created.body.id}`;
  expect((await call("PATCH", path, buildOptions(publisher, owner, { body: { text: "y" } }))).status).toBe(200);
  expect((await call("GET", path, buildOptions(viewer, owner))).body).toMatchObject({ text: "y" });
  expect(
    await call("POST", "/v1/posts", buildOptions(viewer, owner, { body: { ...body, draft: true } })),
  ).toMatchObject(missingRole("author"));
  expect((await call("DELETE", path, buildOptions(publisher, owner))).status).toBe(200);
  expect(
    await call("POST", "/v1/channels/connect", buildOptions(publisher, owner, { body: { platform: "x" } })),
  ).toMatchObject(missingRole("owner"));
});

it("a member from before there were roles is a publisher", async () => {
  const [owner, oldMember] = [await signUp(), await signUp()];
  const id = await join(owner, oldMember, "viewer");
  await testEnv.DB.prepare("UPDATE members SET role = 'member' WHERE user_id = ? AND workspace_id = ?")
    .bind(id, owner.workspace)
    .run();
  expect((await call("GET", "/v1/workspace", buildOptions(oldMember, owner))).body).toMatchObject({
    role: "publisher",
  });
  expect(await call("GET", `/v1/workspaces/${owner.workspace}/key`, { token: oldMember.session })).toMatchObject(
    missingRole("owner"),
  );
  expect((await setRole(owner, owner, id, "author")).body).toMatchObject({ id, role: "author" });
  expect((await removeMember(owner, owner, id)).status).toBe(204);
});

describe("an application", () => {
  it("an application acts with the current role of its person", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    const id = await join(owner, person, "publisher");
    const channel = await connect(owner.key, "telegram");
    const { access_token } = await tokensFor(person, await register(), owner.workspace);
    const client = await connectClient(access_token, "2026-07-28");
    const queue = () => callTool(client, "queue_post", { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const draft = () => callTool(client, "draft_post", { text: "x" });
    expect((await queue()).refused).toBe(false);
    await setRole(owner, owner, id, "author");
    expect(await queue()).toMatchObject({ refused: true, body: missingRole("publisher").body });
    expect((await draft()).refused).toBe(false);
    await setRole(owner, owner, id, "viewer");
    expect(await draft()).toMatchObject({ refused: true, body: missingRole("author").body });
    expect((await callTool(client, "list_posts")).refused).toBe(false);
    await setRole(owner, owner, id, "publisher");
    expect((await queue()).refused).toBe(false);
    await removeMember(owner, owner, id);
    await expect(callTool(client, "list_posts")).rejects.toThrow();
  });

  it("an application in a session acts with the current role of its person, too", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    const id = await join(owner, person, "author");
    const { access_token } = await tokensFor(person, await register(), owner.workspace);
    const client = await connectClient(access_token, "2025-11-25");
    expect((await callTool(client, "draft_post", { text: "x" })).refused).toBe(false);
    await setRole(owner, owner, id, "viewer");
    expect(await callTool(client, "draft_post", { text: "x" })).toMatchObject({ refused: true });
  });

  it("the consent page shows the owner of each workspace, and the person's role in it", async () => {
    const [owner, person] = [await signUp(), await signUp()];
    await join(owner, person, "author");
    const page = await (await open(await authorizePath(await register()), person.session)).text();
    expect(page).toContain(`Owned by ${owner.email} (address not verified). You are its author.`);
    expect(page).toContain(`Owned by ${person.email}. You are its owner.`);
  });
});

describe("the last owner of a workspace", () => {
  it("the last owner cannot leave, step down or be removed", async () => {
    const [owner, second] = [await signUp(), await signUp()];
    const stays = { status: 409, body: { error: "owner_stays" } };
    const ownerId = await getUserId(owner);
    const secondId = await join(owner, second, "publisher");
    expect(await removeMember(owner, owner, ownerId)).toMatchObject(stays);
    expect(await setRole(owner, owner, ownerId, "viewer")).toMatchObject(stays);
    expect((await setRole(owner, owner, ownerId, "owner")).status).toBe(200);
    expect((await setRole(owner, owner, secondId, "owner")).body).toMatchObject({ role: "owner" });
    expect((await setRole(owner, owner, ownerId, "author")).body).toMatchObject({ role: "author" });
    expect(await setRole(owner, owner, ownerId, "owner")).toMatchObject(missingRole("owner"));
    expect(await removeMember(second, owner, secondId)).toMatchObject(stays);
    expect((await removeMember(owner, owner, ownerId)).status).toBe(204);
    expect((await setRole(second, owner, "usr_none", "viewer")).status).toBe(404);
    expect(await setRole(second, owner, secondId, "king")).toMatchObject({ status: 422, body: { field: "/role" } });
  });

  it.each(["step down", "leave", "remove each other"])(
    "a workspace keeps an owner if all its owners %s at once",
    async (act) => {
      const owners = await Promise.all(Array.from({ length: 4 }, signUp));
      const [first] = owners;
      if (first === undefined) throw new Error("nobody");
      const ids = [await getUserId(first)];
      for (const owner of owners.slice(1)) ids.push(await join(first, owner, "owner"));
      await Promise.all(
        owners.map((owner, i) => {
          const [self = "", next = ""] = [ids[i], ids[(i + 1) % ids.length]];
          if (act === "step down") return setRole(owner, first, self, "viewer");
          return removeMember(owner, first, act === "leave" ? self : next);
        }),
      );
      const remaining = await testEnv.DB.prepare(
        "SELECT COUNT(*) AS n FROM members WHERE workspace_id = ? AND role = 'owner'",
      ).bind(first.workspace);
      expect(await remaining.first("n")).toBeGreaterThanOrEqual(1);
    },
  );
});

describe("an owner who has seen the workspace key", () => {
  const path = ({ workspace }: Account) => `/v1/workspaces/${workspace}`;
  /** Opens a workspace with two owners. The second one may have seen its key. */
  const openWithTwoOwners = async (hasSeenKey = true) => {
    const [owner, second] = [await signUp(), await signUp()];
    const id = await join(owner, second, "owner");
    if (hasSeenKey) expect((await call("GET", `${path(owner)}/key`, { token: second.session })).status).toBe(200);
    return { owner, second, id };
  };
  const rotate = ({ session }: Account, owner: Account) =>
    call("POST", `${path(owner)}/key/rotate`, { token: session });
  const keySeen = { key_seen: true, hint: expect.stringContaining("key/rotate") };
  const expectMail = async ({ email }: Account, count: number) => {
    const [mail] = await mailsTo(email, count);
    if (count > 0) expect(mail?.text).toContain("They have seen the workspace key");
  };

  it("the removal of an owner who has seen the key is answered with a hint to replace the key", async () => {
    const { owner, id } = await openWithTwoOwners();
    expect(await removeMember(owner, owner, id)).toMatchObject({ status: 200, body: keySeen });
    const rotated = await openWithTwoOwners(false);
    await rotate(rotated.second, rotated.owner);
    expect(await removeMember(rotated.owner, rotated.owner, rotated.id)).toMatchObject({ status: 200, body: keySeen });
  });

  it("a new role of an owner who has seen the key is answered with the same hint", async () => {
    const { owner, id } = await openWithTwoOwners();
    expect(await setRole(owner, owner, id, "publisher")).toMatchObject({ status: 200, body: { ...keySeen, id } });
    const unseen = await openWithTwoOwners(false);
    expect((await setRole(unseen.owner, unseen.owner, unseen.id, "publisher")).body).not.toHaveProperty("key_seen");
  });

  it("the answer has no hint once the key was replaced, or if the owner never saw it", async () => {
    const { owner, id } = await openWithTwoOwners();
    await rotate(owner, owner);
    expect((await removeMember(owner, owner, id)).status).toBe(204);
    const unseen = await openWithTwoOwners(false);
    expect((await removeMember(unseen.owner, unseen.owner, unseen.id)).status).toBe(204);
  });

  it.each(["leaves", "steps down", "erases their account"])(
    "the other owners get a mail if an owner who has seen the key %s",
    async (ending) => {
      const { owner, second, id } = await openWithTwoOwners();
      if (ending === "leaves") await removeMember(second, owner, id);
      else if (ending === "steps down") await setRole(second, owner, id, "viewer");
      else await call("DELETE", "/v1/auth/me", { token: second.session });
      await expectMail(owner, 1);
      const unseen = await openWithTwoOwners(false);
      await removeMember(unseen.second, unseen.owner, unseen.id);
      await expectMail(unseen.owner, 0);
    },
  );

  it("an owner who is removed meanwhile is not shown the key", async () => {
    const [owner, publisher] = [await signUp(), await signUp()];
    const userId = await join(owner, publisher, "publisher");
    const { accounts } = compose(testEnv, () => {});
    const entry = makeEntry(owner.workspace, "key.revealed");
    expect(await noteKeySeen(accounts, entry, userId, "key_1")).toBe(false);
  });
});
