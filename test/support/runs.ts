// How many cases a test in Node runs (-> docs/testing.md): a sample in `npm test`, most in `npm run test:all`, and all in
// `npm run test:nightly`.

const { CRIER_EXTENT: extent } = process.env;

/** Whether the expensive cases run, too. */
export const isWhole = extent === "most" || extent === "whole";
/** Whether every case runs, as in `npm run test:nightly`. */
export const isNightly = extent === "whole";

/** Returns `whole`, or a third of it in a sample. */
export const countRuns = (whole: number): number => (isWhole ? whole : Math.ceil(whole / 3));

/** Returns every item of a nightly run; otherwise every `nth` of them in a sample, and every `nthOfMost` in other runs. */
export const everyNth = <Item>(items: readonly Item[], nth: number, nthOfMost = 1): Item[] => {
  const stepOfDay = isWhole ? nthOfMost : nth;
  const step = isNightly ? 1 : stepOfDay;
  return items.filter((_, i) => i % step === 0);
};
