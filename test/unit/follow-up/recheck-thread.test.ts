// Rechecks of threads.
import { describe, expect, it } from "vitest";
import type { LiveThreadPart } from "../../../src/domain/delivery/thread.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { makeThreadPart, NOW } from "../store/deliveries/stored-delivery.ts";
import { SHOWN } from "./followed-delivery.ts";
import { answerTooMany, makeX, recheckOnX } from "./on-x.ts";

const NEXT = NOW + 9 * MINUTE_MS;
const PAUSE = 15 * MINUTE_MS;

describe("a thread", () => {
  /** Builds the parts of a thread; their ids are 77, 78 and so on. */
  const makeThread = (...parts: Partial<LiveThreadPart>[]): LiveThreadPart[] =>
    parts.map((changes, position) => {
      const id = String(77 + position);
      const shown = { id, url: `https://x.com/${id}`, publishedAt: NOW - MINUTE_MS };
      return makeThreadPart(position, { ...shown, ...changes });
    });

  it("each remaining part of a thread is rechecked, and the metrics of the first are stored", async () => {
    const threadParts = makeThread({}, {}, { isRemoved: true });
    const { row, calls } = await recheckOnX(makeX({ 77: "once", 78: "more" }), { threadParts });
    expect(calls).toEqual(["GET /2/tweets 77", "GET /2/tweets 77 metrics", "GET /2/tweets 78"]);
    expect(row).toMatchObject({ state: "live", checkAt: NEXT });
  });

  it("a thread is compared by its first part", async () => {
    const thread = { threadParts: makeThread({}, {}), columns: { networkPost: SHOWN } };
    const { row, readEvents } = await recheckOnX(makeX({ 77: "once", 78: "more" }), thread);
    expect([row.networkPost?.readback, await readEvents()]).toEqual([{ state: "verified", altered: [] }, []]);
    const altered = await recheckOnX(makeX({ 77: "twice", 78: "more" }), thread);
    expect(altered.row.networkPost?.readback).toEqual({ state: "altered", altered: ["text"] });
  });

  it("a thread is rechecked when its first part is due, and a missing part does not make the thread missing", async () => {
    const old = { publishedAt: NOW - DAY_MS };
    const { row } = await recheckOnX(makeX({ 78: "more" }), { threadParts: makeThread({}, old) });
    expect(row).toMatchObject({ state: "live", checkAt: NOW + PAUSE });
    expect(row.networkPost).not.toHaveProperty("missingSince");
    expect(row.threadParts).toMatchObject([{ missingSince: NOW }, { id: "78", missingSince: null }]);
    const missing = await recheckOnX(makeX({ 77: "once" }), { threadParts: makeThread(old, {}) });
    expect(missing.row.checkAt).toBe(NOW + PAUSE);
  });

  it("a thread without rechecks is rechecked only while the URL of a part is awaited", async () => {
    const columns = { terms: { rechecks: "off" as const, cost: null } };
    const threadParts = makeThread({}, { url: null, urlState: "pending" });
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), { columns, threadParts });
    expect(calls).toContain("GET /2/tweets 78");
    expect(row.checkAt).toBeGreaterThan(NOW);
    const over = await recheckOnX(makeX({ 77: "once" }), { columns, threadParts: makeThread({}, {}) });
    expect([over.row.checkAt, over.calls]).toEqual([null, []]);
  });

  it("no further part of a thread is rechecked once its network asks for a wait", async () => {
    const { row, calls } = await recheckOnX(
      makeX({}, () => answerTooMany()),
      { threadParts: makeThread({}, {}) },
    );
    expect([calls, row.checkAt]).toEqual([["GET /2/tweets 77"], NOW + HOUR_MS]);
    expect(row.threadParts).toEqual(makeThread({}, {}));
  });

  it("a thread is removed once all its parts are", async () => {
    const missingFields = { missingSince: NOW - HOUR_MS };
    const { row } = await recheckOnX(makeX({}), { threadParts: makeThread(missingFields, missingFields) });
    expect(row.state).toBe("removed");
    const stillLive = await recheckOnX(makeX({ 77: "once" }), { threadParts: makeThread({}, missingFields) });
    expect(stillLive.row.state).toBe("live");
    expect(stillLive.row.threadParts).toMatchObject([{ isRemoved: false }, { isRemoved: true }]);
  });
});
