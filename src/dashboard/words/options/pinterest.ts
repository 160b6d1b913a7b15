import { COVER_FRAME, COVER_IMAGE, type NetworkOptions } from "./option-words.ts";

export const PINTEREST: NetworkOptions = {
  board: { label: "Board", group: "required", ask: "Choose a board.", askButton: "Choose board" },
  link: {
    label: "Link",
    group: "required",
    ask: "Add a link, or choose to post without one.",
    askButton: "Add link",
    none: "Post without a link",
  },
  title: { label: "Title", group: "common" },
  board_section: { label: "Board section", group: "common", unset: "None" },
  cover_frame_seconds: COVER_FRAME,
  cover_media: COVER_IMAGE,
};
