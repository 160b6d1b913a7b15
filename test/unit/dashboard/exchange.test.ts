// Two posts exchange their times: either both change, or neither does.
import { describe, expect, it } from "vitest";
import { NoAnswer, Refusal } from "../../../src/client/errors.ts";
import { buildEntries } from "../../../src/dashboard/slots/entries.ts";
import { type Edits, exchange, HalfExchanged, type Timed } from "../../../src/dashboard/slots/exchange.ts";

const [SOON, LATE] = ["2027-01-01T09:00:00.000Z", "2027-01-02T09:00:00.000Z"];
const makeRefusal = (code: "post_changed" | "publish_at_in_past") =>
  new Refusal(422, { error: code, message: code, request_id: "req_1" });
const makeNoAnswer = () => new NoAnswer("no answer", { status: null, passes: true });

type Fault = "refused" | "lost before" | "lost after";

/** Posts as the service stores them. `faults` are keyed by the number of the move, counted from 1. */
function makeService(faults: Record<number, Fault> = {}) {
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
    async move({ id, rev }, publishAt) {
      const fault = faults[moves.push(id)];
      if (fault === "refused") throw makeRefusal("publish_at_in_past");
      if (fault === "lost before") throw makeNoAnswer();
      if (read(id).rev !== rev) throw makeRefusal("post_changed");
      const moved = { id, rev: rev + 1, publish_at: publishAt };
      posts.set(id, moved);
      if (fault === "lost after") throw makeNoAnswer();
      return moved;
    },
  };
  return { edits, read, moves, times: () => [read("a").publish_at, read("b").publish_at] };
}

describe("an exchange", () => {
  it.each([
    ["a", "b"],
    ["b", "a"],
  ])(
    "the exchange of %s and %s first moves the post that will be published sooner than before",
    async (firstId, secondId) => {
      const { edits, read, moves, times } = makeService();
      const exchanged = await exchange(edits, read(firstId), read(secondId));
      expect(exchanged.map(({ id }) => id)).toEqual([firstId, secondId]);
      expect([moves, times()]).toEqual([
        ["b", "a"],
        [LATE, SOON],
      ]);
      await exchange(edits, ...exchanged);
      expect(times()).toEqual([SOON, LATE]);
    },
  );

  it("an exchange whose first move is refused changes nothing", async () => {
    const { edits, read, moves, times } = makeService({ 1: "refused" });
    await expect(exchange(edits, read("a"), read("b"))).rejects.toThrow("publish_at_in_past");
    expect([moves, times()]).toEqual([["b"], [SOON, LATE]]);
  });

  it("an exchange whose second move is refused moves the first post back", async () => {
    const { edits, read, times } = makeService({ 2: "refused" });
    await expect(exchange(edits, read("a"), read("b"))).rejects.toThrow("publish_at_in_past");
    expect(times()).toEqual([SOON, LATE]);
  });

  it("an exchange that cannot move the first post back reports this post and its previous time", async () => {
    const { edits, read, times } = makeService({ 2: "refused", 3: "refused" });
    const error = await exchange(edits, read("a"), read("b")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HalfExchanged);
    expect(error).toMatchObject({ post: { id: "b", publish_at: SOON }, from: LATE });
    expect(times()).toEqual([SOON, SOON]);
  });

  it.each([1, 2])("an exchange completes even if the answer to move %i is lost", async (n) => {
    for (const fault of ["lost before", "lost after"] as const) {
      const { edits, read, times } = makeService({ [n]: fault });
      await exchange(edits, read("a"), read("b"));
      expect(times()).toEqual([LATE, SOON]);
    }
  });

  it("an exchange is refused if another person has changed a post in the meantime", async () => {
    const { edits, read, times } = makeService();
    const stale = { ...read("a"), rev: 0 };
    await expect(exchange(edits, stale, read("b"))).rejects.toThrow("post_changed");
    expect(times()).toEqual([SOON, LATE]);
  });
});

it("the queue shows free slots between its posts, and no slots after the last shown post while further posts are not shown", () => {
  const makePost = (dueAt: string): Parameters<typeof buildEntries>[0][number] => ({
    id: `post_${dueAt}`,
    status: "scheduled",
    text: "",
    media: [],
    thread: null,
    poll: null,
    channels: [],
    publish_at: dueAt,
    timezone: "UTC",
    publish_at_local: dueAt,
    due_at: dueAt,
    rev: 1,
    content_tag: "tag",
    overrides: {},
    draft: false,
    post_type: null,
    media_fit: "exact",
    repeat: null,
    link_tags: null,
    repeat_of: null,
    repeat_status: null,
    deliveries: [],
    labels: [],
    approval: null,
    metadata: {},
    created_at: dueAt,
    updated_at: dueAt,
    published_at: null,
    warnings: [],
  });
  const free = ["2027-01-01T10:00:00.000Z", "2027-01-03T10:00:00.000Z"];
  const listTimes = (isAll: boolean) => buildEntries([makePost(SOON), makePost(LATE)], free, isAll).map(({ at }) => at);
  expect(listTimes(true)).toEqual([SOON, free[0], LATE, free[1]]);
  expect(listTimes(false)).toEqual([SOON, free[0], LATE]);
  expect(buildEntries([], free, true)).toHaveLength(2);
});
