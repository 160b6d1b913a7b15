// The addresses that workspaces register endpoints with.

/** That of a workspace is under it, by the workspace's number. */
export const HOOK = "https://hooks.test/crier";
/** Beside that of a workspace: it answers 410. */
export const GONE = `${HOOK}/gone`;
/** Another, which answers 500 until it recovers. */
export const FAILING = `${HOOK}/failing`;
