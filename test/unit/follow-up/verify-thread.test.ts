// What becomes of the parts of a thread when they are verified.
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { tooMany, verifiedOnX, xWith } from "./on-x.ts";

const NEXT = NOW + 9 * MINUTE_MS;
const PAUSE = 15 * MINUTE_MS;

describe("a thread", () => {
  const part = (id: string, more = {}) => ({
    id,
    url: `https://x.com/${id}`,
    urlState: "none",
    at: NOW - MINUTE_MS,
    attempts: 1,
    ...more,
  });

  it("has each part verified that is left, and the figures of its first kept", async () => {
    const parts = JSON.stringify([part("77"), part("78"), part("79", { removed: true })]);
    const { row, calls } = await verifiedOnX(xWith({ 77: "once", 78: "more" }), { columns: { parts } });
    expect(calls).toEqual(["GET /2/tweets 77", "GET /2/tweets 77 metrics", "GET /2/tweets 78"]);
    expect(row).toMatchObject({ state: "live", checkAt: NEXT });
  });

  it("is compared by its first part", async () => {
    const parts = JSON.stringify([part("77"), part("78")]);
    const columns = { parts, readback: null };
    const { row, readEvents } = await verifiedOnX(xWith({ 77: "once", 78: "more" }), { columns });
    expect([row.readback, await readEvents()]).toEqual([{ state: "verified", altered: [] }, []]);
    const altered = await verifiedOnX(xWith({ 77: "twice", 78: "more" }), { columns });
    expect(altered.row.readback).toEqual({ state: "altered", altered: ["text"] });
  });

  it("is looked at again when the first of its parts is due, and is not missing while a part is", async () => {
    const parts = JSON.stringify([part("77"), part("78", { at: NOW - DAY_MS })]);
    const { row } = await verifiedOnX(xWith({ 78: "more" }), { columns: { parts } });
    expect(row).toMatchObject({ state: "live", checkAt: NOW + PAUSE, missingSince: null });
    expect(JSON.parse(row.parts ?? "[]")).toMatchObject([{ missingSince: NOW }, { id: "78" }]);
    const missing = await verifiedOnX(xWith({ 77: "once" }), {
      columns: { parts: JSON.stringify([part("77", { at: NOW - DAY_MS }), part("78")]) },
    });
    expect(missing.row.checkAt).toBe(NOW + PAUSE);
  });

  it("is looked at while the address of any part is awaited, and not longer", async () => {
    const parts = JSON.stringify([part("77"), part("78", { url: null, urlState: "pending" })]);
    const { row, calls } = await verifiedOnX(xWith({ 77: "once" }), { columns: { parts, rechecks: "off" } });
    expect(calls).toContain("GET /2/tweets 78");
    expect(row.checkAt).toBeGreaterThan(NOW);
    const known = JSON.stringify([part("77"), part("78")]);
    const over = await verifiedOnX(xWith({ 77: "once" }), { columns: { parts: known, rechecks: "off" } });
    expect([over.row.checkAt, over.calls]).toEqual([null, []]);
  });

  it("is asked for no further part once its network asks to wait", async () => {
    const parts = JSON.stringify([part("77"), part("78")]);
    const { row, calls } = await verifiedOnX(
      xWith({}, () => tooMany()),
      { columns: { parts } },
    );
    expect([calls, row.checkAt]).toEqual([["GET /2/tweets 77"], NOW + HOUR_MS]);
    expect(JSON.parse(row.parts ?? "[]")).toMatchObject([{ id: "77" }, { id: "78" }]);
  });

  it("is removed once no part of it is left", async () => {
    const gone = { missingSince: NOW - HOUR_MS };
    const parts = JSON.stringify([part("77", gone), part("78", gone)]);
    const { row } = await verifiedOnX(xWith({}), { columns: { parts } });
    expect(row.state).toBe("removed");
    const one = JSON.stringify([part("77"), part("78", gone)]);
    const kept = await verifiedOnX(xWith({ 77: "once" }), { columns: { parts: one } });
    expect(kept.row.state).toBe("live");
    expect(JSON.parse(kept.row.parts ?? "[]")).toMatchObject([{ id: "77" }, { id: "78", removed: true }]);
  });
});
