import { COVER_FRAME, COVER_IMAGE, FIRST_COMMENT, MADE_WITH_AI, type NetworkOptions } from "./option-words.ts";

export const INSTAGRAM: NetworkOptions = {
  first_comment: FIRST_COMMENT,
  collaborators: { label: "Collaborators", help: "Up to 3 usernames, separated by commas.", group: "common" },
  thumb_offset_ms: { ...COVER_FRAME, shows: "seconds" },
  cover_media: COVER_IMAGE,
  user_tags: {
    label: "Tagged people",
    help: "Their accounts must be public. Positions are from 0 (left, top) to 1.",
    group: "common",
    fields: {
      username: { label: "Username" },
      x: { label: "From the left" },
      y: { label: "From the top" },
      file: { label: "On file", help: "Its position, starting at 0." },
    },
  },
  comments: { label: "Allow comments", group: "more", unset: "Default (yes)" },
  share_to_feed: { label: "Show reel in feed", group: "more", unset: "Default (yes)" },
  ai_generated: MADE_WITH_AI,
  paid_partnership: { label: "Paid partnership", group: "more" },
  sponsors: { label: "Brand partners", help: "The IDs of up to 2 Instagram accounts.", group: "more" },
  audio_name: { label: "Audio name", help: "A name for the reel's own audio.", group: "more" },
  location_id: { label: "Location", help: "The ID of the place's Facebook Page.", group: "more" },
  trial_reel: {
    label: "Trial reel",
    help: "Shown first to people who don't follow you.",
    group: "more",
    values: { manual: "Share with followers yourself", performance: "Share with followers if it does well" },
    unset: "Off",
  },
};
