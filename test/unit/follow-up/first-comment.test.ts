// The first comment under a live post: announced before its call, made once, looked for where its answer was lost.
import { describe, expect, it } from "vitest";
import { sealPublishKey } from "../../../src/delivery/publish-key.ts";
import type { Commented } from "../../../src/domain/delivery/outcome.ts";
import type { Json } from "../../../src/domain/json.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { writeComment } from "../../../src/follow-up/first-comment.ts";
import type { FirstComment } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery, networkWith } from "./followed-delivery.ts";

type Steps = Partial<FirstComment<Json, Json>>;
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;
const POST = { id: "77", publishKey: null };
const UNKNOWN = { is: "unknown", detail: "no answer" } as const;
const POSTED: Commented = { is: "commented" };

/** Writes the comment "hello" at a network with these steps. */
async function commented(
  steps: Steps,
  parts: Parts = {},
  before: (followed: Followed) => Promise<unknown> = async () => {},
) {
  const followed = await followedDelivery({
    options: { first_comment: "hello" },
    ...parts,
    columns: { commentState: "due", ...parts.columns },
  });
  const published: unknown[][] = [];
  const firstComment: FirstComment<Json, Json> = {
    ...steps,
    publish: async (...call) => {
      const [post, text, ready] = call;
      published.push([post.id, text, ready]);
      expect((await followed.readRow()).commentState).toBe("sending");
      return steps.publish?.(...call) ?? POSTED;
    },
  };
  const found = await followed.found();
  await before(followed);
  const verification = { ...found, ...followed, network: networkWith({ firstComment }) };
  const notBefore = await writeComment(verification, POST);
  return { ...followed, notBefore, published, row: await followed.read() };
}
type Followed = Awaited<ReturnType<typeof followedDelivery>>;

describe("a first comment", () => {
  it("is written once, and its delivery is verified at its usual time", async () => {
    const { published, notBefore, row, logs } = await commented({});
    expect(published).toEqual([["77", "hello", null]]);
    expect(notBefore).toBeUndefined();
    expect(row).toMatchObject({ commentState: "posted", commentTries: 0, checkAt: NOW + 9 * MINUTE_MS });
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", outcome: "posted" };
    expect(logs).toMatchObject([{ level: "info", event: "first_comment", ...fields }]);
  });

  it("whose publish key cannot be unsealed is written without it", async () => {
    const { published } = await commented({}, { columns: { commentKey: "v1.9.a.b" } });
    expect(published).toEqual([["77", "hello", null]]);
  });

  it("is tried again as late as its network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { notBefore, row, logs } = await commented({ publish: async () => wait });
    expect(notBefore).toBe(NOW + HOUR_MS);
    expect(row).toMatchObject({ commentState: "due", commentTries: 1, checkAt: NOW + HOUR_MS });
    expect(logs).toMatchObject([{ level: "warn", outcome: "due" }]);
  });

  it("ends as failed where its network has none, or its post asks for none", async () => {
    const without = await followedDelivery({ columns: { commentState: "due" }, options: { first_comment: "hello" } });
    const found = await without.found();
    await writeComment({ ...found, ...without, network: networkWith({}) }, POST);
    expect(await without.read()).toMatchObject({
      commentState: "failed",
      detail: "the first comment was refused: there is none",
    });
    const { row, published } = await commented({}, { options: {} });
    expect([row.commentState, published]).toEqual(["failed", []]);
  });

  it("names a missing permission as the reason where its network refuses it for that", async () => {
    const denied = { is: "rejected", error: "permission_missing", networkMessage: "(#10) No" } as const;
    const { row } = await commented({ publish: async () => denied });
    expect(row).toMatchObject({
      commentState: "failed",
      detail:
        "the first comment was refused; connect the channel again and grant all requested permissions; the channel's `missing_permissions` lists those that it lacks",
      networkMessage: "(#10) No",
    });
  });

  it("is not written where another process writes it, or its post is to be taken down", async () => {
    const other = await commented({}, {}, ({ change }) => change({ commentState: "sending" }));
    expect([other.published, other.row.commentState, other.notBefore]).toEqual([[], "sending", undefined]);
    const down = await commented({}, {}, ({ change }) => change({ takedownState: "due" }));
    expect([down.published, down.row.commentState]).toEqual([[], "due"]);
  });
});

