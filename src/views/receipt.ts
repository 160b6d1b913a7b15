// The claims of a receipt: what was accepted for each channel, each call and its answer, each recheck, and the takedown.
import type * as z from "zod";
import type { Receipt } from "../contract/receipts.ts";
import { takedownView } from "../domain/delivery/follow-up-view.ts";
import type { Send } from "../domain/delivery/stored-facts.ts";
import { STATUS_OF } from "../domain/delivery/transitions.ts";
import { isoInstant, isoOrNull } from "../domain/instant.ts";
import { canonicalJson } from "../domain/json.ts";
import { getPoll } from "../domain/posts/poll.ts";
import { taggedContent, taggedThread } from "../domain/posts/tagged-content.ts";
import type { MeasuredDelivery, PostWithDeliveries } from "../store/posts/posts.ts";

/** The version of the claims. A later version may add claims, and never changes these. */
const VERSION = 1;

interface ReceiptInput {
  issuer: string;
  /** Epoch milliseconds. */
  now: number;
  stored: PostWithDeliveries;
  /** The handles of the post's channels by id; a removed channel has none. */
  handles: ReadonlyMap<string, string>;
  /** Returns the SHA-256 of a text in UTF-8, in hexadecimal. */
  hash(text: string): Promise<string>;
  /** Returns the text of a channel as it goes out. */
  getText(channelId: string): string;
}

export async function buildReceipt(input: ReceiptInput): Promise<z.input<typeof Receipt>> {
  const { issuer, now, stored } = input;
  const { post, deliveries } = stored;
  return {
    iss: issuer,
    sub: post.id,
    iat: Math.floor(now / 1000),
    version: VERSION,
    workspace: post.workspaceId,
    created_at: isoInstant(post.createdAt),
    content_tag: post.contentTag,
    deliveries: await Promise.all(deliveries.map((delivery) => buildDelivery(input, delivery))),
  };
}

async function buildDelivery({ stored: { post }, handles, hash, getText }: ReceiptInput, delivery: MeasuredDelivery) {
  const { channelId, networkPost, threadParts, followUps, sends } = delivery;
  const place = { channel: channelId, platform: delivery.platform };
  const { media, options } = taggedContent(post, place);
  const published =
    threadParts.length === 0 && networkPost !== null
      ? [{ ...networkPost, publishedAt: delivery.publishedAt }]
      : threadParts;
  const takedown = takedownView(followUps);
  const thread = await Promise.all(
    taggedThread(post, place).map(async (part) => ({
      text_sha256: await hash(part.text),
      media: [...(part.media ?? [])],
    })),
  );
  return {
    id: delivery.id,
    channel: channelId,
    platform: delivery.platform,
    handle: handles.get(channelId) ?? null,
    status: STATUS_OF[delivery.state],
    scheduled_for: isoOrNull(delivery.scheduledFor),
    accepted: {
      text_sha256: await hash(getText(channelId)),
      media,
      options_sha256: await hash(canonicalJson({ options, poll: getPoll(post, channelId) })),
      thread,
    },
    calls: listCalls(
      sends,
      published.flatMap(({ publishedAt }) => publishedAt ?? []),
    ),
    posts: published.map(({ id, url, publishedAt }) => ({ id, url, published_at: isoOrNull(publishedAt) })),
    rechecks: (networkPost?.rechecks ?? []).map(({ at, result }) => ({ at: isoInstant(at), result })),
    takedown:
      takedown === null
        ? null
        : {
            status: takedown,
            removed_at: delivery.state === "removed" ? isoOrNull(networkPost?.checkedAt ?? null) : null,
          },
  };
}

/** The calls with their answers. A call that made a post live was answered when that post was published. */
function listCalls(sends: readonly Send[], published: readonly number[]) {
  const unanswered = sends.filter(({ answered_at }) => answered_at === undefined);
  const confirmedAt = new Map<Send, number>();
  for (const [i, send] of unanswered.toReversed().entries()) {
    const at = published.at(-1 - i);
    if (at !== undefined) confirmedAt.set(send, at);
  }
  return sends.map((send) => {
    const liveAt = confirmedAt.get(send) ?? null;
    return {
      sent_at: isoInstant(send.sent_at),
      answered_at: isoOrNull(send.answered_at ?? liveAt),
      outcome: send.outcome ?? (liveAt === null ? null : "live"),
      payload_sha256: send.payload_hash === "" ? null : send.payload_hash,
      files: (send.files ?? []).map(({ id, etag }) => ({ media: id, etag })),
    };
  });
}
