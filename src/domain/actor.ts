export const ACTOR_KINDS = ["person", "key", "app", "reviewer"] as const;

/** Who did something in a workspace. */
export interface Actor {
  kind: (typeof ACTOR_KINDS)[number];
  /** Of the user, the key or the connection of the application; null: a reviewer, who has no account. */
  id: string | null;
  /** As it was then: it can be read when the person or the key is gone. */
  name: string;
}