describe("a first comment whose answer was lost", () => {
  const lost = async () => UNKNOWN;

  it("is unknown where its network does not show it", async () => {
    const { row } = await commented({ publish: lost });
    expect(row).toMatchObject({ commentState: "unknown", detail: "the first comment may not be there: no answer" });
  });

  it("is posted where its network shows it", async () => {
    const { row } = await commented({ publish: lost, find: async () => POSTED });
    expect(row.commentState).toBe("posted");
  });

  it("is looked for again later where it is not to be seen yet", async () => {
    const { row } = await commented({ publish: lost, find: async () => UNKNOWN });
    expect(row).toMatchObject({ commentState: "sending", commentTries: 1, checkAt: NOW + MINUTE_MS });
    const away = { is: "retryable", error: "network_quota", detail: "away", notBefore: NOW + HOUR_MS } as const;
    const asked = await commented({ publish: lost, find: async () => away });
    expect([asked.row.checkAt, asked.notBefore]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("is not looked for while its network asks to wait", async () => {
    const { row } = await commented({
      publish: async () => ({ ...UNKNOWN, notBefore: NOW + HOUR_MS }),
      find: () => expect.fail("it asked to wait"),
    });
    expect(row).toMatchObject({ commentState: "sending", checkAt: NOW + HOUR_MS });
  });

  it("because the call broke off is looked for like any other", async () => {
    const { row, logs } = await commented({ publish: () => Promise.reject(new Error("a fault of our own")) });
    expect(row.detail).toBe("the first comment may not be there: the call broke off");
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "first_comment_failed",
      error: "Error: a fault of our own",
    });
  });

  it("because the object ended is looked for by what was made ready, and not written again", async () => {
    const columns = { commentState: "sending", commentTries: 1 } as const;
    const seen: Json[] = [];
    const { row, published } = await commented(
      {
        find: async (_published, _text, ready) => {
          seen.push(ready);
          return POSTED;
        },
      },
      { columns },
    );
    expect([row.commentState, published, seen]).toEqual(["posted", [], [null]]);
    const blind = await commented({}, { columns });
    expect(blind.row).toMatchObject({
      commentState: "unknown",
      detail: "the first comment may not be there: the call broke off",
    });
  });
});

describe("a first comment that is made ready", () => {
  const READY = { is: "prepared", publishKey: { step: "ready" } } as const;

  it("is published with what was made ready, and looked for by it", async () => {
    const seen: Json[] = [];
    const { published, row } = await commented({
      prepare: async () => READY,
      publish: async () => UNKNOWN,
      find: async (_published, _text, ready) => {
        seen.push(ready);
        return POSTED;
      },
    });
    expect([published, seen, row.commentState]).toEqual([
      [["77", "hello", READY.publishKey]],
      [READY.publishKey],
      "posted",
    ]);
  });

  it("goes on with what was saved of it before", async () => {
    const readied: Json[] = [];
    const { row } = await commented(
      {
        prepare: async (_post, _text, _context, ready) => {
          readied.push(ready);
          return READY;
        },
      },
      {},
    );
    expect(row.commentState).toBe("posted");
    const second = await followedDelivery({ options: { first_comment: "hello" }, columns: { commentState: "due" } });
    const { delivery } = await second.found();
    await second.change({ commentKey: await sealPublishKey(second.tools.ctx, delivery, { step: "saved" }) });
    const firstComment: FirstComment<Json, Json> = {
      publish: async () => POSTED,
      prepare: async (_post, _text, _context, ready) => {
        readied.push(ready);
        return READY;
      },
    };
    await writeComment({ ...(await second.found()), ...second, network: networkWith({ firstComment }) }, POST);
    expect(readied).toEqual([null, { step: "saved" }]);
  });

  it("is not published where it was refused or put off", async () => {
    const no = { is: "rejected", error: "content_refused", detail: "no" } as const;
    const { published, row } = await commented({ prepare: async () => no });
    expect([published, row.commentState]).toEqual([[], "failed"]);
  });

  it("saves each checkpoint, and is not published where another process has saved one meanwhile", async () => {
    const saved: (string | null)[] = [];
    const { published } = await commented({
      prepare: async (_post, _text, _context, _ready, save) => {
        for (const step of ["one", "two"]) await save({ step });
        return READY;
      },
    });
    expect(published).toHaveLength(1);
    const other = await followedDelivery({ options: { first_comment: "hello" }, columns: { commentState: "due" } });
    const firstComment: FirstComment<Json, Json> = {
      publish: () => expect.fail("another process publishes it"),
      prepare: async (_post, _text, _context, _ready, save) => {
        await save({ step: "one" });
        saved.push((await other.readRow()).commentKey);
        await other.change({ commentKey: "of another" });
        await save({ step: "two" });
        return READY;
      },
    };
    await writeComment({ ...(await other.found()), ...other, network: networkWith({ firstComment }) }, POST);
    expect(saved[0]).not.toBeNull();
    expect(await other.readRow()).toMatchObject({ commentKey: "of another", commentState: "due" });
  });
});
