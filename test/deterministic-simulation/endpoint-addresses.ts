// The addresses that workspaces register as endpoints.

/** The prefix of a workspace's own endpoint, which ends with the workspace's number. */
export const HOOK = "https://hooks.test/crier";
/** A second endpoint that answers 410. */
export const GONE = `${HOOK}/gone`;
/** A second endpoint that answers 500 until it recovers. */
export const FAILING = `${HOOK}/failing`;
