// How many cases a test in Node runs.
import { makeEveryNth, readExtent } from "./extent.ts";

const extent = readExtent(process.env.CRIER_EXTENT);

/** Whether the expensive cases run, too. */
export const isExtensive = extent !== "sample";
/** Whether everything runs, which takes hours. */
export const isWhole = extent === "whole";

/** Returns `whole`, or a third of it in a sample. */
export const countRuns = (whole: number): number => (isExtensive ? whole : Math.ceil(whole / 3));

export const everyNth = makeEveryNth(extent);
