// The option `captions` of every network that has it: one shape for all, whatever the network calls its members.
import * as z from "zod";
import { MEDIA_ID } from "./media-id.ts";

/** `max`: the rule's `captions.max_files`. */
export const captions = (max: number) =>
  z
    .array(
      z.strictObject({
        lang: z
          .string()
          .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/)
          .meta({ description: "BCP 47 tag of the language, as `en` or `pt-BR`." }),
        file: MEDIA_ID.meta({ description: "Id of a file uploaded with `captions: true`.", "x-media": "captions" }),
      }),
    )
    .min(1)
    .max(max)
    .refine((entries) => new Set(entries.map(({ lang }) => lang.toLowerCase())).size === entries.length, {
      error: "Each language can have one captions file.",
    })
    .optional()
    .meta({ description: "Captions of the video, within the rule's `captions` limits." });
