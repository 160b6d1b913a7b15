// Additions to a live post are announced before their call, made once, and reconciled if their answer is lost.
import { describe, expect, it } from "vitest";
import type { Added, NotFound } from "../../../src/domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { MediaUnavailable } from "../../../src/networks/media-file.ts";
import type { Network } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { doWork, followedDelivery, getToken, makeNetwork, makeRenewing } from "./followed-delivery.ts";

const POST = { id: "77", publishKey: null };
const PLAYLIST = { kind: "playlist", state: "due" } as const;
const COMMENT = { kind: "first_comment", state: "due" } as const;
const UNKNOWN = { is: "unknown", detail: "no answer" } as const;
const BROKE_OFF = "the call broke off";

interface Answers {
  add?: () => Promise<Added>;
  /** The answer to a lookup; a network without it cannot look additions up. */
  isThere?: () => Promise<Added | NotFound>;
}
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Makes the addition "playlist" on a network with these answers. */
async function makeAddition({ add = async () => ({ is: "added" }), isThere }: Answers, parts: Parts = {}) {
  const calls: string[] = [];
  let announcedTries: number | null = null;
  const followed = await followedDelivery({
    options: { playlist: "PL1" },
    work: [PLAYLIST],
    ...parts,
  });
  const network: Network = makeRenewing({
    additions: {
      playlist: {
        add: async ({ id }, { value }, context) => {
          calls.push(`add ${id} ${value} ${getToken(context)}`);
          const { playlist } = (await followed.readRow()).work;
          expect(playlist?.state).toBe("sending");
          announcedTries = playlist?.tries ?? null;
          return add();
        },
        ...(isThere && {
          isThere: async ({ id }, { value }) => {
            calls.push(`look ${id} ${value}`);
            return isThere();
          },
        }),
      },
    },
  });
  const answer = await doWork({ ...(await followed.found()), ...followed, network }, POST, "playlist");
  const row = await followed.read();
  return { ...followed, answer, calls, row, announcedTries, addition: row.work.playlist };
}

describe("an addition", () => {
  it("an addition is made once, with the option's value, and its delivery is rechecked at its usual time", async () => {
    const { answer, calls, addition, row, logs } = await makeAddition({});
    expect(answer).toEqual({ notBefore: undefined, isMoreDue: false });
    expect(calls).toEqual(["add 77 PL1 old"]);
    expect(addition).toMatchObject({ state: "done", tries: 0, detail: null });
    expect(row.checkAt).toBe(NOW + 9 * MINUTE_MS);
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", outcome: "playlist: done" };
    expect(logs).toMatchObject([{ level: "info", event: "follow_up", ...fields }]);
  });

  it("an addition that its network confirms is not looked up", async () => {
    const { addition, calls } = await makeAddition({ isThere: () => expect.fail("it is there") });
    expect([addition?.state, calls]).toEqual(["done", ["add 77 PL1 old"]]);
  });

  it("a delivery is due at once after an addition while further work is open", async () => {
    const { answer, row } = await makeAddition({}, { work: [PLAYLIST, COMMENT] });
    expect(answer).toEqual({ notBefore: undefined, isMoreDue: true });
    expect(row.checkAt).toBe(NOW);
    const unfinished = await makeAddition({}, { work: [PLAYLIST, { ...COMMENT, state: "sending" }] });
    expect(unfinished.answer.isMoreDue).toBe(true);
    const ended = await makeAddition({}, { work: [PLAYLIST, { ...COMMENT, state: "failed" }] });
    expect(ended.answer.isMoreDue).toBe(false);
  });

  it("an addition without a value is made", async () => {
    expect((await makeAddition({}, { options: {} })).calls).toEqual(["add 77 null old"]);
  });

  it("an addition that is retried counts its tries", async () => {
    const wait = { is: "retryable", error: "network_unavailable", detail: "away" } as const;
    const { addition, announcedTries } = await makeAddition(
      { add: async () => wait },
      { work: [{ ...PLAYLIST, tries: 2 }] },
    );
    expect([addition, announcedTries]).toMatchObject([{ state: "due", tries: 3 }, 2]);
  });

  it("an addition fails if its file is gone, and is retried if the file is unavailable for now", async () => {
    const missingFile = new MediaUnavailable("the file is gone", false);
    expect((await makeAddition({ add: () => Promise.reject(missingFile) })).addition).toMatchObject({
      state: "failed",
      detail: "`playlist` was refused: the file is gone",
    });
    const away = new MediaUnavailable("the file is away", true);
    expect((await makeAddition({ add: () => Promise.reject(away) })).addition).toMatchObject({
      state: "due",
      tries: 1,
    });
  });

  it("an addition and all work after it wait as long as the network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { answer, addition, row, logs } = await makeAddition(
      { add: async () => wait },
      { work: [PLAYLIST, COMMENT] },
    );
    expect(answer).toEqual({ notBefore: NOW + HOUR_MS, isMoreDue: false });
    expect(addition).toMatchObject({ state: "due", tries: 1 });
    expect(row.checkAt).toBe(NOW + HOUR_MS);
    expect(logs).toMatchObject([{ level: "warn", outcome: "playlist: due" }]);
  });

  it("an addition fails if its network refuses it", async () => {
    const no = { is: "rejected", error: "content_refused", detail: "no such list" } as const;
    expect((await makeAddition({ add: async () => no })).addition).toMatchObject({
      state: "failed",
      detail: "`playlist` was refused: no such list",
    });
  });

  it("an addition is made and looked up with a renewed token if the first one is refused", async () => {
    const answers: Added[] = [{ is: "unauthorized", detail: "expired" }, UNKNOWN];
    const { calls } = await makeAddition({
      add: async () => answers.shift() ?? UNKNOWN,
      isThere: async () => ({ is: "added" }),
    });
    expect(calls).toEqual(["add 77 PL1 old", "add 77 PL1 new", "look 77 PL1"]);
  });

  it("an addition is not made if another process has changed it since it was read", async () => {
    const followed = await followedDelivery({ work: [PLAYLIST] });
    const dueFollowUp = await followed.found();
    await followed.changeWork("playlist", { state: "sending" });
    const network = makeNetwork({ additions: { playlist: { add: () => expect.fail("nobody is to be asked") } } });
    const answer = await doWork({ ...dueFollowUp, ...followed, network }, POST, "playlist");
    expect(answer).toEqual({ notBefore: undefined, isMoreDue: false });
    expect((await followed.readRow()).work.playlist?.state).toBe("sending");
  });

  it("an addition fails if the network no longer offers it", async () => {
    const followed = await followedDelivery({ work: [PLAYLIST] });
    await doWork({ ...(await followed.found()), ...followed, network: makeNetwork({}) }, POST, "playlist");
    expect((await followed.read()).work.playlist?.detail).toBe("`playlist` was refused: there is none");
  });
});

