// What is done with published deliveries when their follow-up is due, and until when a channel is left alone.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { sealPublishKey } from "../../../src/delivery/publish-key.ts";
import type { Rechecks } from "../../../src/domain/delivery/verification.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { events, measurements, workspaces } from "../../../src/store/db/schema.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";
import { CREDENTIAL, lineAt, tooMany, verifiedOnX, xWith } from "./on-x.ts";

const NEXT = NOW + 9 * MINUTE_MS;
/** A network that can neither be searched nor asked for figures. */
const ON_TELEGRAM = (columns: object) => ({
  platform: "telegram",
  credential: { bot_token: "1:token", chat_id: "5", username: null, type: "private" },
  columns,
});
const PAUSE = 15 * MINUTE_MS;
const TAKEDOWN = { kind: "takedown", state: "due" } as const;

describe("a live post", () => {
  it("that is still there is verified again at its usual time, and its figures are kept", async () => {
    const { row, calls, key, woken, logs } = await verifiedOnX(xWith({ 77: "once" }));
    expect(row).toMatchObject({ state: "live", checkedAt: NOW, checkAt: NEXT, missingSince: null });
    expect([woken, logs]).toEqual([[], []]);
    const isOfWorkspace = eq(measurements.workspaceId, key.workspaceId);
    expect(await db.select().from(measurements).where(isOfWorkspace)).toMatchObject([
      { postId: "post_1", channelId: "ch_1", platform: "x", likes: 7 },
    ]);
    expect(calls).toEqual(["GET /2/tweets 77", "GET /2/tweets 77 metrics"]);
  });

  it("that is not there is asked for again before it counts as removed", async () => {
    const { row, calls } = await verifiedOnX(xWith({}));
    expect(row).toMatchObject({ state: "live", missingSince: NOW, checkAt: NOW + PAUSE });
    expect(calls).toEqual(["GET /2/tweets 77"]);
    const { row: later, logs } = await verifiedOnX(xWith({}), { columns: { missingSince: NOW - 10 * MINUTE_MS } });
    expect(later).toMatchObject({ state: "removed", checkAt: null, work: {} });
    expect(lineAt(logs, "info")).toMatchObject({
      event: "delivery_removed",
      post: "post_1",
      channel: "ch_1",
      platform: "x",
    });
  });

  it("is compared once with what was accepted, and one that is altered is told of", async () => {
    const same = await verifiedOnX(xWith({ 77: "once" }), { columns: { readback: null } });
    expect(same.row.readback).toEqual({ state: "verified", altered: [] });
    const altered = await verifiedOnX(
      xWith({ 77: "twice" }),
      { columns: { readback: null } },
      { before: ({ addWebhook }) => addWebhook("wh_1", { events: ["delivery.altered"] }) },
    );
    expect(altered.row.readback).toEqual({ state: "altered", altered: ["text"] });
    const { workspaceId } = altered.key;
    expect(altered.woken).toEqual([[workspaceId, "wh_1"]]);
    const [event] = await db.select().from(events).where(eq(events.workspaceId, workspaceId));
    expect(event).toMatchObject({ event: "delivery.altered", postId: "post_1", channelId: "ch_1" });
    expect(JSON.parse(event?.body ?? "{}")).toMatchObject({ altered: ["text"], error: null });
    expect(lineAt(altered.logs, "warn")).toMatchObject({ event: "delivery_altered", post: "post_1" });
  });

  it("that was compared already is not compared again", async () => {
    const readback = { state: "verified", altered: [] } as const;
    const { row, readEvents } = await verifiedOnX(xWith({ 77: "twice" }), {
      columns: { readback: { ...readback, altered: [] } },
    });
    expect([row.readback, await readEvents()]).toEqual([readback, []]);
  });

  it("is looked at as it was accepted, or more rarely since its workspace wants that", async () => {
    const wants = (wanted: Rechecks) => ({
      before: ({ key }: { key: { workspaceId: string } }) =>
        db.update(workspaces).set({ rechecks: wanted }).where(eq(workspaces.id, key.workspaceId)),
    });
    const columns = { publishedAt: NOW - DAY_MS };
    const nextAt = async (rechecks: Rechecks | null, wanted: Rechecks) =>
      (await verifiedOnX(xWith({ 77: "once" }), { columns: { ...columns, rechecks } }, wants(wanted))).row.checkAt;
    expect(await nextAt("full", "full")).toBe(NOW + 2 * DAY_MS);
    expect(await nextAt("full", "light")).toBe(NOW + 6 * DAY_MS);
    // The rule of X.
    expect(await nextAt(null, "full")).toBe(NOW + 6 * DAY_MS);
    const off = await verifiedOnX(xWith({ 77: "once" }), { columns }, wants("off"));
    expect([off.row.checkAt, off.calls]).toEqual([null, []]);
    const awaited = { url: null, urlState: "pending" as const };
    const { calls, row } = await verifiedOnX(
      xWith({ 77: "once" }),
      { columns: { ...columns, ...awaited } },
      wants("off"),
    );
    expect(calls).toContain("GET /2/tweets 77");
    expect(row.checkAt).toBeNull();
  });

  it("on a network that shows nobody's posts is not asked for figures", async () => {
    const { row, logs } = await verifiedOnX(xWith({}), ON_TELEGRAM({}));
    expect([row.state, logs]).toEqual(["live", []]);
  });

  it("without an id is not verified any more", async () => {
    const { row, calls } = await verifiedOnX(xWith({}), { columns: { netPostId: null } });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("whose follow-up is not due any more is left alone", async () => {
    const { row, calls } = await verifiedOnX(xWith({}), { columns: { checkAt: NOW + 1 } });
    expect([row.checkAt, calls]).toEqual([NOW + 1, []]);
  });

  it("that its owner wants taken down is deleted, and not verified", async () => {
    const { row, calls } = await verifiedOnX(xWith({ 77: "once" }), { work: [TAKEDOWN] });
    expect(calls).toEqual(["DELETE /2/tweets/77"]);
    expect(row).toMatchObject({ state: "removed", work: { takedown: { state: "done" } } });
  });

  it("gets all that is due under it in one go, and is verified afterwards at its usual time", async () => {
    const { row, calls } = await verifiedOnX(xWith({ 77: "once" }), {
      work: [
        { kind: "playlist", state: "due" },
        { kind: "first_comment", state: "due" },
      ],
      options: { first_comment: "hello" },
    });
    expect(calls).toEqual(["POST /2/tweets"]);
    const work = { playlist: { state: "failed" }, first_comment: { state: "done" } };
    expect(row).toMatchObject({ work, checkAt: NEXT });
  });
});

describe("a channel that is not connected", () => {
  it.each([
    ["was removed", { removedAt: NOW }],
    ["has lost its credential", { credential: null, credentialId: "" }],
  ])("and %s has its posts looked at again at their usual times", async (_why, channel) => {
    const { row, calls } = await verifiedOnX(xWith({ 77: "once" }), { channel });
    expect([row.checkAt, calls]).toEqual([NEXT, []]);
  });

  it("because its credential is refused has its posts looked at again at their usual times", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const { row, logs } = await verifiedOnX({ calls: [], fetch }, { credential });
    expect(row.checkAt).toBe(NEXT);
    expect(logs.filter(({ event }) => event === "verify_failed")).toEqual([]);
  });

  it("leaves a takedown unknown, because nobody can ask any more", async () => {
    const { row } = await verifiedOnX(xWith({}), { channel: { removedAt: NOW }, work: [TAKEDOWN] });
    const detail = "it may not have been taken down; check the network: the channel is not connected";
    expect(row).toMatchObject({ state: "live", work: { takedown: { state: "unknown", detail } } });
  });

  it("is left alone for a while where its credential cannot be unsealed", async () => {
    const { row, calls } = await verifiedOnX(xWith({}), { channel: { credential: "v1.9.a.b" } });
    expect([row.checkAt, calls]).toEqual([NOW + PAUSE, []]);
  });
});

describe("a delivery that is over", () => {
  const PARTS = JSON.stringify([{ id: "77", url: null, urlState: "none", at: 1, attempts: 1 }]);

  it("for its network is gone is not followed up any more", async () => {
    const { row, calls } = await verifiedOnX(xWith({ 77: "once" }), { platform: "myspace" });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it.each([
    ["cancelled", {}, []],
    ["failed", {}, []],
    ["failed", {}, [TAKEDOWN]],
    ["failed", { parts: PARTS }, []],
    ["cancelled", { parts: PARTS }, [TAKEDOWN]],
  ] as const)("as %s is not followed up any more", async (state, columns, work) => {
    const { row, calls } = await verifiedOnX(xWith({ 77: "once" }), { columns: { state, ...columns }, work });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("as failed has what is out of its thread taken down", async () => {
    const { calls } = await verifiedOnX(xWith({ 77: "once" }), {
      columns: { state: "failed", parts: PARTS },
      work: [TAKEDOWN],
    });
    expect(calls).toEqual(["DELETE /2/tweets/77"]);
  });
});

describe("a delivery of an unknown outcome", () => {
  const unknown = { state: "outcome_unknown", netPostId: null, sentAt: NOW - HOUR_MS, hasOpenSend: true } as const;
  const ready = { step: "ready", media_ids: [], since: NOW - HOUR_MS, text: "once" };

  it("without a publish key is not searched any more", async () => {
    const { row, calls } = await verifiedOnX(xWith({}), { columns: unknown });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("whose publish key cannot be unsealed is not searched any more", async () => {
    const { row, calls } = await verifiedOnX(xWith({}), { columns: { ...unknown, publishKey: "v1.9.a.b" } });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("is searched again later while its network does not show it, or may not be asked", async () => {
    const searched = (answer: () => Response, columns: object = unknown) =>
      verifiedOnX(
        xWith({}, answer),
        { columns },
        {
          before: async ({ change, found, tools }) =>
            change({ publishKey: await sealPublishKey(tools.ctx, (await found()).delivery, ready) }),
        },
      );
    const empty = await searched(() => Response.json({ meta: { result_count: 0 } }));
    expect(empty.row).toMatchObject({ state: "outcome_unknown", checkAt: NOW - HOUR_MS + 6 * HOUR_MS });
    const old = { ...unknown, sentAt: NOW - 2 * DAY_MS };
    expect((await searched(() => Response.json({ meta: { result_count: 0 } }), old)).row.checkAt).toBeNull();
    const asked = await searched(tooMany);
    expect(asked.row.checkAt).toBe(NOW + 5 * HOUR_MS);
    expect(asked.storage.values.get("asked_wait:ch_1")).toBe(NOW + HOUR_MS);
  });

  it("on a network that cannot be searched is not searched any more", async () => {
    const { row, calls } = await verifiedOnX(xWith({}), ON_TELEGRAM(unknown), {
      before: async ({ change, found, tools }) =>
        change({ publishKey: await sealPublishKey(tools.ctx, (await found()).delivery, ready) }),
    });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("is live once its network shows it", async () => {
    const shown = { data: [{ id: "80", text: "once", created_at: new Date(NOW).toISOString() }] };
    const { row } = await verifiedOnX(
      xWith({}, () => Response.json(shown)),
      { columns: unknown },
      {
        before: async ({ change, found, tools }) =>
          change({ publishKey: await sealPublishKey(tools.ctx, (await found()).delivery, ready) }),
      },
    );
    expect(row).toMatchObject({ state: "live", netPostId: "80" });
  });

  it("of a channel that is not connected is searched again at its usual time", async () => {
    const { row } = await verifiedOnX(xWith({}), {
      columns: { ...unknown, sentAt: NOW - 2 * DAY_MS },
      channel: { removedAt: NOW },
    });
    expect(row.checkAt).toBeNull();
    const young = await verifiedOnX(xWith({}), { columns: unknown, channel: { removedAt: NOW } });
    expect(young.row.checkAt).toBe(NOW + 5 * HOUR_MS);
  });
});
