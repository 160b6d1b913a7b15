import { COVER_IMAGE, FIRST_COMMENT, type NetworkOptions } from "./option-words.ts";

export const FACEBOOK: NetworkOptions = {
  link: { label: "Link preview", help: "For posts without photos or videos.", group: "common" },
  title: { label: "Video title", group: "common" },
  first_comment: FIRST_COMMENT,
  thumbnail_media: COVER_IMAGE,
  video_as: {
    label: "Post video as",
    group: "more",
    values: { auto: "Automatic", feed: "Video", reel: "Reel" },
    unset: "Automatic",
  },
};
