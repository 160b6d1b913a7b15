// Every file outside the store that ends rights, with its acts. test/unit/acts-that-end-rights.test.ts finds these files in the
// source, and test/worker-databases/rights-epoch.test.ts carries out each act.

/** Each act completes the sentence "once a person ...". */
export const ACTS_BY_FILE = {
  "src/operations/account-keys/revoke.ts": ["revokes an account key"],
  "src/operations/accounts/change-password.ts": ["changes their password"],
  "src/operations/accounts/enter-with-idp.ts": [
    "proves the address by a sign-in provider",
    "signs in by a sign-in provider with as many sessions as there may be",
  ],
  "src/operations/accounts/erase.ts": ["erases their account"],
  "src/operations/accounts/reset.ts": ["resets their password by mail"],
  "src/operations/accounts/sessions.ts": ["ends a session of their own"],
  "src/operations/accounts/sign-in.ts": ["signs in with as many sessions as there may be"],
  "src/operations/accounts/sign-out.ts": ["signs out"],
  "src/operations/factors/confirm.ts": ["sets up their first factor"],
  "src/operations/factors/prove.ts": ["signs in by a factor with as many sessions as there may be"],
  "src/operations/keys/revoke.ts": ["revokes a key"],
  "src/operations/members/change-role.ts": ["makes a member a viewer"],
  "src/operations/members/remove.ts": ["removes a member"],
  "src/operations/members/reset-factors.ts": ["has their factor reset"],
  "src/operations/oauth/authorization.ts": ["connects an application again"],
  "src/operations/oauth/connections.ts": ["disconnects an application"],
  "src/operations/oauth/tokens.ts": [
    "uses an application that revokes its token",
    "uses an application whose code is used twice",
  ],
  "src/operations/workspaces/rotate-key.ts": ["rotates the workspace's key"],
} as const;

type ActFile = keyof typeof ACTS_BY_FILE;
export type ActName = (typeof ACTS_BY_FILE)[ActFile][number];

/** Files whose statements fire such a trigger although they end no rights that a call may still use. */
export const NO_ACTS: Record<string, string> = {
  "src/maintenance/sweep.ts": "deletes sessions and grants that have expired; their triggers skip them",
  "src/operations/accounts/sign-up.ts": "begins the first session of a person, so no session is surplus",
  "src/operations/workspaces/take-ownership.ts": "a member gets a larger role",
};
