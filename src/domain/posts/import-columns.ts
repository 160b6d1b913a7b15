// The columns of a CSV import: the fields of a post that a cell can hold, and what else a row says.
import { POST_FIELD_NAMES, POST_FIELDS, type PostFieldName } from "./post-fields.ts";

const FIELDS = POST_FIELD_NAMES.filter((name) => POST_FIELDS[name].cell !== null);
/** When and whether the post goes out, files by their addresses with their alt texts, and the row's own name. */
const FURTHER = ["publish_at", "draft", "media_urls", "alt", "external_id"];

export const IMPORT_COLUMNS: readonly string[] = [...FIELDS, ...FURTHER];

/** What a cell of a column holds. A column that is no field of a post holds one word. */
export function readCellKind(name: string): "text" | "word" | "list" {
  const isField = (field: PostFieldName) => field === name;
  const field = FIELDS.find(isField);
  return (field === undefined ? null : POST_FIELDS[field].cell) ?? "word";
}
