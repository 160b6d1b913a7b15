// Parameters that are added to the links of posts.
import * as z from "zod";
import { LINK_TAG_DOMAINS_MAX, LINK_TAG_VALUE_LENGTH_MAX, LINK_TAGS_MAX } from "../domain/limits.ts";
import { hasKnownPlaceholders, PLACEHOLDERS, TAG_NAME } from "../domain/posts/link-tags.ts";
import { about, text } from "./shapes.ts";

const placeholders = PLACEHOLDERS.map((name) => `\`{${name}}\``).join(", ");
const domain = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i);

/** As in calls. */
export const LinkTagsInput = z
  .strictObject({
    parameters: z
      .record(
        z.string().regex(TAG_NAME),
        text(LINK_TAG_VALUE_LENGTH_MAX).refine(hasKnownPlaceholders, { error: `The placeholders are ${placeholders}` }),
      )
      .refine((map) => Object.keys(map).length <= LINK_TAGS_MAX, { error: `At most ${LINK_TAGS_MAX} parameters` })
      .meta(about(`By name, such as \`utm_source\`. Placeholders: ${placeholders}.`)),
    domains: z
      .array(domain)
      .max(LINK_TAG_DOMAINS_MAX)
      .nullish()
      .meta(about("Only links to these hosts and their subdomains. Null: all links.")),
  })
  .meta({ id: "LinkTagsInput" });

/** As in answers. */
export const LinkTags = z
  .object({
    parameters: z.record(z.string(), z.string()),
    domains: z.array(z.string()).nullable(),
  })
  .meta({ id: "LinkTags", description: "Parameters that are added to links with `http://` or `https://`." });
