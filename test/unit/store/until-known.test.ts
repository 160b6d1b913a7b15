import { expect, it } from "vitest";
import { DatabaseAway } from "../../../src/domain/database-fault.ts";
import { refuse } from "../../../src/domain/refusal.ts";
import { untilKnown } from "../../../src/store/db/until-known.ts";

/** Runs an act that always throws `error`, and returns the number of tries and the final error. */
async function countTries(error: Error) {
  let tries = 0;
  const act = async () => {
    tries++;
    throw error;
  };
  const thrown = await untilKnown({ pause: async () => {} }, act).catch((thrown) => thrown);
  return { tries, thrown };
}

it("an act with a lost answer is repeated a number of times, and then fails as an unavailable database", async () => {
  const { tries, thrown } = await countTries(new Error("Network connection lost."));
  expect(tries).toBe(7);
  expect(thrown).toBeInstanceOf(DatabaseAway);
});

it("an act that is refused is not repeated", async () => {
  const refusal = refuse("unauthorized");
  expect(await countTries(refusal)).toEqual({ tries: 1, thrown: refusal });
});
