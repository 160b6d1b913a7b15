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
  link_card: {
    label: "Link card",
    help: "Only for links to a domain that your business has verified with Facebook.",
    group: "more",
    fields: {
      title: { label: "Title" },
      description: { label: "Description" },
      picture: { label: "Image address" },
    },
  },
  place: { label: "Place", help: "The ID of the place's Facebook Page.", group: "more" },
  targeting: {
    label: "Who can see this",
    group: "more",
    fields: {
      countries: { label: "Countries", help: "Codes such as DE, separated by commas." },
      age_min: { label: "Lowest age", help: "13, 15, 18, 21 or 25." },
    },
  },
  backdated_at: { label: "Date in the timeline", help: "A past time, such as 2024-05-01T12:00:00Z.", group: "more" },
};