describe("an addition whose answer was lost", () => {
  const lost = async () => UNKNOWN;

  it("an addition without an answer is unknown if the network cannot look it up", async () => {
    const { addition, calls } = await makeAddition({ add: lost });
    expect(addition).toMatchObject({ state: "unknown", detail: "`playlist` may not be there: no answer" });
    expect(calls).toEqual(["add 77 PL1 old"]);
  });

  it("an addition without an answer is done if the network shows it", async () => {
    const { addition, calls } = await makeAddition({ add: lost, isThere: async () => ({ is: "added" }) });
    expect(addition).toMatchObject({ state: "done" });
    expect(calls).toEqual(["add 77 PL1 old", "look 77 PL1"]);
  });

  it.each([
    ["is not visible", { is: "not_found", detail: "not there" }],
    ["cannot be looked up without a permission", { is: "rejected", error: "permission_missing", detail: "no" }],
  ] as const)("an addition without an answer is unknown if it %s", async (_reason, lookup) => {
    const { addition } = await makeAddition({ add: lost, isThere: async () => lookup });
    expect(addition).toMatchObject({ state: "unknown" });
  });

  it("an addition without an answer is looked up again after a failed lookup, not before the network allows it", async () => {
    const away = { is: "retryable", error: "network_unavailable", detail: "away" } as const;
    const soon = await makeAddition({ add: lost, isThere: async () => away });
    expect(soon.addition).toMatchObject({ state: "sending", tries: 1 });
    expect(soon.row.checkAt).toBe(NOW + MINUTE_MS);
    const withWait = await makeAddition({ add: lost, isThere: async () => ({ ...away, notBefore: NOW + HOUR_MS }) });
    expect([withWait.row.checkAt, withWait.answer.notBefore]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("an addition without an answer is not looked up while the network asks for a wait", async () => {
    const { addition, row, calls } = await makeAddition({
      add: async () => ({ ...UNKNOWN, notBefore: NOW + HOUR_MS }),
      isThere: () => expect.fail("it asked to wait"),
    });
    expect([addition?.state, row.checkAt, calls.length]).toEqual(["sending", NOW + HOUR_MS, 1]);
  });

  it("an addition without an answer is looked up again if the lookup fails on our side", async () => {
    const { addition, logs } = await makeAddition({
      add: lost,
      isThere: () => Promise.reject(new Error("a fault of our own")),
    });
    expect(addition).toMatchObject({ state: "sending" });
    expect(logs[0]).toMatchObject({ level: "error", event: "follow_up_look_failed", platform: "telegram" });
  });

  it("an addition whose call throws is reconciled like any other", async () => {
    const { addition, logs } = await makeAddition({ add: () => Promise.reject(new Error("a fault of our own")) });
    expect(addition).toMatchObject({ state: "unknown", detail: `\`playlist\` may not be there: ${BROKE_OFF}` });
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "follow_up_call_failed",
      error: "Error: a fault of our own",
    });
  });

  it("an addition whose object ended during the call is looked up and not made again", async () => {
    const work = [{ ...PLAYLIST, state: "sending", tries: 1 }] as const;
    const { addition, calls } = await makeAddition({ isThere: async () => ({ is: "added" }) }, { work });
    expect([addition?.state, calls]).toEqual(["done", ["look 77 PL1"]]);
    const blind = await makeAddition({}, { work });
    expect([blind.addition?.state, blind.addition?.detail, blind.calls]).toEqual([
      "unknown",
      `\`playlist\` may not be there: ${BROKE_OFF}`,
      [],
    ]);
  });
});
