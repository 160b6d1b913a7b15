/** The number of the last migration that may still be rewritten, because nothing has been deployed yet. */
export const BASELINE = 1;
