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
  name?: string | null | undefined;
  tags?: string[] | undefined;
}

export interface ImportRow {
  line: number;
  externalId: string | null;
  /**
   * The post in the form of `POST /v1/posts`, with two differences: a channel may also be named by its handle, and files are
   * named by the keys of `files`.
   */
  body: JsonObject;
  /** The files, by the id that `body` uses for each. */
  files: ReadonlyMap<string, NamedFile>;
  /** The violations found before the row is judged as a post. */
  broken: Violation[];
}

/** The rows of a file. `channelNames` has the file's name for each channel, by the channel's exported id. */
export interface ImportFile {
  isCsv: boolean;
  rows: ImportRow[];
  channelNames: ReadonlyMap<string, string>;
}
