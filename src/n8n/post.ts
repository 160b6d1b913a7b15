// The operation that publishes, schedules or drafts a post.
import type { IExecuteFunctions, Properties } from "n8n-workflow";
import type { Body, Client } from "../client/client.ts";
import { isObject } from "../domain/json.ts";
import { readFiles } from "./files.ts";
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
import { getIdempotencyKey, storedOnce } from "./repeats.ts";

type NewPost = Body<"posts.create">;

/** Creates the post of an item. A dry run validates it and writes nothing. */
export async function createPost(context: IExecuteFunctions, client: Client, item: number): Promise<Properties[]> {
  const itemContext = { context, item };
  const options = readCollection(itemContext, "Options", context.getNodeParameter("options", item, {}));
  const files = await readFiles(itemContext);
  const labels = options.get("labels");
  const ownKey = readText(itemContext, "Idempotency Key", options.get("idempotencyKey"));
  // The service validates the options and reports every error.
  const optionFields: Pick<NewPost, "overrides" | "poll" | "repeat" | "post_type" | "media_fit"> = JSON.parse(
    JSON.stringify({
      overrides: readObject(itemContext, "Overrides", options.get("overrides"), OVERRIDES_HINT),
      poll: readObject(itemContext, "Poll", options.get("poll"), POLL_HINT),
      repeat: readObject(itemContext, "Repeat", options.get("repeat"), REPEAT_HINT),
      post_type: readText(itemContext, "Post Type", options.get("postType")),
      media_fit: readText(itemContext, "Media Fit", options.get("mediaFit")),
    }),
  );
  const body: NewPost = {
    ...optionFields,
    ...readTime(itemContext),
    channels: readTexts(itemContext, "Channels", context.getNodeParameter("channels", item, [])),
    text: readText(itemContext, "Text", context.getNodeParameter("text", item, "")),
    labels: labels === undefined ? undefined : readTexts(itemContext, "Labels", labels),
  };
  if (readSwitch(itemContext, "Dry Run", options.get("dryRun"))) {
    const media_preview = files.length === 0 ? undefined : files.map(({ preview }) => preview);
    const { body: judgement } = await client.call("posts.create", { body: { ...body, dry_run: true, media_preview } });
    return [{ ...judgement }];
  }
  const run = context.getWorkflowDataProxy(item).$runIndex;
  const media: string[] = [];
  for (const [position, file] of files.entries()) {
    const key = JSON.stringify([run, item, position, file.key]);
    media.push(await storedOnce(context, key, () => file.store(client)));
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
function readTime(itemContext: ItemContext): Pick<NewPost, "publish_at" | "draft"> {
  const { context, item } = itemContext;
  const when = readChoice(itemContext, "When", context.getNodeParameter("when", item, "now"), TIMES);
  if (when === "draft") return { draft: true };
  if (when === "slot") return { publish_at: "next_slot" };
  if (when === "now") return {};
  return { publish_at: readInstant(itemContext, "Publish At", context.getNodeParameter("publishAt", item, "")) };
}

const OVERRIDES_HINT = 'Use channel ids as keys: { "ch_01...": { "text": "Shorter" } }';
const POLL_HINT = 'Write it as { "question": "Which one?", "options": ["Tea", "Coffee"], "minutes": 1440 }';
const REPEAT_HINT = 'Write it as { "every": "week", "weekdays": [1, 4], "until": "2027-03-31" }';

/** The object in a JSON field; an expression may already give an object. */
function readObject(itemContext: ItemContext, name: string, value: unknown, hint: string): object | undefined {
  if (value === undefined || value === "") return undefined;
  let read: unknown = value;
  try {
    if (typeof value === "string") read = JSON.parse(value);
  } catch {
    read = undefined;
  }
  if (isObject(read)) return read;
  throw refuseInput(itemContext, `${name} is not a JSON object`, hint);
}
