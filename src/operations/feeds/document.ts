// Reads the document of a feed, for callers who name its address and for the reads that follow.
import { sha256 } from "../../adapters/digest.ts";
import { FeedFault, fetchFeed } from "../../adapters/fetch-feed.ts";
import { counted } from "../../adapters/outbound.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { type FeedDocument, type FeedItem, readFeedDocument } from "../../domain/feeds/read-document.ts";

/** Bytes of the digest that stands for an item. */
const MARK_BYTES = 15;

/** The mark of an item, by which a feed knows that it has had it. */
export const markOf = async ({ identity }: FeedItem): Promise<string> =>
  base64Url((await sha256(identity)).subarray(0, MARK_BYTES));

interface ReadFeed {
  /** null: unchanged since the answer with these validators. */
  document: FeedDocument | null;
  validators: Record<string, string>;
}

/** Fetches and reads a feed. Throws `FeedFault`, `NotAFeed`, and `HostBusy` for a host that is called too often. */
export async function readFeed(
  ctx: Context,
  workspaceId: string,
  url: string,
  validators: Record<string, string> = {},
): Promise<ReadFeed> {
  const call = counted(ctx.outbound.fetch, (address) => ctx.takeHost(workspaceId, address));
  const fetched = await fetchFeed(call, url, validators);
  if (fetched.text === null) return { document: null, validators: fetched.validators };
  const document = readFeedDocument(fetched.text, url);
  if (document === null) throw new NotAFeed();
  return { document, validators: fetched.validators };
}

export class NotAFeed extends Error {
  constructor() {
    super("The address answers something else than RSS or Atom.");
  }
}

export { FeedFault };
