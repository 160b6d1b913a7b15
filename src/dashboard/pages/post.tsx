// One post: the state of each of its deliveries, and the actions on them.
import { useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { isFinished } from "../../domain/posts/post.ts";
import { Thumbnail, useMedia } from "../compose/files.tsx";
import { useAct, useChannels, usePlatforms, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Delivery, Post, Rule } from "../types.ts";
import { useRingWhenLive } from "../ui/bell.tsx";
import { ChannelAvatar } from "../ui/channel.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Figures } from "../ui/figures.tsx";
import { Able, Instant, plain, State } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { AdaptedFiles } from "../ui/sent-files.tsx";
import { Found } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";
import { type Event, Parts, Timeline } from "./timeline.tsx";

const SOON_MS = 1_500;
const SELDOM_MS = 15_000;

export function PostPage({ id }: { id: string }) {
  const [every, setEvery] = useState(SOON_MS);
  const post = useRead(
    ["posts", id],
    async (client, signal) => {
      const { body } = await client.call("posts.get", { params: { id }, signal });
      const dueInMs = body.due_at === null ? SELDOM_MS : Date.parse(body.due_at) - client.now();
      setEvery(isFinished(body.status) || body.status === "draft" || dueInMs > SELDOM_MS * 2 ? SELDOM_MS : SOON_MS);
      return body;
    },
    { every },
  );
  const events = useRead(
    ["posts", id, "events", post.data?.updated_at],
    async (client, signal) =>
      (await client.call("events.list", { query: { post: id, order: "oldest", limit: "200" }, signal })).body.events,
    { keep: true },
  );
  const channels = useChannels();
  const platforms = usePlatforms();
  useRingWhenLive(post.data?.deliveries.filter(({ status }) => status === "live").length ?? null);
  return (
    <Page
      title="Post"
      lead={post.data !== undefined && <Lead post={post.data} />}
      actions={post.data !== undefined && <PostActions post={post.data} />}
    >
      <Found query={post} what="The post">
        {(post) => (
          <>
            <Content post={post} />
            <section className="stack" aria-label="Deliveries">
              {post.status === "awaiting_approval" && (
                <p className="note">
                  <span>Nothing is published until the post is approved.</span> <Link href="/approvals">Approvals</Link>
                </p>
              )}
              {post.status === "draft" && post.approval?.state === "declined" && (
                <p className="note" role="status">
                  Declined by {post.approval.by}: “{post.approval.reason}”
                </p>
              )}
              {post.deliveries.length === 0 && post.status === "draft" && (
                <p className="soft">
                  A draft is not published on any channel. Edit it to choose a time or to post it now.
                </p>
              )}
              {post.deliveries.map((delivery) => (
                <OneDelivery
                  key={delivery.id}
                  post={post}
                  delivery={delivery}
                  channel={channels.data?.find(({ id }) => id === delivery.channel)}
                  rule={platforms.data?.platforms.find(({ platform }) => platform === delivery.platform)}
                  events={events.data?.filter((event) => event.delivery === delivery.id) ?? []}
                />
              ))}
            </section>
          </>
        )}
      </Found>
    </Page>
  );
}

function Lead({ post }: { post: Post }) {
  return (
    <span className="row">
      <State of={post.status} />
      {post.due_at !== null && <Instant at={post.due_at} />}
      {post.post_type !== null && <span>{post.post_type}</span>}
      {post.labels.map((label) => (
        <span key={label} className="state">
          {label}
        </span>
      ))}
    </span>
  );
}

function PostActions({ post }: { post: Post }) {
  const { whyNot } = useSession();
  const [, go] = useLocation();
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const isDraft = post.status === "draft";
  const cancel = useAct(
    async (client, _: null) => client.call("posts.remove", { params: { id: post.id }, rev: post.rev }),
    ["posts"],
  );
  const waits = post.status === "awaiting_approval";
  // Everybody who may write may act on a post that waits for approval.
  const reason = whyNot(isDraft || waits ? "draft" : "publish");
  const isOpen = !isFinished(post.status);
  const isEditable = isDraft || waits || post.status === "scheduled";
  return (
    <>
      {isEditable && reason === null && (
        <Link href={`/compose?post=${post.id}`} className="button">
          Edit
        </Link>
      )}
      {whyNot("draft") === null && (
        <Link href={`/compose?copy=${post.id}`} className="button">
          Duplicate
        </Link>
      )}
      {isOpen && (
        <Able why={reason}>
          {(disabled) => (
            <button type="button" className="danger" disabled={disabled} onClick={() => asking.current?.showModal()}>
              {isDraft ? "Discard draft" : "Cancel post"}
            </button>
          )}
        </Able>
      )}
      <Confirm
        dialog={asking}
        question={isDraft ? "Discard this draft?" : "Cancel this post?"}
        yes={isDraft ? "Discard" : "Cancel the post"}
        act={cancel}
        onDone={() => {
          say(isDraft ? "The draft was discarded" : "Cancelled");
          if (isDraft) go("/posts?status=draft");
        }}
      >
        {isDraft
          ? "It is deleted permanently."
          : "Parts that have not been sent will not be sent. A part that is being sent now is completed, and this page shows its outcome."}
      </Confirm>
    </>
  );
}

function Content({ post }: { post: Post }) {
  const files = useMedia([...post.media, ...(post.thread ?? []).flatMap(({ media }) => media)]).data ?? [];
  return (
    <section className="card" aria-label="Content">
      {[{ text: post.text, media: post.media }, ...(post.thread ?? [])].map(({ text, media }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a thread part is identified by its position.
        <div key={i} className={i === 0 ? "stack tight" : "stack tight nested"}>
          {text !== "" && <p className="exact">{text}</p>}
          {media.length > 0 && (
            <div className="row thumbs">
              {media.map((id) => (
                <Thumbnail key={id} media={files.find((file) => file.id === id)} />
              ))}
            </div>
          )}
        </div>
      ))}
      {post.warnings.map(({ code, message }) => (
        <p key={code} className="note">
          {message}
        </p>
      ))}
    </section>
  );
}

/** The network's message, marked as a quotation. */
function NetworkMessage({ delivery }: { delivery: Delivery }) {
  if (delivery.network_message === null) return null;
  return (
    <p>
      {networkName(delivery.platform)} says: <q>{delivery.network_message}</q>
    </p>
  );
}

function OneDelivery({
  post,
  delivery,
  channel,
  rule,
  events,
}: {
  post: Post;
  delivery: Delivery;
  channel: Channel | undefined;
  rule: Rule | undefined;
  events: Event[];
}) {
  const override = post.overrides[delivery.channel];
  const failure = delivery.status === "live" ? null : delivery.error;
  return (
    <article className="card" aria-label={`${networkName(delivery.platform)} ${channel?.handle ?? ""}`}>
      <header className="row apart">
        <span className="row">
          <ChannelAvatar channel={channel ?? { platform: delivery.platform, handle: networkName(delivery.platform) }} />
          <span className="who">
            <span>{networkName(delivery.platform)}</span>
            <small>{channel?.handle ?? "disconnected"}</small>
          </span>
        </span>
        <span className="row">
          <State of={delivery.status} />
          {delivery.url !== null && (
            <a href={delivery.url} target="_blank" rel="noreferrer">
              View post
            </a>
          )}
        </span>
      </header>
      {override?.text !== undefined && <p className="exact">{override.text}</p>}
      {failure !== null && (
        <div
          className={delivery.status === "failed" ? "alert" : "note"}
          role={delivery.status === "failed" ? "alert" : "status"}
        >
          <p>
            <strong>{plain(failure)}.</strong> {delivery.hint}
          </p>
          <NetworkMessage delivery={delivery} />
          {delivery.action === "reconnect_required" && <Link href="/channels">Reconnect the channel</Link>}
        </div>
      )}
      {delivery.status === "publishing" && delivery.hint !== null && (
        <p className="note" role="status">
          {delivery.hint}
        </p>
      )}
      {delivery.takedown !== null && (
        <p className="note">
          Taking it down: {plain(delivery.takedown)}. {delivery.hint}
        </p>
      )}
      {failure === null && <NetworkMessage delivery={delivery} />}
      {delivery.files !== null && <AdaptedFiles platform={delivery.platform} files={delivery.files} />}
      {delivery.parts !== null && <Parts parts={delivery.parts} />}
      <Timeline post={post} delivery={delivery} events={events} />
      <Figures of={delivery} />
      <DeliveryActions post={post} delivery={delivery} rule={rule} />
    </article>
  );
}
