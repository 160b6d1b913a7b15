// The operation that publishes, schedules or drafts a post.
import { type IExecuteFunctions, NodeOperationError, type Properties } from "n8n-workflow";
import type { Body, Client } from "../client/client.ts";
import { isObject } from "../domain/json.ts";
import { kindOfAddress } from "../domain/media/kind-of-address.ts";
import type { MediaKind } from "../domain/posts/platform-rule.ts";
import { getIdempotencyKey, registeredOnce } from "./repeats.ts";

type NewPost = Body<"posts.create">;

/** A file as the node's input names it. */
interface NamedFile {
  url: string;
  kind: MediaKind;
  alt: string | null;
}

/** Creates the post of an item. A dry run validates it and writes nothing. */
export async function createPost(context: IExecuteFunctions, client: Client, item: number): Promise<Properties[]> {
  const options = readOptions(context, item);
  const files = readFiles(context, item);
  const { dryRun = false, idempotencyKey, labels, mediaFit, overrides, postType } = options;
  const text = String(context.getNodeParameter("text", item, ""));
  // The service validates the options and reports every error.
  const optionFields: Pick<NewPost, "overrides" | "post_type" | "media_fit"> = JSON.parse(
    JSON.stringify({
      overrides: objectIn(context, item, overrides),
      post_type: textIn(postType),
      media_fit: textIn(mediaFit),
    }),
  );
  const body: NewPost = {
    ...optionFields,
    ...readTime(context, item),
    channels: textsIn(context.getNodeParameter("channels", item, [])),
    text: text === "" ? undefined : text,
    labels: labels === undefined ? undefined : textsIn(labels),
  };
  if (dryRun === true) {
    const media_preview = files.length === 0 ? undefined : files.map(({ kind, alt }) => ({ kind, alt }));
    const { body: judgement } = await client.call("posts.create", { body: { ...body, dry_run: true, media_preview } });
    return [{ ...judgement }];
  }
  const run = context.getWorkflowDataProxy(item).$runIndex;
  const media: string[] = [];
  for (const [place, file] of files.entries()) {
    const register = async () => (await client.call("media.register", { body: file })).body.id;
    media.push(await registeredOnce(context, JSON.stringify([run, item, place, file]), register));
  }
  const key = textIn(idempotencyKey) ?? (await getIdempotencyKey(context, item));
  const { body: post } = await client.call("posts.create", {
    body: { ...body, media: media.length === 0 ? undefined : media },
    idempotencyKey: key,
  });
  return [{ ...post }];
}

function readOptions(context: IExecuteFunctions, item: number): Properties {
  const options = context.getNodeParameter("options", item, {});
  return isObject(options) ? options : {};
}

function readTime(context: IExecuteFunctions, item: number): Pick<NewPost, "publish_at" | "draft"> {
  const when = context.getNodeParameter("when", item, "now");
  if (when === "draft") return { draft: true };
  if (when === "slot") return { publish_at: "next_slot" };
  if (when !== "time") return {};
  const publishAt = context.getNodeParameter("publishAt", item, "");
  return { publish_at: publishAt instanceof Date ? publishAt.toISOString() : String(publishAt) };
}

function readFiles(context: IExecuteFunctions, item: number): NamedFile[] {
  const media = context.getNodeParameter("media", item, {});
  const rows = isObject(media) && Array.isArray(media.file) ? media.file : [];
  return rows.filter(isObject).map((row) => {
    const url = String(row.url ?? "");
    const alt = textIn(row.alt) ?? null;
    const kind = row.kind === "image" || row.kind === "video" ? row.kind : kindOfAddress(url);
    if (kind !== null) return { url, kind, alt };
    throw new NodeOperationError(
      context.getNode(),
      `The type of the file cannot be determined from its address: ${url}`,
      {
        description: "Set Kind to Image or Video.",
        itemIndex: item,
      },
    );
  });
}

/** The object in a JSON field; an expression may already give an object. */
function objectIn(context: IExecuteFunctions, item: number, value: unknown): object | undefined {
  if (value === undefined || value === "") return undefined;
  let read: unknown = value;
  try {
    if (typeof value === "string") read = JSON.parse(value);
  } catch {
    read = undefined;
  }
  if (isObject(read)) return read;
  throw new NodeOperationError(context.getNode(), "Overrides is not a JSON object", {
    description: 'Use channel ids as keys: { "ch_01...": { "text": "Shorter" } }',
    itemIndex: item,
  });
}

const textIn = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : String(value);

/** Reads a list, or a text with commas. */
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(","))
    .map((segment) => segment.trim())
    .filter((segment) => segment !== "");
