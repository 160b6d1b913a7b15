/** The description of the option `first_comment` on every network that has it. */
export const FIRST_COMMENT =
  "A comment under the post, by the same account, once the post is live. It is posted at most once, and its failure never " +
  "fails the delivery. The delivery's `first_comment` has its outcome.";
