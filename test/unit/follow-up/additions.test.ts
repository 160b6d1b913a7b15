// What is done under a live post beside its first comment: announced before its call, made once, looked for where its answer was lost.
import { describe, expect, it } from "vitest";
import type { Added, NotFound } from "../../../src/domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { MediaUnavailable } from "../../../src/networks/media-file.ts";
import type { Network } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { doWork, followedDelivery, networkWith, renewing, tokenOf } from "./followed-delivery.ts";

const POST = { id: "77", publishKey: null };
const PLAYLIST = { kind: "playlist", state: "due" } as const;
const COMMENT = { kind: "first_comment", state: "due" } as const;
const UNKNOWN = { is: "unknown", detail: "no answer" } as const;
const BROKE_OFF = "the call broke off";

interface Answers {
  add?: () => Promise<Added>;
  /** What the network shows; absent: it does not show it. */
  seen?: () => Promise<Added | NotFound>;
}
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Makes the addition "playlist" at a network that answers so. */
async function added({ add = async () => ({ is: "added" }), seen }: Answers, parts: Parts = {}) {
  const calls: string[] = [];
  let announcedTries: number | null = null;
  const followed = await followedDelivery({
    options: { playlist: "PL1" },
    work: [PLAYLIST],
    ...parts,
  });
  const network: Network = renewing({
    additions: {
      playlist: {
        add: async ({ id }, { value }, context) => {
          calls.push(`add ${id} ${value} ${tokenOf(context)}`);
          const { playlist } = (await followed.readRow()).work;
          expect(playlist?.state).toBe("sending");
          announcedTries = playlist?.tries ?? null;
          return add();
        },
        ...(seen && {
          isThere: async ({ id }, { value }) => {
            calls.push(`look ${id} ${value}`);
            return seen();
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
  it("is made once, with the option's value, and its delivery is verified at its usual time", async () => {
    const { answer, calls, addition, row, logs } = await added({});
    expect(answer).toEqual({ notBefore: undefined, isMoreDue: false });
    expect(calls).toEqual(["add 77 PL1 old"]);
    expect(addition).toMatchObject({ state: "done", tries: 0, detail: null });
    expect(row.checkAt).toBe(NOW + 9 * MINUTE_MS);
    const fields = { post: "post_1", channel: "ch_1", platform: "telegram", outcome: "playlist: done" };
    expect(logs).toMatchObject([{ level: "info", event: "follow_up", ...fields }]);
  });

  it("that its network says it has made is not looked for", async () => {
    const { addition, calls } = await added({ seen: () => expect.fail("it is there") });
    expect([addition?.state, calls]).toEqual(["done", ["add 77 PL1 old"]]);
  });

  it("leaves its delivery due at once while more is to be made under it", async () => {
    const { answer, row } = await added({}, { work: [PLAYLIST, COMMENT] });
    expect(answer).toEqual({ notBefore: undefined, isMoreDue: true });
    expect(row.checkAt).toBe(NOW);
    const unfinished = await added({}, { work: [PLAYLIST, { ...COMMENT, state: "sending" }] });
    expect(unfinished.answer.isMoreDue).toBe(true);
    const ended = await added({}, { work: [PLAYLIST, { ...COMMENT, state: "failed" }] });
    expect(ended.answer.isMoreDue).toBe(false);
  });

  it("without a value is made all the same", async () => {
    expect((await added({}, { options: {} })).calls).toEqual(["add 77 null old"]);
  });

  it("counts its tries on", async () => {
    const wait = { is: "retryable", error: "network_unavailable", detail: "away" } as const;
    const { addition, announcedTries } = await added({ add: async () => wait }, { work: [{ ...PLAYLIST, tries: 2 }] });
    expect([addition, announcedTries]).toMatchObject([{ state: "due", tries: 3 }, 2]);
  });

  it("ends as failed when a file of it cannot be sent, and is tried again when that may pass", async () => {
    const gone = new MediaUnavailable("the file is gone", false);
    expect((await added({ add: () => Promise.reject(gone) })).addition).toMatchObject({
      state: "failed",
      detail: "`playlist` was refused: the file is gone",
    });
    const away = new MediaUnavailable("the file is away", true);
    expect((await added({ add: () => Promise.reject(away) })).addition).toMatchObject({ state: "due", tries: 1 });
  });

  it("is tried again when its network asks to wait, and what comes after it waits, too", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { answer, addition, row, logs } = await added({ add: async () => wait }, { work: [PLAYLIST, COMMENT] });
    expect(answer).toEqual({ notBefore: NOW + HOUR_MS, isMoreDue: false });
    expect(addition).toMatchObject({ state: "due", tries: 1 });
    expect(row.checkAt).toBe(NOW + HOUR_MS);
    expect(logs).toMatchObject([{ level: "warn", outcome: "playlist: due" }]);
  });

  it("ends as failed when its network refuses it", async () => {
    const no = { is: "rejected", error: "content_refused", detail: "no such list" } as const;
    expect((await added({ add: async () => no })).addition).toMatchObject({
      state: "failed",
      detail: "`playlist` was refused: no such list",
    });
  });

  it("is made with a renewed token after a refused one, and looked for with it", async () => {
    const answers: Added[] = [{ is: "unauthorized", detail: "expired" }, UNKNOWN];
    const { calls } = await added({ add: async () => answers.shift() ?? UNKNOWN, seen: async () => ({ is: "added" }) });
    expect(calls).toEqual(["add 77 PL1 old", "add 77 PL1 new", "look 77 PL1"]);
  });

  it("is not made where another process has changed the additions since they were read", async () => {
    const followed = await followedDelivery({ work: [PLAYLIST] });
    const found = await followed.found();
    await followed.changeWork("playlist", { state: "sending" });
    const network = networkWith({ additions: { playlist: { add: () => expect.fail("nobody is to be asked") } } });
    const answer = await doWork({ ...found, ...followed, network }, POST, "playlist");
    expect(answer).toEqual({ notBefore: undefined, isMoreDue: false });
    expect((await followed.readRow()).work.playlist?.state).toBe("sending");
  });

  it("that the network does not offer any more ends as failed", async () => {
    const followed = await followedDelivery({ work: [PLAYLIST] });
    await doWork({ ...(await followed.found()), ...followed, network: networkWith({}) }, POST, "playlist");
    expect((await followed.read()).work.playlist?.detail).toBe("`playlist` was refused: there is none");
  });
});

describe("an addition whose answer was lost", () => {
  const lost = async () => UNKNOWN;

  it("is unknown where the network does not show it", async () => {
    const { addition, calls } = await added({ add: lost });
    expect(addition).toMatchObject({ state: "unknown", detail: "`playlist` may not be there: no answer" });
    expect(calls).toEqual(["add 77 PL1 old"]);
  });

  it("is done where the network shows it", async () => {
    const { addition, calls } = await added({ add: lost, seen: async () => ({ is: "added" }) });
    expect(addition).toMatchObject({ state: "done" });
    expect(calls).toEqual(["add 77 PL1 old", "look 77 PL1"]);
  });

  it.each([
    ["is not to be seen", { is: "not_found", detail: "not there" }],
    ["may not be seen", { is: "rejected", error: "permission_missing", detail: "no" }],
  ] as const)("is unknown where it %s", async (_why, seen) => {
    const { addition } = await added({ add: lost, seen: async () => seen });
    expect(addition).toMatchObject({ state: "unknown" });
  });

  it("is looked for again later where looking has no answer, or as late as the network asks", async () => {
    const away = { is: "retryable", error: "network_unavailable", detail: "away" } as const;
    const soon = await added({ add: lost, seen: async () => away });
    expect(soon.addition).toMatchObject({ state: "sending", tries: 1 });
    expect(soon.row.checkAt).toBe(NOW + MINUTE_MS);
    const asked = await added({ add: lost, seen: async () => ({ ...away, notBefore: NOW + HOUR_MS }) });
    expect([asked.row.checkAt, asked.answer.notBefore]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("is not looked for while the network asks to wait", async () => {
    const { addition, row, calls } = await added({
      add: async () => ({ ...UNKNOWN, notBefore: NOW + HOUR_MS }),
      seen: () => expect.fail("it asked to wait"),
    });
    expect([addition?.state, row.checkAt, calls.length]).toEqual(["sending", NOW + HOUR_MS, 1]);
  });

  it("is looked for again where looking fails on our side", async () => {
    const { addition, logs } = await added({ add: lost, seen: () => Promise.reject(new Error("a fault of our own")) });
    expect(addition).toMatchObject({ state: "sending" });
    expect(logs[0]).toMatchObject({ level: "error", event: "follow_up_look_failed", platform: "telegram" });
  });

  it("because the call broke off is looked for like any other", async () => {
    const { addition, logs } = await added({ add: () => Promise.reject(new Error("a fault of our own")) });
    expect(addition).toMatchObject({ state: "unknown", detail: `\`playlist\` may not be there: ${BROKE_OFF}` });
    expect(logs[0]).toMatchObject({
      level: "error",
      event: "follow_up_call_failed",
      error: "Error: a fault of our own",
    });
  });

  it("because the object ended is looked for and not made again", async () => {
    const work = [{ ...PLAYLIST, state: "sending", tries: 1 }] as const;
    const { addition, calls } = await added({ seen: async () => ({ is: "added" }) }, { work });
    expect([addition?.state, calls]).toEqual(["done", ["look 77 PL1"]]);
    const blind = await added({}, { work });
    expect([blind.addition?.state, blind.addition?.detail, blind.calls]).toEqual([
      "unknown",
      `\`playlist\` may not be there: ${BROKE_OFF}`,
      [],
    ]);
  });
});
