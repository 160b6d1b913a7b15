// How many cases a property tests in Node: all in `npm run test:all`, some in `npm test` (-> docs/testing.md).

/** Whether all cases run, as in `npm run test:all`. */
export const isWhole = process.env.CRIER_WHOLE === "1";

/** Returns `whole`, or a third of it in a shorter run. */
export const countRuns = (whole: number): number => (isWhole ? whole : Math.ceil(whole / 3));

/** Returns all `items`, or every `nth` of them in a shorter run. */
export const everyNth = <Item>(items: readonly Item[], nth: number): Item[] =>
  items.filter((_, i) => isWhole || i % nth === 0);
