// What is asked again, and what is not.
import { expect, it } from "vitest";
import { DatabaseAway } from "../../../src/domain/database-fault.ts";
import { refuse } from "../../../src/domain/refusal.ts";
import { untilKnown } from "../../../src/store/db/until-known.ts";

/** What becomes of an act that throws `error` each time, and how often it was tried. */
async function triesOf(error: Error) {
  let tries = 0;
  const act = async () => {
    tries++;
    throw error;
  };
  const thrown = await untilKnown({ pause: async () => {} }, act).catch((thrown) => thrown);
  return { tries, thrown };
}

it("an answer that is lost is asked for again, until the work goes on without it", async () => {
  const { tries, thrown } = await triesOf(new Error("Network connection lost."));
  expect(tries).toBe(7);
  expect(thrown).toBeInstanceOf(DatabaseAway);
});

it("a refusal is no lost answer: its caller reads it at once", async () => {
  const refusal = refuse("unauthorized");
  expect(await triesOf(refusal)).toEqual({ tries: 1, thrown: refusal });
});
