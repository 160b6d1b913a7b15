/** Called when a test ends: see after-each-test.ts. */
export const whenATestEnds = new Set<() => void>();
