// The scopes of account keys: what a program may do in all workspaces that a person owns. No scope includes another, and
// none lets a program publish: for that it uses the key of one workspace.
export const ACCOUNT_SCOPES = ["workspaces", "keys", "connect", "read"] as const;
export type AccountScope = (typeof ACCOUNT_SCOPES)[number];
