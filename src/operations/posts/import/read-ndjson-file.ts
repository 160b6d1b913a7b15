// A post's JSON a line: as `POST /v1/posts` takes it, or as another workspace had it, with lines that tell what its ids stand for.
import * as z from "zod";
import { ExportedLine } from "../../../contract/export.ts";
import { isObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { MEDIA_KINDS } from "../../../domain/posts/platform-rule.ts";
import { Refusal, violation } from "../../../domain/refusal.ts";
import { parseJson, refuseUnwritable } from "../../parse-json.ts";
import type { ImportFile, ImportRow, NamedFile } from "./row.ts";

const ExportedChannel = z.object({
  type: z.literal("channel"),
  id: z.string(),
  platform: z.string(),
  handle: z.string(),
});
const ExportedMedia = z.object({
  type: z.literal("media"),
  id: z.string(),
  url: z.string(),
  kind: z.enum(MEDIA_KINDS),
  alt: z.string().nullable(),
});
/** Kinds of lines that are no posts. */
const OTHER_TYPES: readonly unknown[] = ExportedLine.options
  .map(({ shape }) => shape.type.value)
  .filter((type) => type !== "post");
/** Fields of a post that are written again. */
const WRITTEN = ["text", "media", "thread", "channels", "overrides", "post_type", "labels", "metadata"];

export function readNdjsonFile(text: string): ImportFile {
  const lines = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((content, i) => ({ line: i + 1, ...readLine(content) }))
    .filter(({ value, broken }) => value !== undefined || broken.length > 0);
  const channelNames = new Map<string, string>();
  const files = new Map<string, NamedFile>();
  for (const { value } of lines) {
    const channel = ExportedChannel.safeParse(value).data;
    if (channel !== undefined) channelNames.set(channel.id, `${channel.platform}:${channel.handle}`);
    const file = ExportedMedia.safeParse(value).data;
    if (file !== undefined) files.set(file.id, file);
  }
  const rows = lines.flatMap(({ line, value = {}, broken }): ImportRow[] => {
    const { type, ...post } = value;
    if (OTHER_TYPES.includes(type)) return [];
    // A type that nobody knows is a field that no post has.
    const body = type === "post" ? unexported(post) : value;
    return [{ line, externalId: externalIdOf(body.metadata), body, files, broken: [...broken, ...unwritableIn(body)] }];
  });
  return { isCsv: false, rows, channelNames };
}

function readLine(content: string): { value?: JsonObject; broken: ImportRow["broken"] } {
  if (content.trim() === "") return { broken: [] };
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

/** What is to be written of an exported post. One that had begun to go out is a draft: nothing is published a second time by itself. */
function unexported(post: JsonObject): JsonObject {
  const kept = Object.fromEntries(WRITTEN.flatMap((name) => (post[name] == null ? [] : [[name, post[name]]])));
  const isAhead = ["scheduled", "draft", "awaiting_approval"].some((status) => status === post.status);
  return {
    ...kept,
    ...(isAhead && post.publish_at != null ? { publish_at: post.publish_at } : {}),
    ...(post.status === "scheduled" ? {} : { draft: true }),
  };
}

function externalIdOf(metadata: Json | undefined): string | null {
  const id = isObject(metadata) ? metadata.external_id : undefined;
  return typeof id === "string" ? id : null;
}
