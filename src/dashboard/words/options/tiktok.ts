import { COVER_FRAME, MADE_WITH_AI, type NetworkOptions } from "./option-words.ts";

export const TIKTOK: NetworkOptions = {
  privacy_level: {
    label: "Who can see this",
    group: "required",
    ask: "Choose who can see this.",
    askButton: "Choose audience",
    values: {
      PUBLIC_TO_EVERYONE: "Everyone",
      MUTUAL_FOLLOW_FRIENDS: "Friends",
      FOLLOWER_OF_CREATOR: "Followers",
      SELF_ONLY: "Only you",
    },
  },
  post_mode: {
    label: "How to post",
    help: "A draft waits in the TikTok app. Drafts of videos come without text.",
    group: "common",
    values: { direct: "Post directly", inbox: "Send as a draft to the TikTok app" },
    unset: "Default (post directly)",
  },
  disable_comment: { label: "Turn off comments", group: "common", unset: "Default (yes)" },
  cover_timestamp_ms: { ...COVER_FRAME, shows: "seconds" },
  photo_title: { label: "Photo title", group: "common" },
  is_aigc: MADE_WITH_AI,
  brand_content: {
    label: "Paid partnership",
    help: "You're promoting someone else. The post can't be for only you.",
    group: "more",
  },
  brand_organic: { label: "Your brand", help: "You're promoting your own business.", group: "more" },
  disable_duet: { label: "Turn off Duet", group: "more", unset: "Default (yes)" },
  disable_stitch: { label: "Turn off Stitch", group: "more", unset: "Default (yes)" },
  photo_description: {
    label: "Photo description",
    help: "Replaces the post's text, up to 4,000 characters.",
    group: "more",
  },
  photo_cover_index: { label: "Cover photo", help: "Its position, starting at 1.", group: "more", shows: "position" },
  auto_add_music: { label: "Add music automatically", group: "more", unset: "Default (no)" },
};
