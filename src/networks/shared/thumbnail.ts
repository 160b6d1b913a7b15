// The option that names the image of a video, on every network that has it.
import { MEDIA_ID } from "./media-id.ts";

/** Values of the option are ids of images; `x-media` tells forms so. */
export const thumbnailMedia = MEDIA_ID.optional().meta({
  description: "Id of an image in the library to use as the video's thumbnail, within the rule's `thumbnail` limits.",
  "x-media": "image",
});
