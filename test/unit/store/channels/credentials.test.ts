// Whose credential a channel has after renewals, losses and reconnects that come at once.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { loseCredential, putOffRenewal, storeCredential } from "../../../../src/store/channels/credentials.ts";
import { channels, events } from "../../../../src/store/db/schema.ts";
import { db, NOW, storedDelivery } from "../deliveries/stored-delivery.ts";

/** A channel with the credential "old", and another one of the same workspace beside it. */
async function storedChannel(columns: Partial<typeof channels.$inferInsert> = {}) {
  const { key } = await storedDelivery();
  const { workspaceId, channelId } = key;
  const isThis = and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
  const old = { credential: "sealed old", credentialId: "old", renewAt: NOW - 1, warnAt: NOW, tokenExpiresAt: NOW };
  await db.update(channels).set(old).where(eq(channels.workspaceId, workspaceId));
  await db
    .update(channels)
    .set({ updatedAt: 0, ...columns })
    .where(isThis);
  const read = async () => {
    const [channel, other] = await db
      .select()
      .from(channels)
      .where(eq(channels.workspaceId, workspaceId))
      .orderBy(channels.id);
    expect(other).toMatchObject(old);
    return channel ?? expect.fail("the channel is gone");
  };
  const renewed = {
    workspaceId,
    channelId,
    replacesId: "old",
    credentialId: "renewed",
    sealed: "sealed renewed",
    renewAt: NOW + 9,
  };
  return { workspaceId, channelId, renewed, read };
}

describe("a renewed credential", () => {
  it("takes the place of the one that it was made of, and a repeat says so again", async () => {
    const { renewed, read } = await storedChannel();
    expect(await storeCredential(db, renewed)).toBe(true);
    expect(await storeCredential(db, renewed)).toBe(true);
    expect(await read()).toMatchObject({
      credential: "sealed renewed",
      credentialId: "renewed",
      renewAt: NOW + 9,
      updatedAt: NOW,
    });
  });

  it.each([
    ["a reconnect is not overwritten by an old renewal", { credential: "sealed new", credentialId: "new" }],
    ["a lost credential stays lost", { credential: null, credentialId: "" }],
    ["a credential that was given up stays so under its own name", { credential: null }],
    ["a disconnected channel gets none", { removedAt: NOW }],
  ])("is dropped: %s", async (_why, columns) => {
    const { renewed, read } = await storedChannel(columns);
    const before = await read();
    expect(await storeCredential(db, renewed)).toBe(false);
    expect(await read()).toEqual(before);
  });
});

describe("a credential that its network refuses for good", () => {
  const event = { id: "evt_1", event: "channel.disconnected", body: "{}", createdAt: NOW };
  const eventsOf = (workspaceId: string) => db.select().from(events).where(eq(events.workspaceId, workspaceId));

  it("is erased, with its event", async () => {
    const { workspaceId, channelId, read } = await storedChannel();
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", event);
    expect(await read()).toMatchObject({
      credential: null,
      credentialId: "",
      lostReason: "token_revoked",
      tokenExpiresAt: null,
      renewAt: null,
      warnAt: null,
      updatedAt: NOW,
    });
    expect(await eventsOf(workspaceId)).toMatchObject([{ id: "evt_1", postId: null, channelId, dedupeKey: NOW }]);
  });

  it("is told once, whoever finds it", async () => {
    const { workspaceId, channelId } = await storedChannel();
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", event);
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", {
      ...event,
      id: "evt_2",
      createdAt: NOW + 1,
    });
    expect(await eventsOf(workspaceId)).toMatchObject([{ id: "evt_1" }]);
  });

  it("is left alone once its owner has connected the channel again", async () => {
    const { workspaceId, channelId, read } = await storedChannel({ credentialId: "new" });
    const before = await read();
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", event);
    expect(await read()).toEqual(before);
    expect(await eventsOf(workspaceId)).toEqual([]);
  });
});

describe("a renewal that did not work out", () => {
  it("is put off", async () => {
    const { workspaceId, channelId, read } = await storedChannel();
    await putOffRenewal(db, workspaceId, channelId, 60_000);
    expect(await read()).toMatchObject({ renewAt: NOW + 60_000 });
  });

  it("leaves the time alone that a newer credential has", async () => {
    const { workspaceId, channelId, read } = await storedChannel({ renewAt: NOW + 5 });
    await putOffRenewal(db, workspaceId, channelId, 60_000);
    expect(await read()).toMatchObject({ renewAt: NOW + 5 });
  });
});
