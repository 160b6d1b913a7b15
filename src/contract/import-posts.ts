import * as z from "zod";
import { IMPORT_ROWS_MAX } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { Post } from "./post-shapes.ts";
import { Violation } from "./refusals.ts";
import { SAMPLE } from "./samples.ts";
import { about, switchedOn } from "./shapes.ts";

export const CSV = "text/csv";
const NDJSON = "application/x-ndjson";

const ImportedRow = z
  .object({
    line: z.int().meta(about("The line of the file where the row begins, counted from 1.")),
    external_id: z.string().nullable().meta(about("Your own id for the row, stored in the post's `metadata`.")),
    valid: z.boolean(),
    violations: z.array(
      Violation.extend({ column: z.string().optional().meta(about("The column of a CSV file.")) }).meta({
        id: "ImportViolation",
        description: "One broken rule of a row.",
      }),
    ),
    post: Post.nullable().meta(about("The post created from the row; null if there is none.")),
  })
  .meta({ id: "ImportedRow" });

export const importPosts = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/import",
  auth: "key_or_session",
  ability: ["publish", "draft"],
  tag: "Posts",
  summary: "Import posts from a file",
  description:
    `Up to ${IMPORT_ROWS_MAX} posts and 1 MiB: CSV with the documented columns, or one post as JSON per line. Every row is checked. ` +
    "Posts are created only if all rows are valid, or, with `partial=true`, from the valid rows. A repeat with the same `Idempotency-Key` " +
    "creates only the missing posts.",
  query: z.object({ dry_run: switchedOn, partial: switchedOn }),
  body: z.strictObject({ type: z.enum([CSV, NDJSON]), text: z.string() }),
  fileTypes: [CSV, NDJSON],
  result: z
    .object({
      rows: z.array(ImportedRow),
      valid: z.int().meta(about("The number of rows that break no rule.")),
      invalid: z.int(),
      created: z
        .int()
        .meta(about("The number of rows with a post, created by this call or an earlier one with the same key.")),
    })
    .meta({
      id: "Imported",
      examples: [
        {
          rows: [
            {
              line: 2,
              external_id: "A-17",
              valid: false,
              violations: [
                {
                  code: "publish_at_in_past",
                  field: "/publish_at",
                  column: "publish_at",
                  message: "`publish_at` is 2026-11-01T09:00:00.000Z, and now it is 2026-11-22T09:00:00Z.",
                },
              ],
              post: null,
            },
          ],
          valid: 0,
          invalid: 1,
          created: 0,
        },
      ],
    }),
  success: { 200: "The violations and the created post of each row." },
  refusals: [
    "content_type_not_allowed",
    "malformed_file",
    "unknown_field",
    "too_many_rows",
    "plan_limit",
    "rate_limited",
    "idempotency_key_invalid",
    "idempotency_key_reused",
  ],
  idempotent: true,
  examples: {
    "A spreadsheet": { type: CSV, text: `text,channels,publish_at\nHello,${SAMPLE.channel},2026-12-01T09:00:00Z\n` },
    "A post a line": { type: NDJSON, text: `{"text":"Hello","channels":["${SAMPLE.channel}"]}\n` },
  },
});
