/**
 * The accepted versions of the Graph API. A call with an expired version gets the oldest available one; only a version that
 * never existed is refused: docs/graph-api/guides/versioning and changelog (v27.0 of 2026-11-04 is the newest), read
 * 2026-11-25.
 */
export const GRAPH_VERSIONS = /^v(?:[1-9]|1\d|2[0-7])\.\d{1,2}$/;
