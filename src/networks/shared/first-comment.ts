/** The description of the option `first_comment` on every network that has it. */
export const FIRST_COMMENT =
  "A comment under the post, by the same account, once the post is live. It is made at most once, and its failure never " +
  "fails the delivery, whose `first_comment` says what became of it.";
