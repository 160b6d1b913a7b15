// The times of repeating posts.
import { describe, expect, it } from "vitest";
import { listNext, nextOccurrence, type Repeat, storedRepeat, takeTurns } from "../../../src/domain/posts/repeat.ts";

const PLAIN: Repeat = { every: "day", interval: 1, weekdays: null, until: null, times: null, variations: [] };
const toPost = (publishAt: string, repeat: Partial<Repeat>, { timezone = "UTC", overrides = {} } = {}) => ({
  publishAt: Date.parse(publishAt),
  dueAt: Date.parse(publishAt),
  timezone,
  overrides,
  repeat: { ...PLAIN, ...repeat },
  series: null,
  lostPosts: null,
});
const list = (post: ReturnType<typeof toPost>, count: number, after = "2020-01-01T00:00:00Z") =>
  listNext(post, Date.parse(after), count).map((at) => new Date(at).toISOString().slice(0, 16));

describe("the times of a repeating post", () => {
  it("come every so many days", () => {
    expect(list(toPost("2026-12-30T09:30:00Z", { interval: 2 }), 2)).toEqual(["2027-01-01T09:30", "2027-01-03T09:30"]);
  });

  it("come on the chosen weekdays of every so many weeks, by default on that of the first post", () => {
    const monday = "2026-11-30T09:00:00Z";
    expect(list(toPost(monday, { every: "week" }), 2)).toEqual(["2026-12-07T09:00", "2026-12-14T09:00"]);
    expect(list(toPost(monday, { every: "week", interval: 2, weekdays: [1, 5] }), 4)).toEqual([
      "2026-12-04T09:00",
      "2026-12-14T09:00",
      "2026-12-18T09:00",
      "2026-12-28T09:00",
    ]);
    const friday = "2026-12-04T09:00:00Z";
    expect(list(toPost(friday, { every: "week", weekdays: [1, 2] }), 2)).toEqual([
      "2026-12-07T09:00",
      "2026-12-08T09:00",
    ]);
  });

  it("fall on the last day of a month without the first post's day, and on that day again afterwards", () => {
    expect(list(toPost("2027-01-31T09:00:00Z", { every: "month" }), 4)).toEqual([
      "2027-02-28T09:00",
      "2027-03-31T09:00",
      "2027-04-30T09:00",
      "2027-05-31T09:00",
    ]);
    expect(list(toPost("2027-10-31T09:00:00Z", { every: "month", interval: 4 }), 2)).toEqual([
      "2028-02-29T09:00",
      "2028-06-30T09:00",
    ]);
  });

  it("stay at the same time of day when the clocks change", () => {
    const berlin = { timezone: "Europe/Berlin" };
    expect(list(toPost("2027-03-27T08:00:00Z", {}, berlin), 2)).toEqual(["2027-03-28T07:00", "2027-03-29T07:00"]);
  });

  it("leave out a time that the clocks skip, and use the first of two", () => {
    const berlin = { timezone: "Europe/Berlin" };
    expect(list(toPost("2027-03-27T01:30:00Z", {}, berlin), 2)).toEqual(["2027-03-29T00:30", "2027-03-30T00:30"]);
    expect(list(toPost("2027-10-30T00:30:00Z", {}, berlin), 2)).toEqual(["2027-10-31T00:30", "2027-11-01T01:30"]);
  });

  it("that have passed are left out, and the pattern stays", () => {
    const post = toPost("2027-01-01T09:00:00Z", { interval: 3 });
    expect(list(post, 2, "2027-01-08T00:00:00Z")).toEqual(["2027-01-10T09:00", "2027-01-13T09:00"]);
    expect(list(toPost("2027-01-31T09:00:00Z", { every: "month" }), 1, "2027-02-28T09:00:00Z")).toEqual([
      "2027-03-31T09:00",
    ]);
  });

  it("end after so many posts, or at an instant", () => {
    expect(list(toPost("2027-01-01T09:00:00Z", { times: 3 }), 9)).toHaveLength(2);
    const until = { until: "2027-01-03T09:00:00.000Z" };
    expect(list(toPost("2027-01-01T09:00:00Z", until), 9)).toEqual(["2027-01-02T09:00", "2027-01-03T09:00"]);
  });

  it("keep the times of single channels at their days and times of day", () => {
    const overrides = { ch_1: { publish_at: "2027-03-28T06:00:00.000Z" }, ch_2: {} };
    const post = toPost("2027-03-27T08:00:00Z", { interval: 2 }, { timezone: "Europe/Berlin", overrides });
    const next = nextOccurrence(post, 0);
    expect(new Date(next?.own.get("ch_1") ?? 0).toISOString()).toBe("2027-03-30T06:00:00.000Z");
    // A channel's time in the hour that the clocks skip leaves out the whole post.
    const gap = { ch_1: { publish_at: "2027-03-27T01:30:00.000Z" } };
    const skipping = toPost("2027-03-27T08:00:00Z", {}, { timezone: "Europe/Berlin", overrides: gap });
    expect(list(skipping, 1)).toEqual(["2027-03-29T07:00"]);
  });

  it("follow the pattern after a post that was moved by hand", () => {
    const first = toPost("2027-01-01T09:00:00Z", { every: "week" });
    const next = nextOccurrence(first, 0);
    const moved = { ...first, publishAt: Date.parse("2027-01-10T12:00:00Z"), series: next?.series ?? null };
    expect(list({ ...moved, series: null }, 1)).toEqual(["2027-01-17T12:00"]);
    expect(new Date(nextOccurrence(moved, 0)?.at ?? 0).toISOString()).toBe("2027-01-15T09:00:00.000Z");
  });

  it("continue after the posts that a restore has removed", () => {
    const post = toPost("2027-01-01T09:00:00Z", { interval: 2, times: 5, variations: ["b"] });
    const until = Date.parse("2027-01-05T12:00:00Z");
    const next = (number: number | null) => nextOccurrence({ ...post, lostPosts: { until, number } }, 0);
    // Without their number, each time of the pattern counts: the 3rd and the 5th.
    for (const number of [3, null]) {
      expect(next(number)).toMatchObject({ at: Date.parse("2027-01-07T09:00:00Z"), series: { number: 4 }, turns: 3 });
    }
    expect(next(5)).toBeNull();
    // The lost post had not been sent: it is made once more.
    const again = nextOccurrence(
      { ...post, lostPosts: { until: Date.parse("2027-01-05T09:00:00Z") - 1, number: 2 } },
      0,
    );
    expect(again).toMatchObject({ at: Date.parse("2027-01-05T09:00:00Z"), series: { number: 3 }, turns: 2 });
  });

  it("are none without a time of the post", () => {
    expect(nextOccurrence({ ...toPost("2027-01-01T09:00:00Z", {}), publishAt: null, dueAt: null }, 0)).toBeNull();
  });
});

describe("a repeat", () => {
  it("is stored with its weekdays in order, each once", () => {
    expect(storedRepeat({ every: "week", weekdays: [5, 1, 5] })).toEqual({ ...PLAIN, every: "week", weekdays: [1, 5] });
    expect(storedRepeat(null)).toBeNull();
  });

  it("takes turns with its texts, the post's own included", () => {
    let turn = { text: "a", repeat: { ...PLAIN, variations: ["b", "c"] } };
    const texts = ["a"];
    for (let i = 0; i < 4; i++) {
      turn = takeTurns(turn.text, turn.repeat, 1);
      texts.push(turn.text);
    }
    expect(texts).toEqual(["a", "b", "c", "a", "b"]);
    expect(takeTurns("a", { ...PLAIN, variations: ["b", "c"] }, 4)).toEqual({
      text: "b",
      repeat: { ...PLAIN, variations: ["c", "a"] },
    });
  });
});
