import * as z from "zod";
import { LABEL_LENGTH_MAX, LABELS_PER_POST_MAX, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { about, cursor, limit, line, page } from "./shapes.ts";

export const labels = z
  .array(line(LABEL_LENGTH_MAX))
  .max(LABELS_PER_POST_MAX)
  .refine((names) => new Set(names).size === names.length, { error: "A label is given twice" })
  .meta({
    description: `Your own labels to find posts by. At most ${LABELS_PER_POST_MAX}.`,
    examples: [["winter"]],
  });

const Label = z
  .object({ name: z.string(), posts: z.int().meta(about("The number of posts with this label, including drafts.")) })
  .meta({ id: "Label", examples: [{ name: "winter", posts: 12 }] });

export const listLabels = operation({
  ...plain,
  method: "GET",
  path: "/v1/labels",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "List the workspace's labels, by name",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("labels", Label),
  success: { 200: "A page of labels." },
  refusals: ["unreadable_cursor"],
});
