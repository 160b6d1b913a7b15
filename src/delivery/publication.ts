// What goes out on one channel: its final text, files and options, judged once more with what is known of the files now.
import type { Context } from "../context.ts";
import type { Rejected, Retryable } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import { checkTarget } from "../domain/posts/check-post.ts";
import { effectivePostType } from "../domain/posts/post-target.ts";
import { type MediaFile, MediaUnavailable, type Network, type Publication } from "../networks/network.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import { openMedia } from "./media-source.ts";

export async function publicationOf(
  ctx: Context,
  { rule }: Network,
  { post, delivery, media: rows }: Pick<DueDelivery, "post" | "delivery" | "media">,
  /** Whether the publication is only judged: its files are not copied, and may not be opened. */
  inspectOnly = false,
): Promise<Publication<Json> | Retryable | Rejected> {
  const { text, media: ids, ...options } = post.overrides[delivery.channelId] ?? {};
  const files = Array.isArray(ids) ? ids.map(String) : post.media;
  let media: MediaFile[];
  try {
    media = await openMedia(ctx, files, rows, { rule, deliveryId: delivery.id, inspectOnly });
  } catch (error) {
    if (error instanceof MediaUnavailable) return unavailable(error);
    throw error;
  }
  const target = {
    channel: delivery.channelId,
    rule,
    text: typeof text === "string" ? text : post.text,
    textField: "/text",
    media,
    mediaField: "/media",
    postType: post.postType,
    optionsField: "/options",
    options: Object.keys(options),
  };
  const [broken] = checkTarget(target);
  if (broken !== undefined) {
    const error = broken.field?.startsWith("/media") ? "media_refused" : "content_refused";
    const file = media.find(({ position }) => broken.field === `/media/${position}`);
    const named = file === undefined ? "" : `file ${file.position + 1} (${file.id}): `;
    return { is: "rejected", error, detail: `${named}${broken.message}` };
  }
  return { text: target.text, media, postType: effectivePostType(target), options };
}

/** A file that could not be read. */
export function unavailable(error: MediaUnavailable): Retryable | Rejected {
  if (error.retry) return { is: "retryable", error: "network_unavailable", detail: error.message };
  return { is: "rejected", error: error.error, detail: error.message };
}
