// The columns of a CSV import: the fields of a post that a cell can hold, and further columns of a row.
import { POST_FIELD_NAMES, POST_FIELDS, type PostFieldName } from "./post-fields.ts";

const FIELDS = POST_FIELD_NAMES.filter((name) => POST_FIELDS[name].cell !== null);
/** The publishing time, whether the post is a draft, the addresses and alt texts of files, and the caller's own id. */
const FURTHER = ["publish_at", "draft", "media_urls", "alt", "external_id"];

export const IMPORT_COLUMNS: readonly string[] = [...FIELDS, ...FURTHER];

/** The kind of cell in a column. A column that is not a field of a post holds one word. */
export function readCellKind(name: string): "text" | "word" | "list" {
  const isField = (field: PostFieldName) => field === name;
  const field = FIELDS.find(isField);
  return (field === undefined ? null : POST_FIELDS[field].cell) ?? "word";
}
