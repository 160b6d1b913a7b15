// The brand on the pages for clients: connect links, review links, portals and reports.
import * as z from "zod";
import { PAGE_LANGUAGES } from "../domain/brand.ts";
import { SAMPLE } from "./samples.ts";
import { about, id, name } from "./shapes.ts";

const accent = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i)
  .transform((value) => value.toLowerCase());
const language = z.enum(PAGE_LANGUAGES);

/** The brand of a page, as callers set it. */
export const BrandInput = z
  .strictObject({
    name: name.nullable().optional().meta(about("Your name, shown on the page.")),
    logo_media: id
      .nullable()
      .optional()
      .meta(
        about("An uploaded image. While a page that shows it is open, the file cannot be deleted and does not expire."),
      ),
    accent: accent.nullable().optional().meta(about("The colour of buttons, as `#rrggbb`.")),
    language: language.optional(),
  })
  .meta({
    id: "BrandInput",
    examples: [{ name: "Ada & Co.", logo_media: SAMPLE.media, accent: "#0b57d0", language: "en" }],
  });

/** The brand of a page, as it is stored. */
export const Brand = z
  .object({
    name: z.string().nullable(),
    logo_media: id.nullable(),
    accent: z.string().nullable(),
    language,
  })
  .meta({
    id: "Brand",
    examples: [{ name: "Ada & Co.", logo_media: SAMPLE.media, accent: "#0b57d0", language: "en" }],
  });

/** The brand of a page, as its visitors see it. */
export const ShownBrand = z
  .object({
    name: z.string().nullable(),
    logo_url: z.string().nullable(),
    accent: z.string().nullable(),
    language,
  })
  .meta({ id: "ShownBrand", examples: [{ name: "Ada & Co.", logo_url: null, accent: "#0b57d0", language: "en" }] });
