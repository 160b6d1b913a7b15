// The option `first_comment`: a comment that is written under the live post.

/** The comment that a channel's override asks for, or null. */
export function findFirstComment(override: Record<string, unknown> | undefined): string | null {
  const text = override?.first_comment;
  return typeof text === "string" ? text : null;
}
