// The first comment under a live post is announced before its call, made once, and reconciled if its answer is lost.
import { describe, expect, it } from "vitest";
import { sealPublishKey } from "../../../src/delivery/publish-key.ts";
import type { Commented } from "../../../src/domain/delivery/outcome.ts";
import type { Json } from "../../../src/domain/json.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import type { FirstComment } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { doWork, followedDelivery, makeNetwork } from "./followed-delivery.ts";

type Steps = Partial<FirstComment<Json, Json>>;
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;
const POST = { id: "77", publishKey: null };
const UNKNOWN = { is: "unknown", detail: "no answer" } as const;
const COMMENT = { kind: "first_comment", state: "due" } as const;
const POSTED: Commented = { is: "commented" };

/** Writes the comment "hello" on a network with these steps. */
async function writeComment(
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
  const dueFollowUp = await followed.found();
  await before(followed);
  const followUp = { ...dueFollowUp, ...followed, network: makeNetwork({ firstComment }) };
  const { notBefore } = await doWork(followUp, POST, "first_comment");
  const row = await followed.read();
  return { ...followed, notBefore, published, row, comment: row.work.first_comment };
}
type Followed = Awaited<ReturnType<typeof followedDelivery>>;

describe("a first comment", () => {
  it("a first comment is written once, and its delivery is rechecked at its usual time", async () => {
    const { published, notBefore, row, comment, logs } = await writeComment({});
    expect(published).toEqual([["77", "hello", null]]);
    expect(notBefore).toBeUndefined();
    expect([comment, row.checkAt]).toMatchObject([{ state: "done", tries: 0 }, NOW + 9 * MINUTE_MS]);
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", outcome: "first_comment: done" };
    expect(logs).toMatchObject([{ level: "info", event: "follow_up", ...fields }]);
  });

  it("a first comment whose publish key cannot be unsealed is written without it", async () => {
    const { published } = await writeComment({}, { work: [{ ...COMMENT, publishKey: "v1.9.a.b" }] });
    expect(published).toEqual([["77", "hello", null]]);
  });

  it("a first comment is retried when the network allows it", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { notBefore, row, comment, logs } = await writeComment({ publish: async () => wait });
    expect(notBefore).toBe(NOW + HOUR_MS);
    expect([comment, row.checkAt]).toMatchObject([{ state: "due", tries: 1 }, NOW + HOUR_MS]);
    expect(logs).toMatchObject([{ level: "warn", outcome: "first_comment: due" }]);
  });

  it("a first comment fails if its network has none, or its post no longer has the option", async () => {
    const without = await followedDelivery({ work: [COMMENT], options: { first_comment: "hello" } });
    const dueFollowUp = await without.found();
    await doWork({ ...dueFollowUp, ...without, network: makeNetwork({}) }, POST, "first_comment");
    expect((await without.read()).work.first_comment).toMatchObject({
      state: "failed",
      detail: "the first comment was refused: there is none",
    });
    const { comment, published } = await writeComment({}, { options: {} });
    expect([comment?.state, published]).toEqual(["failed", []]);
  });

  it("a first comment that is refused for a missing permission says how to grant it", async () => {
    const denied = { is: "rejected", error: "permission_missing", networkMessage: "(#10) No" } as const;
    const { comment } = await writeComment({ publish: async () => denied });
    expect(comment).toMatchObject({
      state: "failed",
      detail:
        "the first comment was refused; connect the channel again and grant all requested permissions; the channel's `missing_permissions` lists those that it lacks",
      networkMessage: "(#10) No",
    });
  });

  it("a first comment is not written if another process writes it, or its post is to be taken down", async () => {
    const inProgress = await writeComment({}, {}, ({ changeWork }) =>
      changeWork("first_comment", { state: "sending" }),
    );
    expect([inProgress.published, inProgress.comment?.state, inProgress.notBefore]).toEqual([[], "sending", undefined]);
    const down = await writeComment({}, {}, ({ changeWork }) => changeWork("takedown", { state: "due" }));
    expect([down.published, down.comment?.state]).toEqual([[], "due"]);
  });
});

