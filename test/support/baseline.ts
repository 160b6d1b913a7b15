/** The last migration of those that were written anew before anything was deployed. */
export const BASELINE = 1;
