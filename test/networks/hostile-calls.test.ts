// Answers every call of every network with hostile answers. Nothing may be thrown; nothing may be reported as live,
// gone, taken down or refused unless the network said so; no credential may be replaced by garbage; and every part of
// an answer that is kept is short, visible and finite.
import { describe, expect, it } from "vitest";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { networks } from "../../src/networks/index.ts";
import type { Network } from "../../src/networks/network.ts";
import { everyNth } from "../support/runs.ts";
import { forgetExchanges } from "./descriptions/recorder.ts";
import { HOSTILE_ANSWERS, type HostileAnswer, hostileIO } from "./hostile-answers.ts";
import { createStage, expectKeepable, type Maker, type Stage, WORKS } from "./hostile-works.ts";
import { withSimulators } from "./simulators.ts";

withSimulators();

const CALLS_MAX = 60;
/** The number of calls of one kind of work that are attacked. Later calls repeat the earlier ones. */
const ATTACKED_MAX = 12;
/** `npm test` runs one in sixty attacks, and `npm run test:all` one in sixteen. */
const STEPS = { sample: 60, most: 16 };

/** Attacks the calls of a kind of work, one after the other. Returns the number of attacks. */
async function attack(stage: Stage, make: Maker, hostileAnswer: HostileAnswer): Promise<number> {
  let calls = Number.POSITIVE_INFINITY;
  let attacks = 0;
  for (let position = 1; position <= calls; position++) {
    const work = await make(stage);
    const { io: realIO, count } = hostileIO(stage.network.rule.platform, (called, ask) =>
      called === position ? hostileAnswer.answer(ask) : undefined,
    );
    const io = { ...realIO, now: () => Date.now() + (work.laterMs ?? 0) };
    const outcome = await work.run(io);
    if (count() < position) break;
    attacks++;
    calls = ATTACKED_MAX;
    expect(count(), "calls").toBeLessThanOrEqual(CALLS_MAX);
    expectKeepable(outcome, io.now());
    await work.judge(outcome, hostileAnswer, position);
  }
  return attacks;
}

const listKinds = ({ rule }: Network): MediaKind[] => {
  const first: MediaKind = rule.image === null ? "video" : "image";
  return first === "image" && rule.video !== null ? ["image", "video"] : [first];
};

const TABLE = networks.flatMap((network) =>
  listKinds(network).flatMap((kind, i) =>
    Object.entries(WORKS).flatMap(([name, createMaker]) => {
      const make = createMaker(network);
      const isAboutPosts = /prepare|publish|reconcile|recheck|thumbnail/.test(name);
      return make === null || (i > 0 && !isAboutPosts) || (name === "thumbnail" && kind === "image")
        ? []
        : [{ platform: network.rule.platform, name, kind, network, make }];
    }),
  ),
);

describe.each(TABLE.map((row, index) => ({ ...row, index })))("$platform: $name ($kind)", (row) => {
  const answers = everyNth(HOSTILE_ANSWERS, { ...STEPS, first: row.index });
  it.each(answers)("reports nothing false and keeps nothing harmful for $name", async (hostileAnswer) => {
    expect(await attack(await createStage(row.network, row.kind), row.make, hostileAnswer)).toBeGreaterThanOrEqual(0);
    forgetExchanges();
  });
});
