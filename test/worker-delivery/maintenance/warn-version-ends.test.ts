// A version of a network's API that ends: every workspace with a channel of the network is told, 60 and 14 days ahead.
import { describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { sendNotices } from "../../../src/maintenance/send-notices.ts";
import { type VersionPlaces, warnOfVersionEnds } from "../../../src/maintenance/warn-version-ends.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { mailsTo } from "../../support/mails.ts";
import { call, connect, signUp, unique } from "../../support/world.ts";
import { signUpOwner } from "./mailed.ts";

const DAY_MS = 86_400_000;
/** LinkedIn's built-in version. */
const END = Date.parse("2027-09-15T00:00:00Z");

/** Sweeps so many days before the end. */
async function warn(daysLeft: number, places: VersionPlaces = {}, db = compose(testEnv, () => {}).accounts) {
  const ctx = { ...compose(testEnv, () => {}), now: () => END - daysLeft * DAY_MS };
  // Until every workspace was looked at.
  for (let i = 0; i < 50; i++) {
    await warnOfVersionEnds(ctx, db, places);
    if (places.versions?.linkedin?.endedAt !== null) break;
  }
  return places;
}
const feed = async (key: string, query = "include=channels&event=network.version_ending") =>
  (await call<{ events: Record<string, unknown>[] }>("GET", `/v1/events?${query}`, { token: key })).body.events;
const away = () => openDatabase(breakingDatabase(testEnv.DB, { call: 1, committed: false, how: "away" }).db);

describe("workspaces with a channel of the network", () => {
  it("are told 60 and 14 days ahead, once each, however often it is swept", async () => {
    const { key, workspace } = await signUp();
    const hook = unique("hook");
    const body = { url: `${testEnv.RECEIVERS}/${hook}`, events: ["network.version_ending"] };
    expect((await call("POST", "/v1/webhooks", { token: key, body })).status).toBe(201);
    await connect(key, "linkedin");
    await connect(key, "linkedin");
    await warn(61);
    expect(await feed(key)).toEqual([]);

    await Promise.all([warn(60), warn(60)]);
    const [event, ...others] = await feed(key);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ platform: "linkedin", channel: null, post: null, action: "contact_operator" });
    await warn(15);
    expect(await feed(key)).toHaveLength(1);
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
    expect(await feed(key)).toHaveLength(2);
    await warn(-1);
    expect(await feed(key)).toHaveLength(2);
    expect((await feed(key, "limit=50")).map(({ event }) => event)).not.toContain("network.version_ending");
  });

  it("are told by mail: their owners, unless they have turned it off", async () => {
    const [account, quiet] = [await signUpOwner(), await signUpOwner()];
    for (const { key } of [account, quiet]) await connect(key, "linkedin");
    const off = { delivery_failed: true, delivery_at_risk: false, token_expiring: true, approval_requested: false };
    const here = { token: quiet.session, headers: { "x-workspace": quiet.workspace } };
    const set = await call("PUT", "/v1/notifications", { ...here, body: { ...off, version_ending: false } });
    expect(set.body).toEqual({ ...off, version_ending: false });
    // What the release before sends leaves it as it is.
    expect((await call("PUT", "/v1/notifications", { ...here, body: off })).body).toEqual({
      ...off,
      version_ending: false,
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

it("a workspace without such a channel hears nothing", async () => {
  const { key } = await signUp();
  await connect(key, "telegram");
  await warn(30);
  expect(await feed(key)).toEqual([]);
});

it("nothing is read outside of these days, nor again on the day on which all were told", async () => {
  expect(await warn(61, {}, away())).toEqual({});
  expect(await warn(0, {}, away())).toEqual({});
  await expect(warn(60, {}, away())).rejects.toThrow();
  const places = await warn(60);
  expect(await warn(59.5, structuredClone(places), away())).toEqual(places);
  await expect(warn(58, structuredClone(places), away())).rejects.toThrow();
});

it("a channel that is connected later is told of on the next day", async () => {
  const { key } = await signUp();
  const places = await warn(40);
  await connect(key, "linkedin");
  await warn(39.5, places);
  expect(await feed(key)).toEqual([]);
  await warn(38, places);
  expect(await feed(key)).toHaveLength(1);
});
