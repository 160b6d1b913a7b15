// Actions on one delivery: retry a failed one, take down a live one.
import { type RefObject, useState } from "react";
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Delivery, Post } from "../types.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Able } from "../ui/marks.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

/** Sends a failed delivery again, or opens a copy for the channels that failed. */
export function Retry({ post, delivery }: { post: Post; delivery: Delivery }) {
  const { whyNot } = useSession();
  const say = useSay();
  const [hasChecked, setLooked] = useState(false);
  const isUnknown = delivery.error === "outcome_unknown";
  const retry = useAct(
    async (client, _: null) =>
      client.call("posts.retry-delivery", {
        params: { id: post.id, channel: delivery.channel },
        body: isUnknown ? { confirm_not_published: hasChecked } : {},
      }),
    ["posts"],
  );
  return (
    <div className="stack tight">
      {isUnknown && (
        <label className="choice">
          <input type="checkbox" checked={hasChecked} onChange={({ target }) => setLooked(target.checked)} />
          <span>
            I checked {networkName(delivery.platform)}, and the post isn't there.{" "}
            <small className="soft">Otherwise people could see it twice.</small>
          </span>
        </label>
      )}
      <Refused error={retry.error} />
      <div className="row">
        <Able why={whyNot("publish")}>
          {(disabled) => (
            <button
              type="button"
              disabled={disabled || retry.isPending || (isUnknown && !hasChecked)}
              onClick={() =>
                retry.mutate(null, { onSuccess: () => say(`Sending to ${networkName(delivery.platform)} again`) })
              }
            >
              Send again
            </button>
          )}
        </Able>
        {whyNot("draft") === null && (
          <Link href={`/compose?fix=${post.id}`} className="button">
            Fix and repost
          </Link>
        )}
      </div>
      {whyNot("draft") === null && <small>{explainRepost(post)}</small>}
    </div>
  );
}

const listNetworks = (deliveries: Delivery[]) =>
  new Intl.ListFormat("en", { type: "conjunction" }).format([
    ...new Set(deliveries.map(({ platform }) => networkName(platform))),
  ]);

/** Which channels a repost is for, and where the post stays as it is. */
function explainRepost({ deliveries }: Post): string {
  const failed = deliveries.filter(({ status, error }) => status === "failed" && error !== "outcome_unknown");
  const live = deliveries.filter(({ status }) => status === "live");
  if (failed.length === 0) return "A repost is for channels that you choose.";
  const stays = live.length === 0 ? "" : ` It stays live on ${listNetworks(live)}.`;
  return `"Fix and repost" is only for ${listNetworks(failed)}.${stays}`;
}

/** Asks before a live delivery is taken down. `dialog`: opened by the channel's menu. */
export function TakeDown({
  post,
  delivery,
  dialog,
}: {
  post: Post;
  delivery: Delivery;
  dialog: RefObject<HTMLDialogElement | null>;
}) {
  const say = useSay();
  const takeDown = useAct(
    async (client, _: null) => client.call("posts.take-down", { params: { id: post.id, channel: delivery.channel } }),
    ["posts"],
  );
  return (
    <Confirm
      dialog={dialog}
      question={`Take it down on ${networkName(delivery.platform)}?`}
      yes="Take it down"
      act={takeDown}
      onDone={({ status }) =>
        say(status === 202 ? "Requested; the network has not confirmed the removal yet" : "The post was taken down")
      }
    >
      It is deleted there with its likes and comments. It stays on the other channels.
    </Confirm>
  );
}
