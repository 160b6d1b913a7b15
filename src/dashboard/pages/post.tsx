// One post: its preview, the state of each of its channels, the actions on it, and what members say about it.
import { useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { isFinished } from "../../domain/posts/post.ts";
import { MoveTo } from "../move.tsx";
import { Comments } from "../post/comments.tsx";
import { DeliveryLine } from "../post/delivery-line.tsx";
import { PostPreviews, useFiles } from "../post/previews.tsx";
import "../post/post.css";
import { useAct, useChannels, usePlatforms, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { useRingWhenLive } from "../ui/bell.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Instant, Label, State, useClock } from "../ui/marks.tsx";
import { Menu } from "../ui/menu.tsx";
import { Page } from "../ui/page.tsx";
import { getPostTitle } from "../ui/post-title.ts";
import { ChannelTimes, Repeats } from "../ui/repeats.tsx";
import { Found, Loading } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { describeWarning } from "../words/warnings.ts";

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
  useRingWhenLive(post.data?.deliveries.filter(({ status }) => status === "live").length ?? null);
  return (
    <Page
      title={post.data === undefined ? "Post" : getPostTitle(post.data)}
      lead={post.data !== undefined && <Lead post={post.data} />}
      actions={post.data !== undefined && <PostActions post={post.data} />}
    >
      {post.isPending && post.fetchStatus === "fetching" ? (
        <Loading what="The post" className="post-columns">
          <div className="card post-wait" />
          <div className="card post-wait" />
        </Loading>
      ) : (
        <Found query={post} what="The post">
          {(data) => <Content post={data} />}
        </Found>
      )}
    </Page>
  );
}

function Content({ post }: { post: Post }) {
  const channels = useChannels();
  const platforms = usePlatforms();
  const events = useRead(
    ["posts", post.id, "events", post.updated_at],
    async (client, signal) => {
      const query = { post: post.id, order: "oldest", limit: "200" } as const;
      return (await client.call("events.list", { query, signal })).body.events;
    },
    { keep: true },
  );
  const media = useFiles([post]);
  return (
    <div className="post-columns">
      <div className="stack post-preview-side">
        <PostPreviews post={post} channels={channels.data ?? []} media={media} />
      </div>
      <div className="stack">
        <Notes post={post} />
        <Repeats post={post} canStop />
        <ChannelTimes post={post} />
        <Warnings post={post} />
        <section className="card deliveries" aria-label="Channels">
          <h2>Channels</h2>
          {post.deliveries.length === 0 && (
            <p className="soft">A draft is on no channel. Edit it to choose a time, or to post it now.</p>
          )}
          {post.deliveries.map((delivery) => (
            <DeliveryLine
              key={delivery.id}
              post={post}
              delivery={delivery}
              channel={channels.data?.find(({ id }) => id === delivery.channel)}
              rule={platforms.data?.platforms.find(({ platform }) => platform === delivery.platform)}
              events={events.data?.filter((event) => event.delivery === delivery.id) ?? []}
            />
          ))}
        </section>
        <Comments post={post.id} />
      </div>
    </div>
  );
}

/** What may go wrong with a post that is still to come. */
function Warnings({ post }: { post: Post }) {
  const clock = useClock();
  return post.warnings.map((warning) => {
    const delivery = post.deliveries.find(({ channel }) => channel === warning.channel);
    return (
      <p key={`${warning.code} ${warning.channel} ${warning.part}`} className="note">
        {describeWarning(warning, { platform: delivery?.platform ?? null, clock })}
      </p>
    );
  });
}

function Notes({ post }: { post: Post }) {
  if (post.status === "awaiting_approval") {
    return (
      <p className="note">
        <span>Nothing is published until the post is approved.</span> <Link href="/approvals">Approvals</Link>
      </p>
    );
  }
  if (post.status === "draft" && post.approval?.state === "declined") {
    return (
      <p className="note" role="status" dir="auto">
        Declined by {post.approval.by}: “{post.approval.reason}”
      </p>
    );
  }
  return null;
}

function Lead({ post }: { post: Post }) {
  return (
    <span className="row">
      <State of={post.status} />
      {post.due_at !== null && <Instant at={post.due_at} />}
      {post.labels.map((label) => (
        <Label key={label} name={label} />
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
  const isEditable = isDraft || waits || post.status === "scheduled";
  return (
    <>
      {isEditable && reason === null && (
        <Link href={`/compose?post=${post.id}`} className="button">
          Edit
        </Link>
      )}
      {post.status === "scheduled" && reason === null && <MoveTo post={post} />}
      {whyNot("draft") === null && (
        <Link href={`/compose?copy=${post.id}`} className="button">
          Duplicate
        </Link>
      )}
      {!isFinished(post.status) && (
        <Menu
          label="More actions"
          entries={[
            {
              name: isDraft ? "Discard draft" : "Cancel post",
              icon: "trash",
              isDanger: true,
              why: reason,
              act: () => asking.current?.showModal(),
            },
          ]}
        />
      )}
      <Confirm
        dialog={asking}
        question={isDraft ? "Discard this draft?" : "Cancel this post?"}
        yes={isDraft ? "Discard" : "Cancel the post"}
        act={cancel}
        onDone={() => {
          say(isDraft ? "Draft discarded" : "Cancelled");
          if (isDraft) go("/posts?status=draft");
        }}
      >
        {isDraft
          ? "It is deleted for good."
          : "It will not go out. A channel that is being posted to right now is finished first."}
      </Confirm>
    </>
  );
}
