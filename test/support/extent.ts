// How many cases a suite runs (-> docs/testing.md): a sample in `npm test`, most in `npm run test:all`, and the whole suite in
// `npm run test:nightly`.

const EXTENTS = ["sample", "most", "whole"] as const;
export type Extent = (typeof EXTENTS)[number];

/** The extent in the environment; a suite that is started in another way runs a sample. */
export const readExtent = (value: string | undefined): Extent => EXTENTS.find((extent) => extent === value) ?? "sample";

/** The step of a sample, and of `npm run test:all` (by default 1), and the index at which both begin. */
interface Steps {
  sample: number;
  most?: number;
  first?: number;
}

/** Returns the function that chooses every so many items of a list, by the extent of the run. */
export const makeEveryNth =
  (extent: Extent) =>
  <Item>(items: readonly Item[], { sample, most = 1, first = 0 }: Steps): Item[] => {
    const step = { sample, most, whole: 1 }[extent];
    return items.filter((_, i) => i % step === first % step);
  };
