// A post waiting for approval: its previews, what changed since the last decision, and the decision.
import { useState } from "react";
import { Link } from "wouter";
import { REASON_LENGTH_MAX } from "../../domain/limits.ts";
import { PostPreviews, useFiles } from "../post/previews.tsx";
import { useAct, useRead } from "../reads.ts";
import type { Channel, Post } from "../types.ts";
import { ActForm } from "../ui/act-form.tsx";
import { Button } from "../ui/button.tsx";
import { Instant, useClock } from "../ui/marks.tsx";
import { PostAvatars } from "../ui/post-accounts.tsx";
import { ChannelTimes, Repeats } from "../ui/repeats.tsx";
import { AdaptedFiles, asSent } from "../ui/sent-files.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { ChangesSince } from "./changes-since.tsx";
import { ReviewLink } from "./review-link.tsx";

/** `why`: why the person may not decide; null: they may. */
export function WaitingPost({ post, channels, why }: { post: Post; channels: Channel[]; why: string | null }) {
  const decision = useRead(
    ["posts", post.id, "decision"],
    async (client, signal) => (await client.call("posts.decision", { params: { id: post.id }, signal })).body.decision,
  ).data;
  const media = useFiles([post, ...(decision ? [decision] : [])]);
  const sentTo = (channel: string | null) => (post.approval?.files ?? []).filter((file) => file.channel === channel);
  return (
    <article className="card waiting-post" aria-label={`Post ${post.text.slice(0, 40)}`}>
      <PostPreviews
        post={post}
        channels={channels}
        media={media}
        adapt={(file, channel) =>
          asSent(
            file,
            sentTo(channel).find((copy) => copy.media === file.id),
          )
        }
      />
      <div className="stack">
        <div className="stack tight">
          <p className="heading">
            {post.publish_at === null ? "As soon as it is approved" : <Instant at={post.publish_at} />}
          </p>
          <PostAvatars post={post} />
          <ChannelTimes post={post} />
          <Repeats post={post} />
          <p className="soft">
            {post.approval !== null && (
              <>
                Requested <Instant at={post.approval.at} /> ·{" "}
              </>
            )}
            <Link href={`/posts/${post.id}`}>Open the post</Link>
          </p>
        </div>
        {post.channels.map((id) => {
          const channel = channels.find((candidate) => candidate.id === id);
          return (
            channel !== undefined && (
              <AdaptedFiles key={id} platform={channel.platform} files={sentTo(id)} media={media} />
            )
          );
        })}
        {decision !== null && decision !== undefined && (
          <ChangesSince decision={decision} post={post} channels={channels} media={media} />
        )}
        {why === null && <Decision post={post} />}
      </div>
    </article>
  );
}

const MINUTE_MS = 60_000;

function Decision({ post }: { post: Post }) {
  const say = useSay();
  const clock = useClock();
  const [isSharing, share] = useState(false);
  const isLate = post.publish_at !== null && Date.parse(post.publish_at) < Date.now() - MINUTE_MS;
  const approve = useAct(
    async (client, _: null) =>
      client.call("posts.approve", {
        params: { id: post.id },
        body: { rev: post.rev, content_tag: post.content_tag, ...(isLate ? { publish_at: null } : {}) },
      }),
    ["posts", "events"],
  );
  const goesNow = isLate || post.publish_at === null;
  return (
    <div className="stack tight">
      {isLate && <p className="note">Its time has passed. Approve it to post it now, or edit it to pick a new time.</p>}
      <Refused error={approve.error} />
      <div className="row">
        <Button
          variant="primary"
          isBusy={approve.isPending}
          onClick={() =>
            approve.mutate(null, {
              onSuccess: ({ body }) =>
                say(
                  goesNow || body.publish_at === null
                    ? "Approved. It's on its way."
                    : `Approved for ${clock.full(body.publish_at)}`,
                ),
            })
          }
        >
          {goesNow ? "Approve and post now" : "Approve"}
        </Button>
        <Link href={`/compose?post=${post.id}`} className="button">
          Edit
        </Link>
        <Button onClick={() => share(true)}>Share for review</Button>
      </div>
      <details>
        <summary>Decline</summary>
        <ActForm
          act={(client, form) =>
            client.call("posts.decline", {
              params: { id: post.id },
              body: { rev: post.rev, content_tag: post.content_tag, reason: form("reason") },
            })
          }
          changes={["posts", "events"]}
          done="Declined. The post is a draft again."
          button="Decline"
          why={null}
        >
          <label className="field">
            <span>Reason</span>
            <textarea name="reason" rows={3} required dir="auto" maxLength={REASON_LENGTH_MAX} />
            <small>Shown to the author of the post.</small>
          </label>
        </ActForm>
      </details>
      {isSharing && <ReviewLink key={post.rev} post={post} onClose={() => share(false)} />}
    </div>
  );
}
