/** What the option `first_comment` of every network that has it does. */
export const FIRST_COMMENT =
  "A comment under the post, by the same account, once the post is live. It is made at most once, and its failure never " +
  "fails the delivery, whose `first_comment` says what became of it.";
