// Follow-ups of published deliveries that are due, and waits of a channel.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { sealPublishKey } from "../../../src/delivery/publish-key.ts";
import type { Rechecks } from "../../../src/domain/delivery/recheck.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { events, measurements, workspaces } from "../../../src/store/db/schema.ts";
import { db, makeSends, makeThreadPart, NOW } from "../store/deliveries/stored-delivery.ts";
import { SHOWN } from "./followed-delivery.ts";
import { answerTooMany, COMPARED, CREDENTIAL, findLine, makeX, recheckOnX } from "./on-x.ts";

const NEXT = NOW + 9 * MINUTE_MS;
/** A network that has neither a search nor metrics. */
const ON_TELEGRAM = (columns: object) => ({
  platform: "telegram",
  credential: { bot_token: "1:token", chat_id: "5", username: null, type: "private" },
  columns,
});
const PAUSE = 15 * MINUTE_MS;
/** Nothing of it was published. */
const UNPUBLISHED = { networkPost: null, publishedAt: null } as const;
const TAKEDOWN = { kind: "takedown", state: "due" } as const;

describe("a live post", () => {
  it("a post that is still live is rechecked at its usual time, and its metrics are stored", async () => {
    const { row, calls, key, woken, logs } = await recheckOnX(makeX({ 77: "once" }));
    expect(row).toMatchObject({ state: "live", networkPost: { ...COMPARED, checkedAt: NOW }, checkAt: NEXT });
    expect([woken, logs]).toEqual([[], []]);
    const isOfWorkspace = eq(measurements.workspaceId, key.workspaceId);
    expect(await db.select().from(measurements).where(isOfWorkspace)).toMatchObject([
      { postId: "post_1", channelId: "ch_1", platform: "x", likes: 7 },
    ]);
    expect(calls).toEqual(["GET /2/tweets 77", "GET /2/tweets 77 metrics"]);
  });

  it("a post that is not found is rechecked a second time before it counts as removed", async () => {
    const { row, calls } = await recheckOnX(makeX({}));
    expect(row).toMatchObject({ state: "live", networkPost: { missingSince: NOW }, checkAt: NOW + PAUSE });
    expect(calls).toEqual(["GET /2/tweets 77"]);
    const { row: later, logs } = await recheckOnX(makeX({}), {
      columns: { networkPost: { ...COMPARED, missingSince: NOW - 10 * MINUTE_MS } },
    });
    expect(later).toMatchObject({ state: "removed", checkAt: null, work: {} });
    expect(findLine(logs, "info")).toMatchObject({
      event: "delivery_removed",
      post: "post_1",
      channel: "ch_1",
      platform: "x",
    });
  });

  it("a post is compared once with the accepted version, and an altered post causes an event", async () => {
    const unchanged = await recheckOnX(makeX({ 77: "once" }), { columns: { networkPost: SHOWN } });
    expect(unchanged.row.networkPost?.readback).toEqual({ state: "verified", altered: [] });
    const altered = await recheckOnX(
      makeX({ 77: "twice" }),
      { columns: { networkPost: SHOWN } },
      { before: ({ addWebhook }) => addWebhook("wh_1", { events: ["delivery.altered"] }) },
    );
    expect(altered.row.networkPost?.readback).toEqual({ state: "altered", altered: ["text"] });
    const { workspaceId } = altered.key;
    expect(altered.woken).toEqual([[workspaceId, "wh_1"]]);
    const [event] = await db.select().from(events).where(eq(events.workspaceId, workspaceId));
    expect(event).toMatchObject({ event: "delivery.altered", postId: "post_1", channelId: "ch_1" });
    expect(JSON.parse(event?.body ?? "{}")).toMatchObject({ altered: ["text"], error: null });
    expect(findLine(altered.logs, "warn")).toMatchObject({ event: "delivery_altered", post: "post_1" });
  });

  it("a post that has been compared is not compared again", async () => {
    const readback = { state: "verified", altered: [] } as const;
    const { row, readEvents } = await recheckOnX(makeX({ 77: "twice" }), {
      columns: { networkPost: { ...SHOWN, readback: { ...readback, altered: [] } } },
    });
    expect([row.networkPost?.readback, await readEvents()]).toEqual([readback, []]);
  });

  it("a post has the rechecks of its acceptance, or rarer ones if its workspace has chosen them since", async () => {
    const setRechecks = (rechecksWanted: Rechecks) => ({
      before: ({ key }: { key: { workspaceId: string } }) =>
        db.update(workspaces).set({ rechecks: rechecksWanted }).where(eq(workspaces.id, key.workspaceId)),
    });
    const columns = { publishedAt: NOW - DAY_MS };
    const nextAt = async (rechecks: Rechecks | null, rechecksWanted: Rechecks) =>
      (
        await recheckOnX(
          makeX({ 77: "once" }),
          { columns: { ...columns, terms: { rechecks, cost: null } } },
          setRechecks(rechecksWanted),
        )
      ).row.checkAt;
    expect(await nextAt("full", "full")).toBe(NOW + 2 * DAY_MS);
    expect(await nextAt("full", "light")).toBe(NOW + 6 * DAY_MS);
    // X has rare rechecks by default.
    expect(await nextAt(null, "full")).toBe(NOW + 6 * DAY_MS);
    const off = await recheckOnX(makeX({ 77: "once" }), { columns }, setRechecks("off"));
    expect([off.row.checkAt, off.calls]).toEqual([null, []]);
    const networkPost = { ...COMPARED, url: null, urlState: "pending" as const };
    const { calls, row } = await recheckOnX(
      makeX({ 77: "once" }),
      { columns: { ...columns, networkPost } },
      setRechecks("off"),
    );
    expect(calls).toContain("GET /2/tweets 77");
    expect(row.checkAt).toBeNull();
  });

  it("a post on a network without a way to read posts stays live, without an error", async () => {
    const { row, logs } = await recheckOnX(makeX({}), ON_TELEGRAM({}));
    expect([row.state, logs]).toEqual(["live", []]);
  });

  it("a delivery without a post is not rechecked any more", async () => {
    const { row, calls } = await recheckOnX(makeX({}), { columns: { networkPost: null } });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("a post whose follow-up is no longer due is not rechecked", async () => {
    const { row, calls } = await recheckOnX(makeX({}), { columns: { checkAt: NOW + 1 } });
    expect([row.checkAt, calls]).toEqual([NOW + 1, []]);
  });

  it("a post that is to be taken down is deleted, and not rechecked", async () => {
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), { work: [TAKEDOWN] });
    expect(calls).toEqual(["DELETE /2/tweets/77"]);
    expect(row).toMatchObject({ state: "removed", work: { takedown: { state: "done" } } });
  });

  it("all due work of a post is done in one run, and the post is then rechecked at its usual time", async () => {
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), {
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
  ])("the posts of a channel that %s are rechecked at their usual times", async (_reason, channel) => {
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), { channel });
    expect([row.checkAt, calls]).toEqual([NEXT, []]);
  });

  it("the posts of a channel whose credential is refused are rechecked at their usual times", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const { row, logs } = await recheckOnX({ calls: [], fetch }, { credential });
    expect(row.checkAt).toBe(NEXT);
    expect(logs.filter(({ event }) => event === "follow_up_step_failed")).toEqual([]);
  });

  it("a takedown on a removed channel is unknown, because it cannot be requested any more", async () => {
    const { row } = await recheckOnX(makeX({}), { channel: { removedAt: NOW }, work: [TAKEDOWN] });
    const detail = "it may not have been taken down; check the network: the channel is not connected";
    expect(row).toMatchObject({ state: "live", work: { takedown: { state: "unknown", detail } } });
  });

  it("the posts of a channel whose credential cannot be unsealed are retried after a pause", async () => {
    const { row, calls } = await recheckOnX(makeX({}), { channel: { credential: "v1.9.a.b" } });
    expect([row.checkAt, calls]).toEqual([NOW + PAUSE, []]);
  });
});

