// A row of a file on its way to a post.
import type { JsonObject } from "../../../domain/json.ts";
import type { MediaKind } from "../../../domain/posts/platform-rule.ts";
import type { Violation } from "../../../domain/refusal.ts";
import type { NewStatus } from "../create.ts";
import type { PostBody } from "../read-for-check.ts";

/** What becomes of a row's post. */
export type StatusOf = (body: PostBody) => NewStatus;

/** A file that a row names by its address. */
export interface NamedFile {
  url: string;
  kind: MediaKind;
  alt: string | null;
}

export interface ImportRow {
  line: number;
  externalId: string | null;
  /** As `POST /v1/posts` takes it, except that a channel may be named by its handle too, and files by what stands in `files`. */
  body: JsonObject;
  /** By the id under which `body` names them. */
  files: ReadonlyMap<string, NamedFile>;
  /** What is wrong with the row before it is judged as a post. */
  broken: Violation[];
}

/** The rows of a file, with the names that stand in it for channels: an exported id, by what the channel is called. */
export interface ImportFile {
  isCsv: boolean;
  rows: ImportRow[];
  channelNames: ReadonlyMap<string, string>;
}
