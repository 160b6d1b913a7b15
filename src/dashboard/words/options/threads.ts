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
  quote: {
    label: "Post to quote",
    help: "The address of one of your newest 100 posts, or the ID of any post in the API.",
    group: "more",
  },
  text_attachment: {
    label: "Attached text",
    help: "Up to 10,000 characters below a post without files.",
    group: "more",
  },
  text_spoilers: {
    label: "Hidden phrases",
    help: "Blurred in your text until tapped, separated by commas.",
    group: "more",
  },
  gif: { label: "GIF", help: "The ID of a GIF on GIPHY.", group: "more" },
  ghost: { label: "Ghost post", help: "Ends after 24 hours. Text only.", group: "more" },
  reply_approval: { label: "Approve replies first", group: "more" },
  location_id: { label: "Location", help: "The ID of a place on Threads.", group: "more" },
};
