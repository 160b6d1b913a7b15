import { COVER_FRAME, FIRST_COMMENT, MADE_WITH_AI, type NetworkOptions } from "./option-words.ts";

export const INSTAGRAM: NetworkOptions = {
  first_comment: FIRST_COMMENT,
  collaborators: { label: "Collaborators", help: "Up to 3 usernames, separated by commas.", group: "common" },
  thumb_offset_ms: { ...COVER_FRAME, shows: "seconds" },
  share_to_feed: { label: "Show reel in feed", group: "common", unset: "Default (yes)" },
  ai_generated: MADE_WITH_AI,
  location_id: { label: "Location", help: "The ID of the place's Facebook Page.", group: "more" },
  trial_reel: {
    label: "Trial reel",
    help: "Shown first to people who don't follow you.",
    group: "more",
    values: { manual: "Share with followers yourself", performance: "Share with followers if it does well" },
    unset: "Off",
  },
};
