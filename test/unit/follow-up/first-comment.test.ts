// The first comment under a live post: announced before its call, made once, looked for where its answer was lost.
import { describe, expect, it } from "vitest";
import { sealPublishKey } from "../../../src/delivery/publish-key.ts";
import type { Commented } from "../../../src/domain/delivery/outcome.ts";
import type { Json } from "../../../src/domain/json.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import type { FirstComment } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { doWork, followedDelivery, networkWith } from "./followed-delivery.ts";

type Steps = Partial<FirstComment<Json, Json>>;
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;
const POST = { id: "77", publishKey: null };
const UNKNOWN = { is: "unknown", detail: "no answer" } as const;
const COMMENT = { kind: "first_comment", state: "due" } as const;
const POSTED: Commented = { is: "commented" };

/** Writes the comment "hello" at a network with these steps. */
async function commented(
  steps: Steps,
  parts: Parts = {},
  before: (followed: Followed) => Promise<unknown> = async () => {},
) {
  const followed = await followedDelivery({
    options: { first_comment: "hello" },
    work: [COMMENT],
    ...parts,
  });
  const published: unknown[][] = [];
  const firstComment: FirstComment<Json, Json> = {
    ...steps,
    publish: async (...call) => {
      const [post, text, ready] = call;
      published.push([post.id, text, ready]);
      expect((await followed.readRow()).work.first_comment?.state).toBe("sending");
      return steps.publish?.(...call) ?? POSTED;
    },
  };
  const found = await followed.found();
  await before(followed);
  const verification = { ...found, ...followed, network: networkWith({ firstComment }) };
  const { notBefore } = await doWork(verification, POST, "first_comment");
  const row = await followed.read();
  return { ...followed, notBefore, published, row, comment: row.work.first_comment };
}
type Followed = Awaited<ReturnType<typeof followedDelivery>>;

describe("a first comment", () => {
  it("is written once, and its delivery is verified at its usual time", async () => {
    const { published, notBefore, row, comment, logs } = await commented({});
    expect(published).toEqual([["77", "hello", null]]);
    expect(notBefore).toBeUndefined();
    expect([comment, row.checkAt]).toMatchObject([{ state: "done", tries: 0 }, NOW + 9 * MINUTE_MS]);
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", outcome: "first_comment: done" };
    expect(logs).toMatchObject([{ level: "info", event: "follow_up", ...fields }]);
  });

  it("whose publish key cannot be unsealed is written without it", async () => {
    const { published } = await commented({}, { work: [{ ...COMMENT, publishKey: "v1.9.a.b" }] });
    expect(published).toEqual([["77", "hello", null]]);
  });

  it("is tried again as late as its network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { notBefore, row, comment, logs } = await commented({ publish: async () => wait });
    expect(notBefore).toBe(NOW + HOUR_MS);
    expect([comment, row.checkAt]).toMatchObject([{ state: "due", tries: 1 }, NOW + HOUR_MS]);
    expect(logs).toMatchObject([{ level: "warn", outcome: "first_comment: due" }]);
  });

  it("ends as failed where its network has none, or its post asks for none", async () => {
    const without = await followedDelivery({ work: [COMMENT], options: { first_comment: "hello" } });
    const found = await without.found();
    await doWork({ ...found, ...without, network: networkWith({}) }, POST, "first_comment");
    expect((await without.read()).work.first_comment).toMatchObject({
      state: "failed",
      detail: "the first comment was refused: there is none",
    });
    const { comment, published } = await commented({}, { options: {} });
    expect([comment?.state, published]).toEqual(["failed", []]);
  });

  it("names a missing permission as the reason where its network refuses it for that", async () => {
    const denied = { is: "rejected", error: "permission_missing", networkMessage: "(#10) No" } as const;
    const { comment } = await commented({ publish: async () => denied });
    expect(comment).toMatchObject({
      state: "failed",
      detail:
        "the first comment was refused; connect the channel again and grant all requested permissions; the channel's `missing_permissions` lists those that it lacks",
      networkMessage: "(#10) No",
    });
  });

  it("is not written where another process writes it, or its post is to be taken down", async () => {
    const other = await commented({}, {}, ({ changeWork }) => changeWork("first_comment", { state: "sending" }));
    expect([other.published, other.comment?.state, other.notBefore]).toEqual([[], "sending", undefined]);
    const down = await commented({}, {}, ({ changeWork }) => changeWork("takedown", { state: "due" }));
    expect([down.published, down.comment?.state]).toEqual([[], "due"]);
  });
});

