// A copy of a post for the channels where it failed. On channels where it is already live, a copy would be a duplicate.
import { networkName } from "../../domain/network-name.ts";
import type { Channel, Delivery } from "../types.ts";

export interface Repost {
  /** Channels where the post is missing: it failed there, or was removed by the network. They are selected. */
  failed: string[];
  /** Channels where the post, or the beginning of its thread, is live. */
  live: string[];
  /** Channels whose network never confirmed whether it accepted the post. */
  unknown: string[];
}

/** Sorts the channels of a post by the effect of posting it there again. */
export function planRepost(
  deliveries: readonly Pick<Delivery, "channel" | "status" | "error" | "parts" | "removed_by">[],
): Repost {
  const repost: Repost = { failed: [], live: [], unknown: [] };
  for (const { channel, status, error, parts, removed_by: removedBy } of deliveries) {
    const isPartlyLive = parts?.some((threadPart) => threadPart.status === "live") === true;
    if (status === "live" || (status === "failed" && isPartlyLive)) repost.live.push(channel);
    else if (removedBy === "network") repost.failed.push(channel);
    else if (status === "failed") repost[error === "outcome_unknown" ? "unknown" : "failed"].push(channel);
  }
  return repost;
}

const list = new Intl.ListFormat("en");

export function RepostNote({ repost, channels }: { repost: Repost; channels: Channel[] }) {
  const nameAll = (ids: string[]) =>
    list.format(
      channels
        .filter(({ id }) => ids.includes(id))
        .map(({ platform, handle }) => `${networkName(platform)} (${handle})`),
    );
  return (
    <div className="note" role="status">
      <p>
        {repost.failed.length > 0
          ? `This goes only where the post is missing: ${nameAll(repost.failed)}.`
          : "Choose where to post this."}
      </p>
      {repost.live.length > 0 && <p>It's already live on {nameAll(repost.live)}.</p>}
      {repost.unknown.length > 0 && (
        <p>
          It may be live on {nameAll(repost.unknown)}. Check there before you select it, or people could see the post
          twice.
        </p>
      )}
    </div>
  );
}
