import { FIRST_COMMENT, type NetworkOptions } from "./option-words.ts";

export const THREADS: NetworkOptions = {
  topic_tag: { label: "Topic", group: "common" },
  reply_control: {
    label: "Who can reply",
    group: "common",
    values: {
      everyone: "Anyone",
      accounts_you_follow: "Profiles you follow",
      mentioned_only: "Mentioned profiles only",
      parent_post_author_only: "Only the author of the original post",
      followers_only: "Your followers only",
    },
  },
  first_comment: FIRST_COMMENT,
  link_attachment: { label: "Link preview", help: "For posts without photos or videos.", group: "common" },
  spoiler: { label: "Blur media until tapped", group: "common" },
  location_id: { label: "Location", help: "The ID of a place on Threads.", group: "more" },
};
