// How much a property covers in Node: everything in `npm run test:all`, a part of it in `npm test` (-> docs/testing.md).

/** Whether everything is run, as `npm run test:all` does. */
export const isWhole = process.env.CRIER_WHOLE === "1";

/** `whole`, or a third of it. */
export const runsOf = (whole: number): number => (isWhole ? whole : Math.ceil(whole / 3));

/** All of `items`, or every `nth` of them. */
export const everyNth = <Item>(items: readonly Item[], nth: number): Item[] =>
  items.filter((_, i) => isWhole || i % nth === 0);
