import type { FeedProblem } from "../../domain/feeds/feed.ts";

/** What went wrong at a feed's last read. */
export const FEED_PROBLEM_WORDS: Record<FeedProblem, string> = {
  unreachable: "The feed didn't answer at its last check.",
  not_a_feed: "There is no RSS or Atom feed at this address any more.",
  too_large: "The feed is too large to read.",
  not_public: "The feed leads to an address that isn't public.",
  maker_gone: "The person or key that set it up can't post here any more.",
  refused: "An item couldn't be saved, not even as a draft.",
  kept_as_draft: "An item didn't fit its channels, so it's kept as a draft without channels.",
};