describe("a first comment whose answer was lost", () => {
  const lost = async () => UNKNOWN;

  it("a first comment without an answer is unknown if its network cannot look it up", async () => {
    const { comment } = await writeComment({ publish: lost });
    expect(comment).toMatchObject({ state: "unknown", detail: "the first comment may not be there: no answer" });
  });

  it("a first comment without an answer is done if its network shows it", async () => {
    const { comment } = await writeComment({ publish: lost, find: async () => POSTED });
    expect(comment?.state).toBe("done");
  });

  it("a first comment without an answer is looked up again while it is not visible, not before the network allows it", async () => {
    const { row, comment } = await writeComment({ publish: lost, find: async () => UNKNOWN });
    expect([comment, row.checkAt]).toMatchObject([{ state: "sending", tries: 1 }, NOW + MINUTE_MS]);
    const away = { is: "retryable", error: "network_quota", detail: "away", notBefore: NOW + HOUR_MS } as const;
    const withWait = await writeComment({ publish: lost, find: async () => away });
    expect([withWait.row.checkAt, withWait.notBefore]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("a first comment without an answer is not looked up while its network asks for a wait", async () => {
    const { row, comment } = await writeComment({
      publish: async () => ({ ...UNKNOWN, notBefore: NOW + HOUR_MS }),
      find: () => expect.fail("it asked to wait"),
    });
    expect([comment?.state, row.checkAt]).toEqual(["sending", NOW + HOUR_MS]);
  });

  it("a first comment whose call throws is reconciled like any other", async () => {
    const { comment, logs } = await writeComment({ publish: () => Promise.reject(new Error("a fault of our own")) });
    expect(comment?.detail).toBe("the first comment may not be there: the call broke off");
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "follow_up_call_failed",
      error: "Error: a fault of our own",
    });
  });

  it("a first comment whose object ended during the call is looked up and not written again", async () => {
    const work = [{ ...COMMENT, state: "sending", tries: 1 }] as const;
    const lookedUpKeys: Json[] = [];
    const { comment, published } = await writeComment(
      {
        find: async (_published, _text, ready) => {
          lookedUpKeys.push(ready);
          return POSTED;
        },
      },
      { work },
    );
    expect([comment?.state, published, lookedUpKeys]).toEqual(["done", [], [null]]);
    const blind = await writeComment({}, { work });
    expect(blind.comment).toMatchObject({
      state: "unknown",
      detail: "the first comment may not be there: the call broke off",
    });
  });
});

describe("a first comment with a preparation", () => {
  const READY = { is: "prepared", publishKey: { step: "ready" } } as const;

  it("a prepared first comment is published and looked up with its publish key", async () => {
    const lookedUpKeys: Json[] = [];
    const { published, comment } = await writeComment({
      prepare: async () => READY,
      publish: async () => UNKNOWN,
      find: async (_published, _text, ready) => {
        lookedUpKeys.push(ready);
        return POSTED;
      },
    });
    expect([published, lookedUpKeys, comment?.state]).toEqual([
      [["77", "hello", READY.publishKey]],
      [READY.publishKey],
      "done",
    ]);
  });

  it("the preparation of a first comment continues from its stored publish key", async () => {
    const preparedFrom: Json[] = [];
    const { comment } = await writeComment(
      {
        prepare: async (_post, _text, _context, ready) => {
          preparedFrom.push(ready);
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
        preparedFrom.push(ready);
        return READY;
      },
    };
    const network = makeNetwork({ firstComment });
    await doWork({ ...(await second.found()), ...second, network }, POST, "first_comment");
    expect(preparedFrom).toEqual([null, { step: "saved" }]);
  });

  it("a first comment whose preparation is refused is not published", async () => {
    const no = { is: "rejected", error: "content_refused", detail: "no" } as const;
    const { published, comment } = await writeComment({ prepare: async () => no });
    expect([published, comment?.state]).toEqual([[], "failed"]);
  });

  it("a first comment stores each checkpoint, and is not published if another process has stored one in the meantime", async () => {
    const saved: (string | null)[] = [];
    const { published } = await writeComment({
      prepare: async (_post, _text, _context, _ready, save) => {
        for (const step of ["one", "two"]) await save({ step });
        return READY;
      },
    });
    expect(published).toHaveLength(1);
    const otherFollowed = await followedDelivery({ options: { first_comment: "hello" }, work: [COMMENT] });
    const firstComment: FirstComment<Json, Json> = {
      publish: () => expect.fail("another process publishes it"),
      prepare: async (_post, _text, _context, _ready, save) => {
        await save({ step: "one" });
        saved.push((await otherFollowed.readRow()).work.first_comment?.publishKey ?? null);
        await otherFollowed.changeWork("first_comment", { publishKey: "of another" });
        await save({ step: "two" });
        return READY;
      },
    };
    const network = makeNetwork({ firstComment });
    await doWork({ ...(await otherFollowed.found()), ...otherFollowed, network }, POST, "first_comment");
    expect(saved[0]).not.toBeNull();
    expect((await otherFollowed.readRow()).work.first_comment).toMatchObject({
      publishKey: "of another",
      state: "due",
    });
  });
});
