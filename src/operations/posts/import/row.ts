// A row of a file before it becomes a post.
import type { JsonObject } from "../../../domain/json.ts";
import type { MediaKind } from "../../../domain/posts/platform-rule.ts";
import type { Violation } from "../../../domain/refusal.ts";
import type { NewStatus } from "../create.ts";
import type { PostBody } from "../read-for-check.ts";

/** Decides the status of a row's post. */
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
  /**
   * In the form of `POST /v1/posts`, except that it may also name a channel by its handle, and names files by the keys
   * of `files`.
   */
  body: JsonObject;
  /** By the id under which `body` names them. */
  files: ReadonlyMap<string, NamedFile>;
  /** The violations found before the row is judged as a post. */
  broken: Violation[];
}

/** The rows of a file, with its names for channels: the channel's name by its exported id. */
export interface ImportFile {
  isCsv: boolean;
  rows: ImportRow[];
  channelNames: ReadonlyMap<string, string>;
}
