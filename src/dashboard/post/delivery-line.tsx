// One channel of a post: its state, the link to it, its figures, and what to do where it failed.
import { useId, useRef, useState } from "react";
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import { Retry, TakeDown } from "../pages/delivery-actions.tsx";
import { type Event, Parts, Timeline } from "../pages/timeline.tsx";
import { reconnectAddress } from "../problems/post-line.tsx";
import { useSession } from "../session.tsx";
import type { Channel, Delivery, Post, Rule } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Figures } from "../ui/figures.tsx";
import { Icon } from "../ui/icons.tsx";
import { Pill, Stamp, State } from "../ui/marks.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { AdaptedFiles } from "../ui/sent-files.tsx";
import { formatList } from "../words/counts.ts";
import { describeEdit, describeTakedown } from "../words/deliveries.ts";
import { describeFailure } from "../words/failures.ts";
import { nameAlteration } from "../words/states.ts";
import { LiveEdit, mayEditLive } from "./live-edit.tsx";

interface LineProps {
  post: Post;
  delivery: Delivery;
  channel: Channel | undefined;
  rule: Rule | undefined;
  events: Event[];
}

export function DeliveryLine({ post, delivery, channel, rule, events }: LineProps) {
  const { whyNot } = useSession();
  const asking = useRef<HTMLDialogElement>(null);
  const [showsDetails, setShowsDetails] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  const details = useId();
  const { platform, status } = delivery;
  const name = networkName(platform);
  const account = channel ?? { platform, handle: name };
  const offersTakedown = rule !== undefined && applyTier(rule, channel?.tier ?? null).takedown;
  const mayTakeDown = status === "live" && offersTakedown && delivery.takedown === null;
  const mayEdit = mayEditLive(post, delivery, rule);
  const entries: MenuEntry[] = [
    ...(mayEdit
      ? [
          {
            name: "Edit live text",
            why: whyNot("publish"),
            act: () => setIsEditing(true),
          } as const,
        ]
      : []),
    ...(mayTakeDown
      ? [
          {
            name: "Take down",
            icon: "trash",
            isDanger: true,
            why: whyNot("publish"),
            act: () => asking.current?.showModal(),
          } as const,
        ]
      : []),
  ];
  return (
    <article className="delivery" aria-label={channelName(account)}>
      <div className="delivery-head">
        <ChannelAvatar channel={account} size="large" />
        <span className="who">
          <span>{name}</span>
          <small dir="auto">{channel?.handle ?? "disconnected"}</small>
        </span>
        <span className="row end">
          <DeliveryState delivery={delivery} />
          {entries.length > 0 && <Menu label={`More for ${channelName(account)}`} entries={entries} />}
        </span>
      </div>
      <div className="delivery-facts">
        {delivery.url !== null && (
          <a href={delivery.url} target="_blank" rel="noreferrer">
            View on {name}
          </a>
        )}
        <Figures of={delivery} />
        <button
          type="button"
          className="link details-button"
          aria-expanded={showsDetails}
          aria-controls={details}
          onClick={() => setShowsDetails(!showsDetails)}
        >
          Details
          <span className="visually-hidden"> of {channelName(account)}</span>
          <Icon name={showsDetails ? "up" : "down"} />
        </button>
      </div>
      <Failure post={post} delivery={delivery} />
      {delivery.takedown !== null && (
        <p className="note" role="status">
          {describeTakedown(delivery.takedown, platform)}
        </p>
      )}
      {delivery.edit !== null && (
        <p className="note" role="status">
          {describeEdit(delivery.edit.status, platform)}
        </p>
      )}
      {delivery.live_text !== null && (
        <blockquote className="live-text" dir="auto">
          {delivery.live_text}
        </blockquote>
      )}
      <Alteration delivery={delivery} />
      {delivery.parts !== null && <Parts parts={delivery.parts} />}
      {showsDetails && (
        <div className="stack tight" id={details}>
          {delivery.files !== null && <AdaptedFiles platform={platform} files={delivery.files} />}
          <Timeline post={post} delivery={delivery} events={events} />
        </div>
      )}
      {isEditing && rule !== undefined && (
        <LiveEdit post={post} delivery={delivery} channel={channel} rule={rule} onClose={() => setIsEditing(false)} />
      )}
      {mayTakeDown && <TakeDown post={post} delivery={delivery} dialog={asking} />}
    </article>
  );
}

function DeliveryState({
  delivery: { status, checked_at: checkedAt, published_at: liveAt, readback },
}: {
  delivery: Delivery;
}) {
  if (readback?.state === "altered" && status === "live") return <Pill tone="waiting">Changed there</Pill>;
  if (status === "live" && checkedAt !== null) return <Stamp word="Verified" at={checkedAt} />;
  if (status === "live" && liveAt !== null) return <Stamp word="Live" at={liveAt} />;
  return <State of={status} />;
}

/** What the network shows differently. */
function Alteration({ delivery: { platform, readback } }: { delivery: Delivery }) {
  if (readback?.state !== "altered") return null;
  const changes = formatList(readback.altered.map(nameAlteration));
  return <p className="note">{`${networkName(platform)} changed the ${changes} of your post.`}</p>;
}

/** Why it failed, what the network said, and the buttons that help. */
function Failure({ post, delivery }: { post: Post; delivery: Delivery }) {
  const { platform, status, error, network_message: message } = delivery;
  const name = networkName(platform);
  const quote = message !== null && (
    <p>
      {name} says: <q dir="auto">{message}</q>
    </p>
  );
  if (status === "live" || error === null) return quote === false ? null : <div className="note">{quote}</div>;
  const hasFailed = status === "failed";
  return (
    <div className={hasFailed ? "alert" : "note"} role={hasFailed ? "alert" : "status"}>
      <p>{describeFailure(error, platform)}</p>
      {quote}
      {delivery.action === "reconnect_required" && (
        <Link href={reconnectAddress(delivery.channel)}>Reconnect the account</Link>
      )}
      {hasFailed && <Retry post={post} delivery={delivery} />}
    </div>
  );
}
