// Everything that was stopped after the time to which a database is restored stays stopped (docs/operations.md).
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { makeKey, revoke } from "../support/keys.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, finishedInTime } from "../support/machine.ts";
import { asMember, getUserId, join } from "../support/members.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { type Account, type ChannelBody, call, connect, getPost, ledger, post, signUp } from "../support/world.ts";
import { restoreWith, saveDatabase } from "./restore.ts";

const schedule = ({ key }: Account, channel: ChannelBody, text: string) =>
  post(key, { text, channels: [channel.id], publish_at: tomorrow() });

/** Moves the post's time into the past, and lets its channel's publisher do the due work. */
async function publishNowDue({ workspace, key }: Account, channel: ChannelBody, id: string) {
  await age(id, DAY_MS + 1_000);
  return finishedInTime(workspace, key, id, async () => (await ownPublisher(workspace, channel.id)).work());
}
const getPublishedTexts = async ({ handle }: ChannelBody) => (await ledger(handle)).map(({ text }) => text).sort();

describe("a post that was still scheduled at the restored minute", () => {
  it("publishes it unless it was cancelled, edited, made a draft or sent after that minute", async () => {
    const account = await signUp();
    const { key } = account;
    const channel = await connect(key, "telegram");
    const cancelled = await schedule(account, channel, "cancelled");
    const edited = await schedule(account, channel, "before the edit");
    const takenBack = await schedule(account, channel, "taken back");
    const early = await schedule(account, channel, "moved to an earlier time, and sent");
    const untouched = await schedule(account, channel, "kept");
    const setBack = await saveDatabase();

    expect(await call("DELETE", `/v1/posts/${cancelled.id}`, { token: key })).toMatchObject({ status: 200 });
    const edit = (id: string, body: object) => call("PATCH", `/v1/posts/${id}`, { token: key, body });
    expect(await edit(edited.id, { text: "after the edit" })).toMatchObject({ status: 200 });
    expect(await edit(takenBack.id, { draft: true })).toMatchObject({ status: 200 });
    expect(await publishNowDue(account, channel, early.id)).toMatchObject({ status: "published" });
    await restoreWith(setBack);
    expect((await getPost(key, untouched.id)).status).toBe("scheduled");

    const statuses = [];
    for (const { id } of [cancelled, edited, takenBack, early, untouched])
      statuses.push((await publishNowDue(account, channel, id)).status);
    // Telegram cannot be asked which posts are live.
    expect(statuses).toEqual(["cancelled", "cancelled", "cancelled", "failed", "published"]);
    expect((await getPost(key, early.id)).deliveries[0]).toMatchObject({ error: "outcome_unknown" });
    expect(await getPublishedTexts(channel)).toEqual(["kept", "moved to an earlier time, and sent"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("does not publish it on a channel that was disconnected after that minute", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { id } = await schedule(account, channel, "on a channel that is gone");
    const setBack = await saveDatabase();
    const removed = await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
    expect(removed.status).toBeLessThan(300);
    await restoreWith(setBack);
    expect(await call("GET", "/v1/channels", { token: account.key })).toMatchObject({ body: { channels: [] } });
    expect(await publishNowDue(account, channel, id)).toMatchObject({ status: "failed" });
    expect(await ledger(channel.handle)).toEqual([]);
  });

  it("keeps a workspace erased that was erased after that minute", async () => {
    const account = await signUp();
    const created = await call<{ id: string }>("POST", "/v1/workspaces", {
      token: account.session,
      body: { name: "Second" },
    });
    expect(created.status).toBe(201);
    const setBack = await saveDatabase();
    const erase = await call("DELETE", `/v1/workspaces/${created.body.id}`, {
      token: account.session,
      body: { name: "Second" },
    });
    expect(erase.status).toBeLessThan(300);
    await restoreWith(setBack);
    const { body } = await call<{ workspaces: { id: string }[] }>("GET", "/v1/auth/me", { token: account.session });
    expect(body.workspaces.map(({ id }) => id)).toEqual([account.workspace]);
  });
});

describe("access that was valid at the restored minute", () => {
  it("rejects keys, members and passwords that were revoked after that minute", async () => {
    const [owner, member] = [await signUp(), await signUp()];
    await join(owner, member);
    const revokedKey = await makeKey(owner, { scopes: ["read"] });
    const otherKey = await makeKey(owner, { scopes: ["read"] });
    const setBack = await saveDatabase();

    const rotated = await call<{ key: string }>("POST", `/v1/workspaces/${owner.workspace}/key/rotate`, {
      token: owner.session,
    });
    expect(rotated.status).toBe(200);
    expect((await revoke(owner, revokedKey.id)).status).toBeLessThan(300);
    const memberPath = `/v1/workspaces/${owner.workspace}/members/${await getUserId(member)}`;
    expect((await call("DELETE", memberPath, { token: owner.session })).status).toBeLessThan(300);
    const changed = await call("POST", "/v1/auth/password", {
      token: member.session,
      body: { current: member.password, password: "another horse battery" },
    });
    expect(changed.status).toBeLessThan(300);
    await restoreWith(setBack);

    const getStatus = async (token: string) => (await call("GET", "/v1/channels", { token })).status;
    expect(await getStatus(owner.key)).toBe(401);
    expect(await getStatus(revokedKey.key)).toBe(401);
    expect(await getStatus(rotated.body.key)).toBe(200);
    expect(await getStatus(otherKey.key)).toBe(200);
    expect((await call("GET", "/v1/channels", asMember(member, owner))).status).toBeGreaterThanOrEqual(403);
    const signIn = (password: string) => call("POST", "/v1/auth/login", { body: { email: member.email, password } });
    expect((await signIn(member.password)).status).toBe(401);
    expect((await signIn("another horse battery")).status).toBe(200);
  });
});
