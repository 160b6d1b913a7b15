// The operation that publishes, schedules or drafts a post.
import type { IExecuteFunctions, Properties } from "n8n-workflow";
import type { Body, Client } from "../client/client.ts";
import { isObject } from "../domain/json.ts";
import { kindOfAddress } from "../domain/media/kind-of-address.ts";
import type { MediaKind } from "../domain/posts/platform-rule.ts";
import {
  type ItemContext,
  readChoice,
  readCollection,
  readInstant,
  readSwitch,
  readText,
  readTexts,
  refuseInput,
} from "./inputs.ts";
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
  const place = { context, item };
  const options = readCollection(place, "Options", context.getNodeParameter("options", item, {}));
  const files = readFiles(place);
  const labels = options.get("labels");
  const ownKey = readText(place, "Idempotency Key", options.get("idempotencyKey"));
  // The service validates the options and reports every error.
  const optionFields: Pick<NewPost, "overrides" | "post_type" | "media_fit"> = JSON.parse(
    JSON.stringify({
      overrides: readOverrides(place, options.get("overrides")),
      post_type: readText(place, "Post Type", options.get("postType")),
      media_fit: readText(place, "Media Fit", options.get("mediaFit")),
    }),
  );
  const body: NewPost = {
    ...optionFields,
    ...readTime(place),
    channels: readTexts(place, "Channels", context.getNodeParameter("channels", item, [])),
    text: readText(place, "Text", context.getNodeParameter("text", item, "")),
    labels: labels === undefined ? undefined : readTexts(place, "Labels", labels),
  };
  if (readSwitch(place, "Dry Run", options.get("dryRun"))) {
    const media_preview = files.length === 0 ? undefined : files.map(({ kind, alt }) => ({ kind, alt }));
    const { body: judgement } = await client.call("posts.create", { body: { ...body, dry_run: true, media_preview } });
    return [{ ...judgement }];
  }
  const run = context.getWorkflowDataProxy(item).$runIndex;
  const media: string[] = [];
  for (const [position, file] of files.entries()) {
    const register = async () => (await client.call("media.register", { body: file })).body.id;
    media.push(await registeredOnce(context, JSON.stringify([run, item, position, file]), register));
  }
  const key = ownKey ?? (await getIdempotencyKey(context, item));
  const { body: post } = await client.call("posts.create", {
    body: { ...body, media: media.length === 0 ? undefined : media },
    idempotencyKey: key,
  });
  return [{ ...post }];
}

const TIMES = ["now", "time", "slot", "draft"] as const;

/** An unknown choice is an error, because without a time the post would be published at once. */
function readTime(place: ItemContext): Pick<NewPost, "publish_at" | "draft"> {
  const { context, item } = place;
  const when = readChoice(place, "When", context.getNodeParameter("when", item, "now"), TIMES);
  if (when === "draft") return { draft: true };
  if (when === "slot") return { publish_at: "next_slot" };
  if (when === "now") return {};
  return { publish_at: readInstant(place, "Publish At", context.getNodeParameter("publishAt", item, "")) };
}

const KINDS = ["auto", "image", "video"] as const;

function readFiles(place: ItemContext): NamedFile[] {
  const media = readCollection(place, "Media", place.context.getNodeParameter("media", place.item, {}));
  const rows = media.get("file") ?? [];
  const isList = Array.isArray(rows) && rows.every(isObject) && [...media.keys()].every((name) => name === "file");
  // A file that is not understood must not be left out of the post.
  if (!isList) throw refuseInput(place, "Media must be a list of files", 'Use { "file": [{ "url": "https://..." }] }');
  return rows.filter(isObject).map((row) => {
    const url = readText(place, "URL", row.url) ?? "";
    const alt = readText(place, "Description", row.alt) ?? null;
    const choice = readChoice(place, "Kind", row.kind ?? "auto", KINDS);
    const kind = choice === "auto" ? kindOfAddress(url) : choice;
    if (kind !== null) return { url, kind, alt };
    const message = `The type of the file cannot be determined from its address: ${url}`;
    throw refuseInput(place, message, "Set Kind to Image or Video.");
  });
}

/** The object in a JSON field; an expression may already give an object. */
function readOverrides(place: ItemContext, value: unknown): object | undefined {
  if (value === undefined || value === "") return undefined;
  let read: unknown = value;
  try {
    if (typeof value === "string") read = JSON.parse(value);
  } catch {
    read = undefined;
  }
  if (isObject(read)) return read;
  const hint = 'Use channel ids as keys: { "ch_01...": { "text": "Shorter" } }';
  throw refuseInput(place, "Overrides is not a JSON object", hint);
}
