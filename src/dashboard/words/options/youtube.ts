import { CAPTIONS_FILES, COVER_IMAGE, FIRST_COMMENT, type NetworkOptions } from "./option-words.ts";

export const YOUTUBE: NetworkOptions = {
  title: { label: "Title", group: "required", ask: "Add a title.", askButton: "Add title" },
  made_for_kids: {
    label: "Made for kids",
    help: "YouTube requires an answer by law.",
    group: "required",
    ask: "Say whether this video is made for kids.",
    askButton: "Answer",
  },
  privacy: {
    label: "Visibility",
    group: "common",
    values: { public: "Public", unlisted: "Unlisted", private: "Private" },
    unset: "Default (public)",
  },
  thumbnail_media: COVER_IMAGE,
  captions: CAPTIONS_FILES,
  playlist: { label: "Playlist", group: "common", unset: "None" },
  tags: { label: "Tags", help: "Separated by commas, 500 characters in total.", group: "common" },
  first_comment: {
    ...FIRST_COMMENT,
    help: "Posted right after your video goes live. Not for private videos or videos made for kids.",
    group: "more",
  },
  language: { label: "Language", help: "A language code, such as en or pt-BR.", group: "more" },
  recorded_at: { label: "Recording date", help: "As 2026-11-20.", group: "more" },
  category_id: { label: "Category", group: "more", unset: "Default (People & Blogs)" },
  notify_subscribers: { label: "Notify subscribers", group: "more", unset: "Default (yes)" },
  contains_synthetic_media: {
    label: "Made with AI",
    help: "Realistic people, places or events that were altered or generated.",
    group: "more",
  },
  paid_promotion: { label: "Paid promotion", group: "more" },
  license: {
    label: "License",
    group: "more",
    values: { youtube: "Standard YouTube license", creativeCommon: "Creative Commons" },
    unset: "Default (standard)",
  },
  embeddable: { label: "Allow embedding", group: "more", unset: "Default (yes)" },
};
