export const ACTOR_KINDS = ["person", "key", "app", "reviewer"] as const;

/** The person, key or application that acted in a workspace. */
export interface Actor {
  kind: (typeof ACTOR_KINDS)[number];
  /**
   * Id of the user, of the key, or of the application's connection; null for a reviewer, because reviewers have no account.
   */
  id: string | null;
  /** The name at the time, so that it can be read after the person or the key is gone. */
  name: string;
}
