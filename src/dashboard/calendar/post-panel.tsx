// The panel of one post beside the calendar: what it says, and the actions that fit its state.
import { useRef } from "react";
import { Link } from "wouter";
import { MoveTo } from "../move.tsx";
import { PostPreviews, useFiles } from "../post/previews.tsx";
import { useAct, useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { IconButton } from "../ui/button.tsx";
import { ChannelLine } from "../ui/channel.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Instant, Label, State } from "../ui/marks.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { ChannelTimes, Repeats } from "../ui/repeats.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import type { Entry } from "./entries.ts";

/** Closing it returns the focus to the post's chip. */
export function PostPanel({ entry: { post, title }, onClose }: { entry: Entry; onClose: () => void }) {
  const dialog = useOpenDialog();
  const media = useFiles([post]);
  const known = useChannels().data ?? [];
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} className="dialog panel" aria-label={title} closedby="any" onClose={onClose}>
      <div className="stack">
        <div className="row apart">
          <State of={post.status} />
          <IconButton name="Close" icon="cross" onClick={close} />
        </div>
        {post.due_at !== null && (
          <p className="panel-time">
            <Instant at={post.due_at} />
          </p>
        )}
        <ChannelTimes post={post} />
        <Repeats post={post} canStop />
        {post.deliveries.some(({ status }) => status !== "pending") && (
          <ul className="stack tight">
            {post.deliveries.map(({ channel, platform, status }) => (
              <li key={channel} className="row apart">
                <ChannelLine
                  channel={known.find(({ id }) => id === channel) ?? { platform, handle: "" }}
                  size="small"
                />
                <State of={status} />
              </li>
            ))}
          </ul>
        )}
        <PostPreviews post={post} channels={known} media={media} />
        {post.labels.length > 0 && (
          <p className="row">
            {post.labels.map((label) => (
              <Label key={label} name={label} />
            ))}
          </p>
        )}
        <Actions post={post} onDone={close} />
      </div>
    </dialog>
  );
}

function Actions({ post, onDone }: { post: Post; onDone(): void }) {
  const { whyNot } = useSession();
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const isDraft = post.status === "draft";
  const isWaiting = post.status === "awaiting_approval";
  const mayWrite = whyNot("draft") === null;
  const mayChange = whyNot(isDraft || isWaiting ? "draft" : "publish") === null;
  const isOpen = isDraft || isWaiting || post.status === "scheduled";
  const remove = useAct(
    async (client, _: null) => client.call("posts.remove", { params: { id: post.id }, rev: post.rev }),
    ["posts"],
  );
  const approve = useAct(
    async (client, _: null) =>
      client.call("posts.approve", {
        params: { id: post.id },
        body: { rev: post.rev, content_tag: post.content_tag },
      }),
    ["posts", "events"],
  );
  return (
    <>
      <Refused error={approve.error} />
      <div className="row">
        {isWaiting && whyNot("publish") === null && (
          <button
            type="button"
            className="primary"
            disabled={approve.isPending}
            onClick={() =>
              approve.mutate(null, {
                onSuccess() {
                  say("Approved");
                  onDone();
                },
              })
            }
          >
            Approve
          </button>
        )}
        <Link href={`/posts/${post.id}`} className={isWaiting ? "button" : "button primary"}>
          View post
        </Link>
        {isOpen && mayChange && (
          <Link href={`/compose?post=${post.id}`} className="button">
            Edit
          </Link>
        )}
        {mayWrite && (
          <Link href={`/compose?copy=${post.id}`} className="button">
            Duplicate
          </Link>
        )}
      </div>
      <div>
        <MoveTo post={post} onMoved={onDone} />
      </div>
      {isOpen && mayChange && (
        <div>
          <button type="button" className="danger quiet" onClick={() => asking.current?.showModal()}>
            {isDraft ? "Delete draft" : "Cancel post"}
          </button>
        </div>
      )}
      <Confirm
        dialog={asking}
        question={isDraft ? "Delete this draft?" : "Cancel this post?"}
        yes={isDraft ? "Delete" : "Cancel the post"}
        act={remove}
        onDone={() => {
          say(isDraft ? "Draft deleted" : "Cancelled");
          onDone();
        }}
      >
        {isDraft ? "It is deleted permanently." : "Channels that it has not reached yet will not get it."}
      </Confirm>
    </>
  );
}
