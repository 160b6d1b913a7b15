// Two posts that exchange their times: both, or neither, whatever fails on the way.
import { describe, expect, it } from "vitest";
import { NoAnswer, Refusal } from "../../../src/client/errors.ts";
import { buildEntries } from "../../../src/dashboard/slots/entries.ts";
import { type Edits, exchange, HalfExchanged, type Timed } from "../../../src/dashboard/slots/exchange.ts";

const [SOON, LATE] = ["2027-01-01T09:00:00.000Z", "2027-01-02T09:00:00.000Z"];
const refusal = (code: "post_changed" | "publish_at_in_past") =>
  new Refusal(422, { error: code, message: code, request_id: "req_1" });
const lost = () => new NoAnswer("no answer", { status: null, passes: true });

type Fault = "refused" | "lost before" | "lost after";

/** Posts as the service keeps them. `faults`: of which move, counted from 1. */
function service(faults: Record<number, Fault> = {}) {
  const posts = new Map<string, Timed>([
    ["a", { id: "a", rev: 1, publish_at: SOON }],
    ["b", { id: "b", rev: 4, publish_at: LATE }],
  ]);
  const moves: string[] = [];
  const read = (id: string): Timed => {
    const post = posts.get(id);
    if (post === undefined) throw new Error(`no ${id}`);
    return post;
  };
  const edits: Edits = {
    read: async (id) => read(id),
    async move({ id, rev }, at) {
      const fault = faults[moves.push(id)];
      if (fault === "refused") throw refusal("publish_at_in_past");
      if (fault === "lost before") throw lost();
      if (read(id).rev !== rev) throw refusal("post_changed");
      const moved = { id, rev: rev + 1, publish_at: at };
      posts.set(id, moved);
      if (fault === "lost after") throw lost();
      return moved;
    },
  };
  return { edits, read, moves, times: () => [read("a").publish_at, read("b").publish_at] };
}

describe("an exchange", () => {
  it.each([
    ["a", "b"],
    ["b", "a"],
  ])("of %s and %s moves the one that goes out sooner than before first", async (one, other) => {
    const { edits, read, moves, times } = service();
    const done = await exchange(edits, read(one), read(other));
    expect(done.map(({ id }) => id)).toEqual([one, other]);
    expect([moves, times()]).toEqual([
      ["b", "a"],
      [LATE, SOON],
    ]);
    await exchange(edits, ...done);
    expect(times()).toEqual([SOON, LATE]);
  });

  it("that is refused at once changes nothing", async () => {
    const { edits, read, moves, times } = service({ 1: "refused" });
    await expect(exchange(edits, read("a"), read("b"))).rejects.toThrow("publish_at_in_past");
    expect([moves, times()]).toEqual([["b"], [SOON, LATE]]);
  });

  it("that is refused half-way takes the first one back", async () => {
    const { edits, read, times } = service({ 2: "refused" });
    await expect(exchange(edits, read("a"), read("b"))).rejects.toThrow("publish_at_in_past");
    expect(times()).toEqual([SOON, LATE]);
  });

  it("whose first one cannot be taken back says which it is and where it was", async () => {
    const { edits, read, times } = service({ 2: "refused", 3: "refused" });
    const error = await exchange(edits, read("a"), read("b")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HalfExchanged);
    expect(error).toMatchObject({ post: { id: "b", publish_at: SOON }, from: LATE });
    expect(times()).toEqual([SOON, SOON]);
  });

  it.each([1, 2])("whose answer %i is lost is done all the same", async (n) => {
    for (const fault of ["lost before", "lost after"] as const) {
      const { edits, read, times } = service({ [n]: fault });
      await exchange(edits, read("a"), read("b"));
      expect(times()).toEqual([LATE, SOON]);
    }
  });

  it("is not mixed up with what somebody else does meanwhile", async () => {
    const { edits, read, times } = service();
    const stale = { ...read("a"), rev: 0 };
    await expect(exchange(edits, stale, read("b"))).rejects.toThrow("post_changed");
    expect(times()).toEqual([SOON, LATE]);
  });
});

it("the queue has free slots between its posts, and none behind posts that are not shown", () => {
  const post = (at: string): Parameters<typeof buildEntries>[0][number] => ({
    id: `post_${at}`,
    status: "scheduled",
    text: "",
    media: [],
    thread: null,
    channels: [],
    publish_at: at,
    timezone: "UTC",
    publish_at_local: at,
    due_at: at,
    rev: 1,
    content_tag: "tag",
    overrides: {},
    draft: false,
    post_type: null,
    media_fit: "exact",
    deliveries: [],
    labels: [],
    approval: null,
    metadata: {},
    created_at: at,
    updated_at: at,
    published_at: null,
    warnings: [],
  });
  const free = ["2027-01-01T10:00:00.000Z", "2027-01-03T10:00:00.000Z"];
  const shown = (isAll: boolean) => buildEntries([post(SOON), post(LATE)], free, isAll).map(({ at }) => at);
  expect(shown(true)).toEqual([SOON, free[0], LATE, free[1]]);
  expect(shown(false)).toEqual([SOON, free[0], LATE]);
  expect(buildEntries([], free, true)).toHaveLength(2);
});
