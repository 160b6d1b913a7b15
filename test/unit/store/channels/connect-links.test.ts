// Links for connecting an account can be opened until they have connected one or expire, and each opening is answered once by its
// own browser.

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { CONNECT_ATTEMPT_MS } from "../../../../src/domain/limits.ts";
import {
  answerConnectLink,
  findConnectLink,
  insertConnectLink,
  openConnectLink,
  putBackLink,
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
  createdAt: NOW,
};
const storeLink = (stored: typeof link) => insertConnectLink(db, stored, makeEntry("ws_1", "channel.link_created"));
const OPENED = { stateHash: "state", browserHash: "browser", verifier: "verifier" };
const ANSWER = { platform: "x", stateHash: "state", browserHash: "browser" };
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
  it("a connect link is found until its accounts are taken", async () => {
    await storeLinks();
    expect(await findConnectLink(db, "link_1")).toMatchObject(link);
    expect(await open()).toMatchObject({ ...link, ...OPENED, openedAt: NOW });
    expect(await findConnectLink(db, "link_1")).toMatchObject(link);
    await takeGranted(db, ANSWER);
    expect(await findConnectLink(db, "link_1")).toBeUndefined();
    expect(await findConnectLink(db, "link_2")).toMatchObject({ id: "link_2", stateHash: null });
  });

  it("a connect link that is opened again accepts only the answer to the latest opening", async () => {
    await storeLinks();
    await open();
    await answerConnectLink(db, ANSWER);
    await storeGranted(db, "link_1", "sealed accounts");
    const again = { stateHash: "other", browserHash: "other", verifier: "new" };
    expect(await openConnectLink(db, "link_1", again)).toMatchObject({ ...again, answeredAt: null, granted: null });
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
    expect(await takeGranted(db, ANSWER)).toBeUndefined();
    expect(await answerConnectLink(db, { ...ANSWER, stateHash: "other", browserHash: "other" })).toMatchObject({
      id: "link_1",
    });
  });

  it("the answer to an opening is accepted for a limited time", async () => {
    await storeLinks();
    await open();
    const openedAt = (at: number) => db.update(connectLinks).set({ openedAt: at }).where(eq(connectLinks.id, "link_1"));
    await openedAt(NOW - CONNECT_ATTEMPT_MS);
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
    await openedAt(NOW - CONNECT_ATTEMPT_MS + 1);
    expect(await answerConnectLink(db, ANSWER)).toMatchObject({ id: "link_1" });
  });

  it("a connect link that was taken can be put back and opened again, unless its workspace is gone", async () => {
    await storeLinks();
    await open();
    const taken = (await takeGranted(db, ANSWER)) ?? expect.fail("no link");
    await putBackLink(db, { ...taken, workspaceId: "ws_gone" });
    expect(await findConnectLink(db, "link_1")).toBeUndefined();
    await putBackLink(db, taken);
    expect(await findConnectLink(db, "link_1")).toMatchObject({ ...link, stateHash: null, openedAt: null });
    expect(await answerConnectLink(db, ANSWER)).toBeUndefined();
    expect(await open()).toMatchObject({ id: "link_1" });
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
