/** Functions that after-each-test.ts calls at the end of each test. */
export const whenATestEnds = new Set<() => void>();
