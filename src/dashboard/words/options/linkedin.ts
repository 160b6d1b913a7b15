import { CAPTIONS_FILES, COVER_IMAGE, FIRST_COMMENT, type NetworkOptions } from "./option-words.ts";

export const LINKEDIN: NetworkOptions = {
  visibility: {
    label: "Who can see this",
    help: "Pages always post to anyone.",
    group: "common",
    values: { PUBLIC: "Anyone", CONNECTIONS: "Connections only", LOGGED_IN: "Signed-in members" },
  },
  first_comment: FIRST_COMMENT,
  article: {
    label: "Article link",
    group: "common",
    ask: "Add the article's link and title.",
    fields: { source: { label: "Link" }, title: { label: "Title" }, description: { label: "Description" } },
  },
  thumbnail_media: COVER_IMAGE,
  captions: CAPTIONS_FILES,
  document_title: { label: "Document title", help: "Shown above its pages.", group: "more" },
  media_title: { label: "Media title", help: "For a single image or video.", group: "common" },
  reshare: { label: "Post to repost", help: "The address from LinkedIn’s “Embed this post”.", group: "more" },
  disable_reshare: { label: "Turn off reposts", group: "more" },
};
