// Every call of every network, answered with everything but what it should be. What must hold: nothing is thrown, nothing is called
// live, gone, taken down or refused that the network did not call so, no credential is replaced by rubbish, and all that comes of an
// answer is short, visible and has an end.
import { describe, expect, it } from "vitest";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { isWhole } from "../support/runs.ts";
import { forgetExchanges } from "./descriptions/recorder.ts";
import { hostileIO, WAYS, type Way } from "./hostile-answers.ts";
import { expectKeepable, type Maker, type Stage, stageOf, WORKS } from "./hostile-works.ts";
import { withSimulators } from "./simulators.ts";

withSimulators();

const CALLS_MAX = 60;
/** Calls of one kind of work that are attacked: what comes after them repeats them. */
const ATTACKED_MAX = 12;
/** `npm test` makes one in so many attacks. */
const STRIDE = 60;

/** Attacks each call of a kind of work, one after the other. Returns how many there were. */
async function attack(stage: Stage, make: Maker, way: Way): Promise<number> {
  let calls = Number.POSITIVE_INFINITY;
  let attacks = 0;
  for (let position = 1; position <= calls; position++) {
    const work = await make(stage);
    const { io: now, count } = hostileIO(stage.network.rule.platform, (called, ask) =>
      called === position ? way.answer(ask) : undefined,
    );
    const io = { ...now, now: () => Date.now() + (work.laterMs ?? 0) };
    const outcome = await work.run(io);
    if (count() < position) break;
    attacks++;
    calls = ATTACKED_MAX;
    expect(count(), "calls").toBeLessThanOrEqual(CALLS_MAX);
    expectKeepable(outcome, io.now());
    await work.judge(outcome, way, position);
  }
  return attacks;
}

const kindsOf = ({ rule }: Network): MediaKind[] => {
  const first: MediaKind = rule.image === null ? "video" : "image";
  return first === "image" && rule.video !== null ? ["image", "video"] : [first];
};

const TABLE = networks.flatMap((network) =>
  kindsOf(network).flatMap((kind, i) =>
    Object.entries(WORKS).flatMap(([name, of]) => {
      const make = of(network);
      const isOfPosts = /prepare|publish|reconcile|recheck|thumbnail/.test(name);
      return make === null || (i > 0 && !isOfPosts) || (name === "thumbnail" && kind === "image")
        ? []
        : [{ platform: network.rule.platform, name, kind, network, make }];
    }),
  ),
);

describe.each(TABLE.map((row, index) => ({ ...row, index })))("$platform: $name ($kind)", (row) => {
  const ways = isWhole ? WAYS : WAYS.filter((_, i) => i % STRIDE === row.index % STRIDE);
  it.each(ways)("$name", async (way) => {
    expect(await attack(await stageOf(row.network, row.kind), row.make, way)).toBeGreaterThanOrEqual(0);
    forgetExchanges();
  });
});
