// The option `thumbnail_media` of every network that has it.
import * as z from "zod";

/** Values of the option are ids of images; `x-media` tells forms so. */
export const thumbnailMedia = z
  .string()
  .regex(/^med_[0-9a-z]{26}$/)
  .optional()
  .meta({
    description: "The id of an image of the library that stands for the video, as the rule's `thumbnail` has it.",
    "x-media": "image",
  });
