import { FIRST_COMMENT, MADE_WITH_AI, type NetworkOptions } from "./option-words.ts";

export const X: NetworkOptions = {
  tagged_users: { label: "Tagged people", help: "Up to 10 user names, tagged in the photos.", group: "common" },
  sensitive: {
    label: "Sensitive content",
    help: "Shows a warning in front of the photos or the video.",
    group: "more",
    values: { adult_content: "Nudity", graphic_violence: "Violence", other: "Something else" },
  },
  reply_settings: {
    label: "Who can reply",
    group: "common",
    values: {
      everyone: "Everyone",
      following: "Accounts you follow",
      mentionedUsers: "Only accounts you mention",
      subscribers: "Subscribers",
      verified: "Verified accounts",
    },
  },
  first_comment: {
    ...FIRST_COMMENT,
    help: "A reply posted right after your post goes live. X charges for it like a post.",
  },
  made_with_ai: MADE_WITH_AI,
  paid_partnership: { label: "Paid partnership", group: "common" },
  title: { label: "Article title", group: "more", ask: "Add a title for the article." },
  community_id: { label: "Community", help: "The number in the community's address.", group: "more" },
  share_with_followers: { label: "Also show to followers", help: "For posts in a community.", group: "more" },
};
