// A version of a network's API is about to end: every workspace with a channel of the network is warned 60 and 14 days
// before.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { sendNotices } from "../../../src/maintenance/send-notices.ts";
import { type VersionCursors, warnOfVersionEnds } from "../../../src/maintenance/warn-version-ends.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { mailsTo } from "../../support/mails.ts";
import { call, connect, signUp, unique } from "../../support/world.ts";
import { signUpOwner } from "./mailed.ts";

const DAY_MS = 86_400_000;
/** The end of LinkedIn's built-in version. */
const END = Date.parse("2027-09-15T00:00:00Z");

/** Sweeps `daysLeft` days before the end. */
async function warn(daysLeft: number, cursors: VersionCursors = {}, db = compose(testEnv, () => {}).accounts) {
  const ctx = { ...compose(testEnv, () => {}), now: () => END - daysLeft * DAY_MS };
  // Repeats until every workspace was read.
  for (let i = 0; i < 50; i++) {
    await warnOfVersionEnds(ctx, db, cursors);
    if (cursors.versions?.linkedin?.endedAt !== null) break;
  }
  return cursors;
}
const readFeed = async (key: string, query = "include=channels&event=network.version_ending") =>
  (await call<{ events: Record<string, unknown>[] }>("GET", `/v1/events?${query}`, { token: key })).body.events;
const createUnreachableDatabase = () =>
  openDatabase(breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" }).db);

describe("warnings about the end of an API version", () => {
  it("are sent to a workspace 60 and 14 days before, once each, however often the sweep runs", async () => {
    const { key, workspace } = await signUp();
    const hook = unique("hook");
    const body = { url: `${testEnv.RECEIVERS}/${hook}`, events: ["network.version_ending"] };
    expect((await call("POST", "/v1/webhooks", { token: key, body })).status).toBe(201);
    await connect(key, "linkedin");
    await connect(key, "linkedin");
    await warn(61);
    expect(await readFeed(key)).toEqual([]);

    await Promise.all([warn(60), warn(60)]);
    const [event, ...otherEvents] = await readFeed(key);
    expect(otherEvents).toEqual([]);
    expect(event).toMatchObject({ platform: "linkedin", channel: null, post: null, action: "contact_operator" });
    await warn(15);
    expect(await readFeed(key)).toHaveLength(1);
    await eventually(async () => {
      const received: { body: string }[] = await (await fetch(`${testEnv.RECEIVERS}/_/${hook}`)).json();
      expect(received.map(({ body }) => JSON.parse(body))).toEqual([
        {
          event: "network.version_ending",
          id: event?.id,
          created_at: event?.created_at,
          workspace,
          channel: null,
          platform: "linkedin",
          version: "202609",
          supported_until: "2027-09-15",
          action: "contact_operator",
        },
      ]);
    });

    await warn(14);
    await warn(3);
    expect(await readFeed(key)).toHaveLength(2);
    await warn(-1);
    expect(await readFeed(key)).toHaveLength(2);
    expect((await readFeed(key, "limit=50")).map(({ event }) => event)).not.toContain("network.version_ending");
  });

  it("are mailed to owners unless they have turned them off", async () => {
    const [account, quiet] = [await signUpOwner(), await signUpOwner()];
    for (const { key } of [account, quiet]) await connect(key, "linkedin");
    const otherSettings = {
      delivery_failed: true,
      delivery_at_risk: false,
      token_expiring: true,
      approval_requested: false,
    };
    const quietOwner = { token: quiet.session, headers: { "x-workspace": quiet.workspace } };
    const saved = await call("PUT", "/v1/notifications", {
      ...quietOwner,
      body: { ...otherSettings, version_ending: false },
    });
    expect(saved.body).toEqual({ ...otherSettings, version_ending: false, mentioned: true, queue_low: true });
    // An earlier release sends a body without these settings, which leaves them unchanged.
    expect((await call("PUT", "/v1/notifications", { ...quietOwner, body: otherSettings })).body).toEqual({
      ...otherSettings,
      version_ending: false,
      mentioned: true,
      queue_low: true,
    });
    await warn(30);
    for (const { workspace } of [account, quiet]) {
      await sendNotices(
        compose(testEnv, () => {}),
        workspace,
      );
    }
    const [mail] = await mailsTo(account.email, 1);
    expect(mail?.subject).toContain("LinkedIn is retiring the API version that Crier uses");
    expect(mail?.text).toContain("From 2027-09-15, LinkedIn may stop answering version 202609");
    expect(await mailsTo(quiet.email, 0)).toEqual([]);
  });
});

it("are not sent to a workspace without a channel of the network", async () => {
  const { key } = await signUp();
  await connect(key, "telegram");
  await warn(30);
  expect(await readFeed(key)).toEqual([]);
});

it("need no database outside of these days, or again on a day on which all workspaces were warned", async () => {
  expect(await warn(61, {}, createUnreachableDatabase())).toEqual({});
  expect(await warn(0, {}, createUnreachableDatabase())).toEqual({});
  await expect(warn(60, {}, createUnreachableDatabase())).rejects.toThrow();
  const cursors = await warn(60);
  expect(await warn(59.5, structuredClone(cursors), createUnreachableDatabase())).toEqual(cursors);
  await expect(warn(58, structuredClone(cursors), createUnreachableDatabase())).rejects.toThrow();
});

it("are sent on the next day for a channel that is connected later", async () => {
  const { key } = await signUp();
  const cursors = await warn(40);
  await connect(key, "linkedin");
  await warn(39.5, cursors);
  expect(await readFeed(key)).toEqual([]);
  await warn(38, cursors);
  expect(await readFeed(key)).toHaveLength(1);
});
