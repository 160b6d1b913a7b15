// The credential of a channel after simultaneous renewals, losses and reconnections.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { loseCredential, putOffRenewal, storeCredential } from "../../../../src/store/channels/credentials.ts";
import { channels, events } from "../../../../src/store/db/schema.ts";
import { db, NOW, storedDelivery } from "../deliveries/stored-delivery.ts";

/** Stores a channel with the credential "old", and another channel of the same workspace. */
async function storeChannel(columns: Partial<typeof channels.$inferInsert> = {}) {
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
    const [channel, otherChannel] = await db
      .select()
      .from(channels)
      .where(eq(channels.workspaceId, workspaceId))
      .orderBy(channels.id);
    expect(otherChannel).toMatchObject(old);
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
  it("a renewed credential replaces the one from which it was made, and a repeat also succeeds", async () => {
    const { renewed, read } = await storeChannel();
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
    ["the channel was reconnected", { credential: "sealed new", credentialId: "new" }],
    ["the credential was lost", { credential: null, credentialId: "" }],
    ["the credential was lost and kept its id", { credential: null }],
    ["the channel was disconnected", { removedAt: NOW }],
  ])("a renewed credential is dropped if %s", async (_reason, columns) => {
    const { renewed, read } = await storeChannel(columns);
    const before = await read();
    expect(await storeCredential(db, renewed)).toBe(false);
    expect(await read()).toEqual(before);
  });
});

describe("a credential that its network refuses for good", () => {
  const event = { id: "evt_1", event: "channel.disconnected", body: "{}", createdAt: NOW };
  const readEvents = (workspaceId: string) => db.select().from(events).where(eq(events.workspaceId, workspaceId));

  it("a refused credential is erased, and an event is written", async () => {
    const { workspaceId, channelId, read } = await storeChannel();
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
    expect(await readEvents(workspaceId)).toMatchObject([{ id: "evt_1", postId: null, channelId, dedupeKey: NOW }]);
  });

  it("the loss of a credential writes one event, even if it is found twice", async () => {
    const { workspaceId, channelId } = await storeChannel();
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", event);
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", {
      ...event,
      id: "evt_2",
      createdAt: NOW + 1,
    });
    expect(await readEvents(workspaceId)).toMatchObject([{ id: "evt_1" }]);
  });

  it("the credential of a reconnected channel is not erased", async () => {
    const { workspaceId, channelId, read } = await storeChannel({ credentialId: "new" });
    const before = await read();
    await loseCredential(db, workspaceId, channelId, "old", "token_revoked", event);
    expect(await read()).toEqual(before);
    expect(await readEvents(workspaceId)).toEqual([]);
  });
});

describe("a failed renewal", () => {
  it("a failed renewal is delayed", async () => {
    const { workspaceId, channelId, read } = await storeChannel();
    await putOffRenewal(db, workspaceId, channelId, 60_000);
    expect(await read()).toMatchObject({ renewAt: NOW + 60_000 });
  });

  it("a failed renewal does not change the time of a newer credential", async () => {
    const { workspaceId, channelId, read } = await storeChannel({ renewAt: NOW + 5 });
    await putOffRenewal(db, workspaceId, channelId, 60_000);
    expect(await read()).toMatchObject({ renewAt: NOW + 5 });
  });
});
