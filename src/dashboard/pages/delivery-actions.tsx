// Actions on one delivery: retry a failed one, take down a live one.
import { useRef, useState } from "react";
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Delivery, Post, Rule } from "../types.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Able } from "../ui/marks.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

export function DeliveryActions({ post, delivery, rule }: { post: Post; delivery: Delivery; rule: Rule | undefined }) {
  if (delivery.status === "failed") return <Retry post={post} delivery={delivery} />;
  if (delivery.status === "live" && rule?.takedown === true && delivery.takedown === null) {
    return <TakeDown post={post} delivery={delivery} />;
  }
  return null;
}

function Retry({ post, delivery }: { post: Post; delivery: Delivery }) {
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
            I checked {networkName(delivery.platform)}, and the post is not there.{" "}
            <small className="soft">
              It is unknown whether the post was published. If you send it again, it could appear twice.
            </small>
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
                retry.mutate(null, { onSuccess: () => say(`It is sent to ${networkName(delivery.platform)} again`) })
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
    </div>
  );
}

function TakeDown({ post, delivery }: { post: Post; delivery: Delivery }) {
  const { whyNot } = useSession();
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const takeDown = useAct(
    async (client, _: null) => client.call("posts.take-down", { params: { id: post.id, channel: delivery.channel } }),
    ["posts"],
  );
  return (
    <div>
      <Able why={whyNot("publish")}>
        {(disabled) => (
          <button type="button" className="danger" disabled={disabled} onClick={() => asking.current?.showModal()}>
            Take down
          </button>
        )}
      </Able>
      <Confirm
        dialog={asking}
        question={`Take it down on ${networkName(delivery.platform)}?`}
        yes="Take it down"
        act={takeDown}
        onDone={({ status }) =>
          say(status === 202 ? "Requested; the network has not confirmed the removal yet" : "The post was taken down")
        }
      >
        It is deleted there with its likes and comments. It stays on the other channels.
      </Confirm>
    </div>
  );
}
