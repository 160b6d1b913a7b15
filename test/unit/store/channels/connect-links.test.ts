// Links by which an account is connected: opened once, answered once, by the browser that opened them, until they expire.

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  answerConnectLink,
  findConnectLink,
  insertConnectLink,
  openConnectLink,
  storeGranted,
  takeGranted,
} from "../../../../src/store/channels/connect-links.ts";
import { connectLinks } from "../../../../src/store/db/schema.ts";
import { makeEntry } from "../../../support/audit-entries.ts";
import { db, NOW, storedChannel } from "./stored-channel.ts";

const link = {
  id: "link_1",
  workspaceId: "ws_1",
  platform: "x",
  returnTo: null,
  verifier: "verifier",
  expiresAt: NOW + 1,
  madeBy: "user_1",
};
const storeLink = (stored: typeof link) => insertConnectLink(db, stored, makeEntry("ws_1", "channel.link_created"));
const OPENED = { stateHash: "state", browserHash: "browser" };
const ANSWER = { platform: "x", ...OPENED };
const open = () => openConnectLink(db, "link_1", OPENED);
const expire = () => db.update(connectLinks).set({ expiresAt: NOW }).where(eq(connectLinks.id, "link_1"));
const readIds = async () => (await db.select().from(connectLinks)).map(({ id }) => id).sort();

/** A link, and another one beside it that nobody opens. */
async function storeLinks() {
  await storedChannel();
  await db.delete(connectLinks);
  await storeLink(link);
  await storeLink({ ...link, id: "link_2" });
}

describe("a connect link", () => {
  it("is found until somebody opens it", async () => {
    await storeLinks();
    expect(await findConnectLink(db, "link_1")).toMatchObject(link);
    expect(await open()).toMatchObject({ ...link, ...OPENED });
    expect(await findConnectLink(db, "link_1")).toBeUndefined();
    expect(await findConnectLink(db, "link_2")).toMatchObject({ id: "link_2", stateHash: null });
  });

  it("is opened once", async () => {
    await storeLinks();
    await open();
    expect(await openConnectLink(db, "link_1", { stateHash: "other", browserHash: "other" })).toBeUndefined();
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1" });
  });

  it("is neither found nor opened nor answered nor chosen from once it has expired", async () => {
    await storeLinks();
    await expire();
    expect(await findConnectLink(db, "link_1")).toBeUndefined();
    expect(await open()).toBeUndefined();
    await db.update(connectLinks).set(OPENED).where(eq(connectLinks.id, "link_1"));
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
    expect(await takeGranted(db, ANSWER)).toBeUndefined();
  });

  it("is forgotten after its end when the next one is made", async () => {
    await storeLinks();
    await expire();
    await storeLink({ ...link, id: "link_3" });
    expect(await readIds()).toEqual(["link_1", "link_2", "link_3"]);
    await db
      .update(connectLinks)
      .set({ expiresAt: NOW - 1 })
      .where(eq(connectLinks.id, "link_1"));
    await storeLink({ ...link, id: "link_4" });
    expect(await readIds()).toEqual(["link_2", "link_3", "link_4"]);
  });

  it("takes its network's answer once", async () => {
    await storeLinks();
    await open();
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1", answeredAt: NOW });
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
  });

  it.each([
    ["another network", { platform: "threads" }],
    ["another state", { stateHash: "other" }],
    ["another browser", { browserHash: "other" }],
  ])("takes no answer of %s", async (_whose, changes) => {
    await storeLinks();
    await open();
    expect(await answerConnectLink(db, { ...ANSWER, ...changes })).toBeUndefined();
    expect(await takeGranted(db, { ...ANSWER, ...changes })).toBeUndefined();
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1" });
  });

  it("keeps the accounts to choose from, which are taken once", async () => {
    await storeLinks();
    await open();
    await storeGranted(db, "link_1", "sealed accounts");
    expect(await takeGranted(db, ANSWER)).toMatchObject({ id: "link_1", granted: "sealed accounts" });
    expect(await takeGranted(db, ANSWER)).toBeUndefined();
    expect(await db.select().from(connectLinks)).toMatchObject([{ id: "link_2", granted: null }]);
  });
});
