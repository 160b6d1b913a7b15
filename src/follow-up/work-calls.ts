// The calls of a network that do the work of an option, in one form for all options.
import type { DeliveryTools } from "../delivery/deliver.ts";
import { openCaptions, openThumbnail } from "../delivery/media-source.ts";
import { unavailable } from "../delivery/publication.ts";
import { findFirstComment } from "../domain/delivery/first-comment.ts";
import type { OptionKind } from "../domain/delivery/follow-up-moves.ts";
import type { Added, Commented, NotFound, PrepareOutcome } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import { CAPTIONS, findCaptions } from "../domain/posts/captions.ts";
import { collectCopies } from "../domain/posts/sent-file.ts";
import { findThumbnail, THUMBNAIL } from "../domain/posts/thumbnail.ts";
import { MediaUnavailable } from "../networks/media-file.ts";
import type { AdditionWish, ConnectorContext, Network, Published } from "../networks/network.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { mediaByIds } from "../store/media/media.ts";

export interface WorkCalls {
  /** Prepares the call. Harmless; `preparedKey`: what was saved last. */
  prepare?(
    context: ConnectorContext<Json>,
    preparedKey: Json | null,
    save: (publishKey: Json) => Promise<void>,
  ): Promise<PrepareOutcome>;
  /** The one call. */
  make(context: ConnectorContext<Json>, preparedKey: Json | null): Promise<Added | Commented>;
  /** Looks for the result of a call whose answer was lost; absent if the network does not show it. */
  reconcile?(context: ConnectorContext<Json>, preparedKey: Json | null): Promise<Added | Commented | NotFound>;
  /** Whether an answer of `reconcile` that does not show the result ends the search. */
  endsSearch(answer: { is: string }): boolean;
}

interface Work extends FollowUp {
  tools: DeliveryTools;
  network: Network;
}

/** The calls for a piece of work; null if the network offers none, or the post does not ask for it. */
export const findCalls = (work: Work, published: Published<Json>, kind: OptionKind): WorkCalls | null =>
  kind === "first_comment" ? commentCalls(work, published) : additionCalls(work, published, kind);

function commentCalls({ network, delivery, post }: Work, published: Published<Json>): WorkCalls | null {
  const { firstComment } = network;
  const text = findFirstComment(post.overrides[delivery.channelId]);
  if (firstComment === undefined || text === null) return null;
  const { prepare, find } = firstComment;
  return {
    ...(prepare && { prepare: (context, preparedKey, save) => prepare(published, text, context, preparedKey, save) }),
    make: (context, preparedKey) => firstComment.publish(published, text, preparedKey, context),
    ...(find && { reconcile: (context, preparedKey) => find(published, text, preparedKey, context) }),
    // A comment may show up late.
    endsSearch: () => false,
  };
}

function additionCalls(
  work: Work,
  published: Published<Json>,
  kind: Exclude<OptionKind, "first_comment">,
): WorkCalls | null {
  const { network, delivery, post } = work;
  const addition = network.additions?.[kind];
  if (addition === undefined) return null;
  const { isThere } = addition;
  const wish: AdditionWish<Json> = { value: post.overrides[delivery.channelId]?.[kind] ?? null };
  return {
    ...((kind === THUMBNAIL || kind === CAPTIONS) && {
      prepare: async (_context, preparedKey): Promise<PrepareOutcome> => {
        try {
          if (kind === THUMBNAIL) wish.file = await openImage(work);
          else wish.captions = await openTracks(work);
          return { is: "prepared", publishKey: preparedKey };
        } catch (error) {
          if (error instanceof MediaUnavailable) return unavailable(error);
          throw error;
        }
      },
    }),
    make: (context) => addition.add(published, wish, context),
    ...(isThere && {
      reconcile: async (context) => {
        // After a crash nothing was opened, and a file that cannot be opened was not sent.
        if (kind === CAPTIONS) wish.captions ??= await openTracks(work);
        return isThere(published, wish, context);
      },
    }),
    // The network shows that the result is missing, or can never show it.
    endsSearch: ({ is }) => is === "not_found" || is === "rejected",
  };
}

/** Opens the image that the option names. Throws `MediaUnavailable` if it cannot be sent. */
async function openImage({ tools: { ctx }, network, delivery, post }: Work) {
  const { workspaceId, channelId, id: deliveryId } = delivery;
  const id = findThumbnail(post.overrides[channelId]) ?? "";
  const copies = collectCopies(post.sentFiles, channelId, "thumbnail");
  const use = { rule: network.rule, deliveryId, inspectOnly: false, copies };
  return openThumbnail(ctx, id, await mediaByIds(ctx.databaseOf(workspaceId), workspaceId, [id]), use);
}

/** Opens the captions that the option names. Throws `MediaUnavailable` if they cannot be sent. */
async function openTracks({ tools: { ctx }, network, delivery, post }: Work) {
  const { workspaceId, channelId, id: deliveryId } = delivery;
  const entries = findCaptions(post.overrides[channelId]);
  const ids = entries.map(({ file }) => file);
  const use = { rule: network.rule, deliveryId, inspectOnly: false, copies: new Map() };
  return openCaptions(ctx, entries, await mediaByIds(ctx.databaseOf(workspaceId), workspaceId, ids), use);
}