describe("a delivery that is over", () => {
  it("a delivery on a network that no longer exists has no more follow-ups", async () => {
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), { platform: "myspace" });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it.each([
    ["cancelled", UNPUBLISHED, []],
    ["failed", UNPUBLISHED, []],
    ["failed", UNPUBLISHED, [TAKEDOWN]],
    ["failed", {}, []],
    ["cancelled", {}, [TAKEDOWN]],
  ] as const)("a delivery that is %s has no more follow-ups", async (state, columns, work) => {
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), { columns: { state, ...columns }, work });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("the published parts of a failed thread are taken down", async () => {
    const { calls } = await recheckOnX(makeX({ 77: "once" }), {
      columns: { state: "failed" },
      threadParts: [makeThreadPart(0, { id: "77" })],
      work: [TAKEDOWN],
    });
    expect(calls).toEqual(["DELETE /2/tweets/77"]);
  });
});

describe("a delivery of an unknown outcome", () => {
  const unknown = {
    ...UNPUBLISHED,
    state: "outcome_unknown",
    sends: makeSends(NOW - HOUR_MS),
    hasOpenSend: true,
  } as const;
  const ready = { step: "ready", media_ids: [], since: NOW - HOUR_MS, text: "once" };

  it("a delivery with an unknown outcome and no publish key is not searched any more", async () => {
    const { row, calls } = await recheckOnX(makeX({}), { columns: unknown });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("a delivery whose publish key cannot be unsealed is not searched any more", async () => {
    const { row, calls } = await recheckOnX(makeX({}), { columns: { ...unknown, publishKey: "v1.9.a.b" } });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("a delivery with an unknown outcome is searched again later while it is not found, or the network asks for a wait", async () => {
    const searchWith = (answer: () => Response, columns: object = unknown) =>
      recheckOnX(
        makeX({}, answer),
        { columns },
        {
          before: async ({ change, found: readDue, tools }) =>
            change({ publishKey: await sealPublishKey(tools.ctx, (await readDue()).delivery, ready) }),
        },
      );
    const empty = await searchWith(() => Response.json({ meta: { result_count: 0 } }));
    expect(empty.row).toMatchObject({ state: "outcome_unknown", checkAt: NOW - HOUR_MS + 6 * HOUR_MS });
    const old = { ...unknown, sends: makeSends(NOW - 2 * DAY_MS) };
    expect((await searchWith(() => Response.json({ meta: { result_count: 0 } }), old)).row.checkAt).toBeNull();
    const withWait = await searchWith(answerTooMany);
    expect(withWait.row.checkAt).toBe(NOW + 5 * HOUR_MS);
    expect(withWait.storage.values.get("asked_wait:ch_1")).toBe(NOW + HOUR_MS);
  });

  it("a delivery on a network without a search is not searched any more", async () => {
    const { row, calls } = await recheckOnX(makeX({}), ON_TELEGRAM(unknown), {
      before: async ({ change, found: readDue, tools }) =>
        change({ publishKey: await sealPublishKey(tools.ctx, (await readDue()).delivery, ready) }),
    });
    expect([row.checkAt, calls]).toEqual([null, []]);
  });

  it("a delivery with an unknown outcome is live once a search finds it", async () => {
    const searchResult = { data: [{ id: "80", text: "once", created_at: new Date(NOW).toISOString() }] };
    const { row } = await recheckOnX(
      makeX({}, () => Response.json(searchResult)),
      { columns: unknown },
      {
        before: async ({ change, found: readDue, tools }) =>
          change({ publishKey: await sealPublishKey(tools.ctx, (await readDue()).delivery, ready) }),
      },
    );
    expect(row).toMatchObject({ state: "live", networkPost: { id: "80" } });
  });

  it("a delivery of a removed channel is searched again at its usual time", async () => {
    const { row } = await recheckOnX(makeX({}), {
      columns: { ...unknown, sends: makeSends(NOW - 2 * DAY_MS) },
      channel: { removedAt: NOW },
    });
    expect(row.checkAt).toBeNull();
    const young = await recheckOnX(makeX({}), { columns: unknown, channel: { removedAt: NOW } });
    expect(young.row.checkAt).toBe(NOW + 5 * HOUR_MS);
  });
});
