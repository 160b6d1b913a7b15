// What goes out on one channel: its final text, files and options, judged once more with what is known of the files now.
import type { Context } from "../context.ts";
import type { Rejected, Retryable } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import { checkTarget } from "../domain/posts/check-post.ts";
import { effectivePostType } from "../domain/posts/post-target.ts";
import { type MediaFile, MediaUnavailable, type Network, type Publication } from "../networks/network.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import { openMedia } from "./media-source.ts";

/** The files that go out on the delivery's channel, which may have some of its own. */
function filesOf({ post, delivery }: Pick<DueDelivery, "post" | "delivery">): string[] {
  const own = post.overrides[delivery.channelId]?.media;
  return Array.isArray(own) ? own.map(String) : post.media;
}

/** Whether files go to the network from here. */
export const sendsFiles = (network: Network, due: Pick<DueDelivery, "post" | "delivery">): boolean =>
  network.fetchesFiles !== true && filesOf(due).length > 0;

export async function publicationOf(
  ctx: Context,
  { rule }: Network,
  { post, delivery, media: rows }: Pick<DueDelivery, "post" | "delivery" | "media">,
  /** Whether the publication is only judged: its files are not copied, and may not be opened. */
  inspectOnly = false,
): Promise<Publication<Json> | Retryable | Rejected> {
  const { text, media: _, ...options } = post.overrides[delivery.channelId] ?? {};
  let media: MediaFile[];
  try {
    media = await openMedia(ctx, filesOf({ post, delivery }), rows, { rule, deliveryId: delivery.id, inspectOnly });
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
  const { retryAt } = error;
  const when = retryAt === undefined ? {} : { retryAt };
  if (error.retry) return { is: "retryable", error: "network_unavailable", detail: error.message, ...when };
  return { is: "rejected", error: error.error, detail: error.message };
}