describe("a first comment whose answer was lost", () => {
  const lost = async () => UNKNOWN;

  it("is unknown where its network does not show it", async () => {
    const { comment } = await commented({ publish: lost });
    expect(comment).toMatchObject({ state: "unknown", detail: "the first comment may not be there: no answer" });
  });

  it("is posted where its network shows it", async () => {
    const { comment } = await commented({ publish: lost, find: async () => POSTED });
    expect(comment?.state).toBe("done");
  });

  it("is looked for again later where it is not to be seen yet", async () => {
    const { row, comment } = await commented({ publish: lost, find: async () => UNKNOWN });
    expect([comment, row.checkAt]).toMatchObject([{ state: "sending", tries: 1 }, NOW + MINUTE_MS]);
    const away = { is: "retryable", error: "network_quota", detail: "away", notBefore: NOW + HOUR_MS } as const;
    const asked = await commented({ publish: lost, find: async () => away });
    expect([asked.row.checkAt, asked.notBefore]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("is not looked for while its network asks to wait", async () => {
    const { row, comment } = await commented({
      publish: async () => ({ ...UNKNOWN, notBefore: NOW + HOUR_MS }),
      find: () => expect.fail("it asked to wait"),
    });
    expect([comment?.state, row.checkAt]).toEqual(["sending", NOW + HOUR_MS]);
  });

  it("because the call broke off is looked for like any other", async () => {
    const { comment, logs } = await commented({ publish: () => Promise.reject(new Error("a fault of our own")) });
    expect(comment?.detail).toBe("the first comment may not be there: the call broke off");
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "follow_up_call_failed",
      error: "Error: a fault of our own",
    });
  });

  it("because the object ended is looked for by what was made ready, and not written again", async () => {
    const work = [{ ...COMMENT, state: "sending", tries: 1 }] as const;
    const seen: Json[] = [];
    const { comment, published } = await commented(
      {
        find: async (_published, _text, ready) => {
          seen.push(ready);
          return POSTED;
        },
      },
      { work },
    );
    expect([comment?.state, published, seen]).toEqual(["done", [], [null]]);
    const blind = await commented({}, { work });
    expect(blind.comment).toMatchObject({
      state: "unknown",
      detail: "the first comment may not be there: the call broke off",
    });
  });
});

describe("a first comment that is made ready", () => {
  const READY = { is: "prepared", publishKey: { step: "ready" } } as const;

  it("is published with what was made ready, and looked for by it", async () => {
    const seen: Json[] = [];
    const { published, comment } = await commented({
      prepare: async () => READY,
      publish: async () => UNKNOWN,
      find: async (_published, _text, ready) => {
        seen.push(ready);
        return POSTED;
      },
    });
    expect([published, seen, comment?.state]).toEqual([
      [["77", "hello", READY.publishKey]],
      [READY.publishKey],
      "done",
    ]);
  });

  it("goes on with what was saved of it before", async () => {
    const readied: Json[] = [];
    const { comment } = await commented(
      {
        prepare: async (_post, _text, _context, ready) => {
          readied.push(ready);
          return READY;
        },
      },
      {},
    );
    expect(comment?.state).toBe("done");
    const second = await followedDelivery({ options: { first_comment: "hello" }, work: [COMMENT] });
    const { delivery } = await second.found();
    const publishKey = await sealPublishKey(second.tools.ctx, delivery, { step: "saved" });
    await second.changeWork("first_comment", { publishKey });
    const firstComment: FirstComment<Json, Json> = {
      publish: async () => POSTED,
      prepare: async (_post, _text, _context, ready) => {
        readied.push(ready);
        return READY;
      },
    };
    const network = networkWith({ firstComment });
    await doWork({ ...(await second.found()), ...second, network }, POST, "first_comment");
    expect(readied).toEqual([null, { step: "saved" }]);
  });

  it("is not published where it was refused or put off", async () => {
    const no = { is: "rejected", error: "content_refused", detail: "no" } as const;
    const { published, comment } = await commented({ prepare: async () => no });
    expect([published, comment?.state]).toEqual([[], "failed"]);
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
    const other = await followedDelivery({ options: { first_comment: "hello" }, work: [COMMENT] });
    const firstComment: FirstComment<Json, Json> = {
      publish: () => expect.fail("another process publishes it"),
      prepare: async (_post, _text, _context, _ready, save) => {
        await save({ step: "one" });
        saved.push((await other.readRow()).work.first_comment?.publishKey ?? null);
        await other.changeWork("first_comment", { publishKey: "of another" });
        await save({ step: "two" });
        return READY;
      },
    };
    const network = networkWith({ firstComment });
    await doWork({ ...(await other.found()), ...other, network }, POST, "first_comment");
    expect(saved[0]).not.toBeNull();
    expect((await other.readRow()).work.first_comment).toMatchObject({ publishKey: "of another", state: "due" });
  });
});
