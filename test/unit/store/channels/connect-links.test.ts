// Links for connecting an account can be opened once, and answered once by the same browser, until they expire.

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
import { db, NOW, storeChannel } from "./stored-channel.ts";

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

/** Stores a link, and another one that is never opened. */
async function storeLinks() {
  await storeChannel();
  await db.delete(connectLinks);
  await storeLink(link);
  await storeLink({ ...link, id: "link_2" });
}

describe("a connect link", () => {
  it("a connect link is found until it is opened", async () => {
    await storeLinks();
    expect(await findConnectLink(db, "link_1")).toMatchObject(link);
    expect(await open()).toMatchObject({ ...link, ...OPENED });
    expect(await findConnectLink(db, "link_1")).toBeUndefined();
    expect(await findConnectLink(db, "link_2")).toMatchObject({ id: "link_2", stateHash: null });
  });

  it("a connect link can be opened once", async () => {
    await storeLinks();
    await open();
    expect(await openConnectLink(db, "link_1", { stateHash: "other", browserHash: "other" })).toBeUndefined();
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1" });
  });

  it("an expired connect link cannot be found, opened, answered or used to choose an account", async () => {
    await storeLinks();
    await expire();
    expect(await findConnectLink(db, "link_1")).toBeUndefined();
    expect(await open()).toBeUndefined();
    await db.update(connectLinks).set(OPENED).where(eq(connectLinks.id, "link_1"));
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
    expect(await takeGranted(db, ANSWER)).toBeUndefined();
  });

  it("an expired connect link is deleted when the next one is created", async () => {
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

  it("a connect link accepts its network's answer once", async () => {
    await storeLinks();
    await open();
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1", answeredAt: NOW });
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
  });

  it.each([
    ["another network", { platform: "threads" }],
    ["another state", { stateHash: "other" }],
    ["another browser", { browserHash: "other" }],
  ])("a connect link accepts no answer of %s", async (_difference, changes) => {
    await storeLinks();
    await open();
    expect(await answerConnectLink(db, { ...ANSWER, ...changes })).toBeUndefined();
    expect(await takeGranted(db, { ...ANSWER, ...changes })).toBeUndefined();
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1" });
  });

  it("the accounts of a connect link can be taken once", async () => {
    await storeLinks();
    await open();
    await storeGranted(db, "link_1", "sealed accounts");
    expect(await takeGranted(db, ANSWER)).toMatchObject({ id: "link_1", granted: "sealed accounts" });
    expect(await takeGranted(db, ANSWER)).toBeUndefined();
    expect(await db.select().from(connectLinks)).toMatchObject([{ id: "link_2", granted: null }]);
  });
});
