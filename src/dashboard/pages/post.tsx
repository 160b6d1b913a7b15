// One post: what became of it on each channel, and what can be done about that.
import { type ReactNode, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Answer } from "../../client/client.ts";
import { isFinished } from "../../domain/posts/post.ts";
import { wordsOf } from "../api.ts";
import { Thumbnail, useMedia } from "../compose/files.tsx";
import { useAct, useChannels, usePlatforms, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Delivery, Post, Rule } from "../types.ts";
import { Able, Instant, Mark, plain, State } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { labelOf } from "../ui/schema.ts";
import { Found } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";

type Event = Answer<"events.list">["events"][number];

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
                  <span>Nothing of it is sent before it is approved.</span> <Link href="/approvals">Approvals</Link>
                </p>
              )}
              {post.status === "draft" && post.approval?.state === "declined" && (
                <p className="note" role="status">
                  Declined by {post.approval.by}: “{post.approval.reason}”
                </p>
              )}
              {post.deliveries.length === 0 && post.status === "draft" && (
                <p className="soft">A draft is on no channel yet. Edit it to choose a time, or to post it now.</p>
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
  // What waits is everybody's who may write.
  const why = whyNot(isDraft || waits ? "draft" : "publish");
  const isOpen = !isFinished(post.status);
  const isEditable = isDraft || waits || post.status === "scheduled";
  return (
    <>
      {isEditable && why === null && (
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
        <Able why={why}>
          {(disabled) => (
            <button type="button" className="danger" disabled={disabled} onClick={() => asking.current?.showModal()}>
              {isDraft ? "Discard draft" : "Cancel post"}
            </button>
          )}
        </Able>
      )}
      <dialog ref={asking} className="dialog" aria-labelledby="cancel-title">
        <form method="dialog" className="stack">
          <h2 id="cancel-title">{isDraft ? "Discard this draft?" : "Cancel this post?"}</h2>
          <p>
            {isDraft
              ? "It is deleted for good."
              : "What has not been sent will not be. What is being sent now ends as it ends, and this page says how."}
          </p>
          {cancel.isError && (
            <p className="alert" role="alert">
              {wordsOf(cancel.error).message} {wordsOf(cancel.error).hint}
            </p>
          )}
          <div className="row end">
            <button type="submit">Keep it</button>
            <button
              type="button"
              className="primary"
              disabled={cancel.isPending}
              onClick={() =>
                cancel.mutate(null, {
                  onSuccess() {
                    asking.current?.close();
                    say(isDraft ? "The draft is gone" : "Cancelled");
                    if (isDraft) go("/posts?status=draft");
                  },
                })
              }
            >
              {isDraft ? "Discard" : "Cancel the post"}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

function Content({ post }: { post: Post }) {
  const media = useMedia(post.media);
  return (
    <section className="card" aria-label="Content">
      {post.text !== "" && <p className="exact">{post.text}</p>}
      {media.data !== undefined && media.data.length > 0 && (
        <div className="row thumbs">
          {media.data.map((one) => (
            <Thumbnail key={one.id} media={one} />
          ))}
        </div>
      )}
      {post.warnings.map(({ code, message }) => (
        <p key={code} className="note">
          {message}
        </p>
      ))}
    </section>
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
  const own = post.overrides[delivery.channel];
  return (
    <article className="card" aria-label={`${delivery.platform} ${channel?.handle ?? ""}`}>
      <header className="row apart">
        <span className="row">
          <Mark platform={delivery.platform} />
          <span className="who">
            <span className="platform">{delivery.platform}</span>
            <small>{channel?.handle ?? "disconnected"}</small>
          </span>
        </span>
        <span className="row">
          <State of={delivery.status} />
          {delivery.url !== null && (
            <a href={delivery.url} target="_blank" rel="noreferrer">
              See it there
            </a>
          )}
        </span>
      </header>
      {own?.text !== undefined && <p className="exact">{own.text}</p>}
      {delivery.error !== null && delivery.status !== "live" && (
        <div
          className={delivery.status === "failed" ? "alert" : "note"}
          role={delivery.status === "failed" ? "alert" : "status"}
        >
          <p>
            <strong>{plain(delivery.error)}.</strong> {delivery.hint}
          </p>
          {delivery.action === "reconnect_required" && <Link href="/channels">Reconnect the channel</Link>}
        </div>
      )}
      {delivery.takedown !== null && (
        <p className="note">
          Taking it down: {plain(delivery.takedown)}. {delivery.hint}
        </p>
      )}
      <Timeline post={post} delivery={delivery} events={events} />
      <DeliveryActions post={post} delivery={delivery} rule={rule} />
    </article>
  );
}

function Timeline({ post, delivery, events }: { post: Post; delivery: Delivery; events: Event[] }) {
  const { scheduled_for: due, published_at: live } = delivery;
  const lateMs = due === null || live === null ? null : Date.parse(live) - Date.parse(due);
  const steps: { what: string; at: string; tone?: string; more?: ReactNode }[] = [
    { what: "Accepted", at: post.created_at },
    ...(due !== null && due > post.created_at ? [{ what: "Due", at: due }] : []),
    ...(delivery.started_at === null ? [] : [{ what: "Taken up", at: delivery.started_at }]),
    ...events.flatMap((event) =>
      event.event === "delivery.succeeded"
        ? []
        : [
            {
              what: plain(event.event.replace("delivery.", "")),
              at: event.created_at,
              tone: event.event === "delivery.failed" ? "bad" : undefined,
              more: event.error === null ? "" : plain(event.error),
            },
          ],
    ),
    ...(live === null
      ? []
      : [{ what: "Live", at: live, tone: "good", more: lateMs === null ? "" : latenessOf(lateMs) }]),
    ...(delivery.checked_at === null ? [] : [{ what: "Verified", at: delivery.checked_at }]),
  ];
  steps.sort((one, other) => one.at.localeCompare(other.at));
  return (
    <>
      <ol className="timeline numbers">
        {steps.map(({ what, at, tone, more }) => (
          <li key={`${what} ${at}`} data-tone={tone}>
            <span className="what">{what}</span>
            <Instant at={at} exact />
            {more !== undefined && more !== "" && <span className="soft">{more}</span>}
          </li>
        ))}
      </ol>
      <p className="soft">
        <small>
          {delivery.next_attempt_at !== null && (
            <>
              Next: <Instant at={delivery.next_attempt_at} />.{" "}
            </>
          )}
          {delivery.attempts > 0 && `Sent ${delivery.attempts === 1 ? "once" : `${delivery.attempts} times`}. `}
          Guarantee: {plain(delivery.guarantee)}.
          {delivery.first_comment !== null && ` First comment: ${plain(delivery.first_comment)}.`}
          {Object.entries(delivery.additions ?? {}).map(([name, status]) => ` ${labelOf(name)}: ${status}.`)}
          {delivery.removed_by !== null && ` Removed by ${delivery.removed_by}.`}
        </small>
      </p>
    </>
  );
}

const latenessOf = (ms: number) =>
  ms < 10_000
    ? `${ms.toLocaleString("en")} ms after its time`
    : `${Math.round(ms / 1000).toLocaleString("en")} s after its time`;
