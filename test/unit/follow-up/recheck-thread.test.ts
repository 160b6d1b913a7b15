// Rechecks of threads.
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { answerTooMany, makeX, recheckOnX } from "./on-x.ts";

const NEXT = NOW + 9 * MINUTE_MS;
const PAUSE = 15 * MINUTE_MS;

describe("a thread", () => {
  const makeThreadPart = (id: string, fields = {}) => ({
    id,
    url: `https://x.com/${id}`,
    urlState: "none",
    at: NOW - MINUTE_MS,
    attempts: 1,
    ...fields,
  });

  it("each remaining part of a thread is rechecked, and the metrics of the first are stored", async () => {
    const parts = JSON.stringify([makeThreadPart("77"), makeThreadPart("78"), makeThreadPart("79", { removed: true })]);
    const { row, calls } = await recheckOnX(makeX({ 77: "once", 78: "more" }), { columns: { parts } });
    expect(calls).toEqual(["GET /2/tweets 77", "GET /2/tweets 77 metrics", "GET /2/tweets 78"]);
    expect(row).toMatchObject({ state: "live", checkAt: NEXT });
  });

  it("a thread is compared by its first part", async () => {
    const parts = JSON.stringify([makeThreadPart("77"), makeThreadPart("78")]);
    const columns = { parts, readback: null };
    const { row, readEvents } = await recheckOnX(makeX({ 77: "once", 78: "more" }), { columns });
    expect([row.readback, await readEvents()]).toEqual([{ state: "verified", altered: [] }, []]);
    const altered = await recheckOnX(makeX({ 77: "twice", 78: "more" }), { columns });
    expect(altered.row.readback).toEqual({ state: "altered", altered: ["text"] });
  });

  it("a thread is rechecked when its first part is due, and a missing part does not make the thread missing", async () => {
    const parts = JSON.stringify([makeThreadPart("77"), makeThreadPart("78", { at: NOW - DAY_MS })]);
    const { row } = await recheckOnX(makeX({ 78: "more" }), { columns: { parts } });
    expect(row).toMatchObject({ state: "live", checkAt: NOW + PAUSE, missingSince: null });
    expect(JSON.parse(row.parts ?? "[]")).toMatchObject([{ missingSince: NOW }, { id: "78" }]);
    const missing = await recheckOnX(makeX({ 77: "once" }), {
      columns: { parts: JSON.stringify([makeThreadPart("77", { at: NOW - DAY_MS }), makeThreadPart("78")]) },
    });
    expect(missing.row.checkAt).toBe(NOW + PAUSE);
  });

  it("a thread without rechecks is rechecked only while the URL of a part is awaited", async () => {
    const parts = JSON.stringify([makeThreadPart("77"), makeThreadPart("78", { url: null, urlState: "pending" })]);
    const { row, calls } = await recheckOnX(makeX({ 77: "once" }), { columns: { parts, rechecks: "off" } });
    expect(calls).toContain("GET /2/tweets 78");
    expect(row.checkAt).toBeGreaterThan(NOW);
    const withUrls = JSON.stringify([makeThreadPart("77"), makeThreadPart("78")]);
    const over = await recheckOnX(makeX({ 77: "once" }), { columns: { parts: withUrls, rechecks: "off" } });
    expect([over.row.checkAt, over.calls]).toEqual([null, []]);
  });

  it("no further part of a thread is rechecked once its network asks for a wait", async () => {
    const parts = JSON.stringify([makeThreadPart("77"), makeThreadPart("78")]);
    const { row, calls } = await recheckOnX(
      makeX({}, () => answerTooMany()),
      { columns: { parts } },
    );
    expect([calls, row.checkAt]).toEqual([["GET /2/tweets 77"], NOW + HOUR_MS]);
    expect(JSON.parse(row.parts ?? "[]")).toMatchObject([{ id: "77" }, { id: "78" }]);
  });

  it("a thread is removed once all its parts are", async () => {
    const missingFields = { missingSince: NOW - HOUR_MS };
    const parts = JSON.stringify([makeThreadPart("77", missingFields), makeThreadPart("78", missingFields)]);
    const { row } = await recheckOnX(makeX({}), { columns: { parts } });
    expect(row.state).toBe("removed");
    const oneMissing = JSON.stringify([makeThreadPart("77"), makeThreadPart("78", missingFields)]);
    const stillLive = await recheckOnX(makeX({ 77: "once" }), { columns: { parts: oneMissing } });
    expect(stillLive.row.state).toBe("live");
    expect(JSON.parse(stillLive.row.parts ?? "[]")).toMatchObject([{ id: "77" }, { id: "78", removed: true }]);
  });
});
