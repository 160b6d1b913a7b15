// Converts the files of imported rows that ask for it, in the same way as for any other post.
import type { Context } from "../../../context.ts";
import type { SentFile } from "../../../domain/posts/sent-file.ts";
import { Refusal, type Violation, violation } from "../../../domain/refusal.ts";
import { adaptFiles } from "../adapt-files.ts";
import { listFiles } from "../planned-files.ts";
import type { JudgedRow } from "./judge.ts";
import type { StatusOf } from "./row.ts";

/** How many conversions one import may make. The limit is low because the caller waits for them. */
const CONVERSIONS_MAX = 100;

export interface AdaptedRows<Row> {
  rows: Row[];
  /** For each row whose files are adapted, the files that are published. */
  sentFiles: Map<JudgedRow["row"], SentFile[]>;
}

interface Adapting {
  statusOf: StatusOf;
  /** Deletes the files that were stored ahead of their posts, except `kept`. */
  forget(keptIds: ReadonlySet<string>): Promise<void>;
}

/**
 * Marks rows whose files cannot be converted as invalid. For any other error, deletes the files that the import stored, and
 * throws the error.
 */
export async function adaptRows<Row extends JudgedRow>(
  ctx: Context,
  rows: Row[],
  { statusOf, forget }: Adapting,
): Promise<AdaptedRows<Row>> {
  try {
    return await adaptEach(ctx, rows, statusOf);
  } catch (error) {
    await forget(new Set());
    throw error;
  }
}

async function adaptEach<Row extends JudgedRow>(
  ctx: Context,
  rows: Row[],
  statusOf: StatusOf,
): Promise<AdaptedRows<Row>> {
  const sentFiles: AdaptedRows<Row>["sentFiles"] = new Map();
  const adapted: Row[] = [];
  let conversions = 0;
  for (const row of rows) {
    const { valid } = row;
    if (valid === null || valid.body.media_fit !== "adapt" || statusOf(valid.body) === "draft") {
      adapted.push(row);
      continue;
    }
    conversions += listFiles(valid.checked).filter(({ plan }) => plan !== null).length;
    const violations = conversions > CONVERSIONS_MAX ? [tooMany()] : await adaptRow(ctx, row, sentFiles);
    adapted.push(violations.length === 0 ? row : { ...row, violations, valid: null });
  }
  return { rows: adapted, sentFiles };
}

const tooMany = () =>
  violation("media_format_not_allowed", {
    field: "/media_fit",
    message: `One import converts at most ${CONVERSIONS_MAX} files.`,
    hint: "Import the rows in several files.",
  });

async function adaptRow(
  ctx: Context,
  { row, valid }: JudgedRow,
  sentFiles: AdaptedRows<JudgedRow>["sentFiles"],
): Promise<Violation[]> {
  if (valid === null) return [];
  try {
    sentFiles.set(row, await adaptFiles(ctx, valid.checked));
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.detail.violations === undefined) throw error;
    return error.detail.violations;
  }
}
