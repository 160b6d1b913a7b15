// Reads a post's JSON per line: in the form of `POST /v1/posts`, or as another workspace exported it, with lines that
// explain its ids.
import * as z from "zod";
import { ExportedLine } from "../../../contract/export.ts";
import { registerMedia } from "../../../contract/media.ts";
import { isObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { IMPORT_ROWS_MAX } from "../../../domain/limits.ts";
import { VISUAL_KINDS } from "../../../domain/posts/platform-rule.ts";
import { POST_FIELD_NAMES } from "../../../domain/posts/post-fields.ts";
import { Refusal, refuse, violation } from "../../../domain/refusal.ts";
import { parseJson, refuseUnwritable } from "../../parse-json.ts";
import type { ImportFile, ImportRow, NamedFile } from "./row.ts";

const ExportedChannel = z.object({
  type: z.literal("channel"),
  id: z.string(),
  platform: z.string(),
  handle: z.string(),
});
const { name, tags } = registerMedia.body.shape;
/** No post depends on a file's name and tags, so invalid ones are left out. */
const ExportedMedia = z.object({
  type: z.literal("media"),
  id: z.string(),
  url: z.string(),
  kind: z.enum(VISUAL_KINDS),
  alt: z.string().nullable(),
  name: name.catch(undefined),
  tags: tags.catch(undefined),
});
/** The types of exported lines other than posts. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set(
  ExportedLine.options.map(({ shape }) => shape.type.value).filter((type) => type !== "post"),
);

/**
 * Reads the posts of an NDJSON text. Throws `too_many_rows` at the first row above the limit, however long the text is.
 */
export function readNdjsonFile(text: string): ImportFile {
  const posts: { line: number; value: JsonObject; broken: ImportRow["broken"] }[] = [];
  const channelNames = new Map<string, string>();
  const files = new Map<string, NamedFile>();
  for (const { line, content } of splitLines(text.replace(/^\ufeff/, ""))) {
    if (content.trim() === "") continue;
    const { value = {}, broken } = readLine(content);
    if (OTHER_TYPES.has(value.type)) {
      const channel = value.type === "channel" ? ExportedChannel.safeParse(value).data : undefined;
      if (channel !== undefined) channelNames.set(channel.id, `${channel.platform}:${channel.handle}`);
      const file = value.type === "media" ? ExportedMedia.safeParse(value).data : undefined;
      if (file !== undefined) files.set(file.id, file);
      continue;
    }
    if (posts.length === IMPORT_ROWS_MAX) throw refuse("too_many_rows");
    posts.push({ line, value, broken });
  }
  const rows = posts.map(({ line, value, broken }): ImportRow => {
    const { type, ...post } = value;
    // An unknown type is treated as an unknown field of a post.
    const body = type === "post" ? unexported(post) : value;
    return { line, externalId: findExternalId(body.metadata), body, files, broken: [...broken, ...unwritableIn(body)] };
  });
  return { isCsv: false, rows, channelNames };
}

/** Yields the lines of a text with their numbers, starting at 1. */
function* splitLines(text: string): Generator<{ line: number; content: string }> {
  for (let start = 0, line = 1; start <= text.length; line++) {
    const end = text.indexOf("\n", start);
    const next = end === -1 ? text.length : end;
    yield { line, content: text.slice(start, next) };
    start = next + 1;
  }
}

function readLine(content: string): { value?: JsonObject; broken: ImportRow["broken"] } {
  try {
    const value: unknown = parseJson(content);
    if (isObject(value)) return { value, broken: [] };
    return { broken: [violation("malformed_json", { message: "The line is not a JSON object." })] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { broken: [violation("malformed_json", { message: error.message })] };
  }
}

function unwritableIn(body: JsonObject): ImportRow["broken"] {
  try {
    refuseUnwritable(body);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, detail } = error;
    return [violation(code, { message, field: detail.field, hint: detail.hint })];
  }
}

/**
 * Converts an exported post to one that can be created. A post that had begun to be published becomes a draft, so
 * nothing is published twice without a person's decision.
 */
function unexported(post: JsonObject): JsonObject {
  const fields = Object.fromEntries(
    POST_FIELD_NAMES.flatMap((name) => (post[name] == null ? [] : [[name, post[name]]])),
  );
  const isAhead = ["scheduled", "draft", "awaiting_approval"].some((status) => status === post.status);
  // A series goes on with its last post only; the earlier ones would begin it again.
  if (!isObject(post.repeat_status) || post.repeat_status.state !== "active") delete fields.repeat;
  return {
    ...fields,
    ...(isAhead && post.publish_at != null ? { publish_at: post.publish_at } : {}),
    ...(post.status === "scheduled" ? {} : { draft: true }),
  };
}

function findExternalId(metadata: Json | undefined): string | null {
  const id = isObject(metadata) ? metadata.external_id : undefined;
  return typeof id === "string" ? id : null;
}
