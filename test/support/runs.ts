// How many runs a property has in Node: the whole number in `npm run test:all`, a part of it in `npm test` (-> docs/testing.md).

/** `whole`, or a third of it. */
export const runsOf = (whole: number): number => (process.env.CRIER_WHOLE === "1" ? whole : Math.ceil(whole / 3));
