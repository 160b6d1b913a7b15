// A post waiting for approval: exactly what each channel would publish, and the controls to decide on it.
import { Link } from "wouter";
import { MEDIA_IDS_MAX, REASON_LENGTH_MAX } from "../../domain/limits.ts";
import { networkName } from "../../domain/network-name.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import { getThread } from "../../domain/posts/thread.ts";
import { Thumbnail, useMedia } from "../compose/files.tsx";
import { useAct, useRead } from "../reads.ts";
import type { Channel, Post } from "../types.ts";
import { ActForm } from "../ui/act-form.tsx";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Instant, plain, useClock } from "../ui/marks.tsx";
import { AdaptedFiles, asSent } from "../ui/sent-files.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { ChangesSince } from "./changes-since.tsx";
import { ReviewLink } from "./review-link.tsx";

/** `why`: why the person may not decide; null: they may. */
export function WaitingPost({ post, channels, why }: { post: Post; channels: Channel[]; why: string | null }) {
  const clock = useClock();
  const contents = post.channels.map((id) => ({
    id,
    channel: channels.find((candidate) => candidate.id === id),
    content: contentFor(post, id),
    thread: getThread(post, id),
  }));
  const decision = useRead(
    ["posts", post.id, "decision"],
    async (client, signal) => (await client.call("posts.decision", { params: { id: post.id }, signal })).body.decision,
  ).data;
  const ids = [post, ...(decision ? [decision] : [])].flatMap(listFiles);
  const media = useMedia([...new Set(ids)].slice(0, MEDIA_IDS_MAX)).data ?? [];
  const sentTo = (channel: string) => (post.approval?.files ?? []).filter((file) => file.channel === channel);
  const files = (channel: string, mediaIds: string[]) =>
    mediaIds.length > 0 && (
      <ul className="row thumbs">
        {mediaIds.map((id) => {
          const file = media.find((candidate) => candidate.id === id);
          return (
            <li key={id}>
              <Thumbnail
                media={asSent(
                  file,
                  sentTo(channel).find((sentFile) => sentFile.media === id),
                )}
                isDescribed
              />
              <small className="soft">{file?.alt ?? "No alt text"}</small>
            </li>
          );
        })}
      </ul>
    );
  return (
    <article className="card" aria-label={`Post ${post.text.slice(0, 40)}`}>
      <header className="row apart">
        <strong>
          {post.publish_at === null ? (
            "As soon as it is approved"
          ) : (
            <>
              <Instant at={post.publish_at} /> {clock.zone} time
            </>
          )}
        </strong>
        <Link href={`/posts/${post.id}`}>Revision {post.rev}</Link>
      </header>
      <p className="soft">
        {post.approval !== null && (
          <>
            Asked <Instant at={post.approval.at} />.
          </>
        )}
      </p>
      {decision !== null && decision !== undefined && (
        <ChangesSince decision={decision} post={post} channels={channels} media={media} />
      )}
      {contents.map(({ id, channel, content, thread }) => (
        // Not a region, because several posts for one channel would be landmarks with the same name.
        <article
          key={id}
          className="would-be stack tight"
          aria-label={channel === undefined ? "Disconnected channel" : channelName(channel)}
        >
          <span className="row">
            {channel !== undefined && <ChannelAvatar channel={channel} />}
            <span className="who">
              <span>{channel === undefined ? "disconnected" : networkName(channel.platform)}</span>
              <small>{channel?.handle}</small>
            </span>
          </span>
          {content.text !== "" && <p className="exact">{content.text}</p>}
          {files(id, content.media)}
          {thread.map((threadPart, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a thread part is identified by its position.
            <div key={i} className="stack tight">
              <small className="soft">
                Part {i + 2} of {thread.length + 1}
              </small>
              <p className="exact">{threadPart.text}</p>
              {files(id, threadPart.media)}
            </div>
          ))}
          {channel !== undefined && <AdaptedFiles platform={channel.platform} files={sentTo(id)} media={media} />}
          {Object.keys(content.options).length > 0 && (
            <dl className="facts">
              {Object.entries(content.options).map(([name, value]) => (
                <div key={name} className="figure">
                  <dt>{plain(name)}</dt>
                  <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
                </div>
              ))}
            </dl>
          )}
        </article>
      ))}
      {why === null && <Decision post={post} />}
    </article>
  );
}

/** All files of the post, including those of its channels and thread parts. */
const listFiles = ({
  media,
  thread,
  channels,
  overrides,
}: Pick<Post, "media" | "thread" | "channels" | "overrides">) => [
  ...media,
  ...(thread ?? []).flatMap((threadPart) => threadPart.media),
  ...channels.flatMap((id) => [
    ...(overrides[id]?.media ?? []),
    ...(overrides[id]?.thread ?? []).flatMap(({ media = [] }) => media),
  ]),
];

const MINUTE_MS = 60_000;

function Decision({ post }: { post: Post }) {
  const say = useSay();
  const clock = useClock();
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
      {isLate && (
        <p className="note">
          Its time has passed. If you approve it, it is published now. To give it a new time, edit it.
        </p>
      )}
      <Refused error={approve.error} />
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={approve.isPending}
          onClick={() =>
            approve.mutate(null, {
              onSuccess: ({ body }) =>
                say(
                  goesNow || body.publish_at === null
                    ? "Approved: it is being published"
                    : `Approved for ${clock.full(body.publish_at)} ${clock.zone} time`,
                ),
            })
          }
        >
          {goesNow ? "Approve and post now" : "Approve this version"}
        </button>
        <Link href={`/compose?post=${post.id}`} className="button">
          Edit
        </Link>
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
          done="Declined: the post is a draft again"
          button="Decline it"
          why={null}
        >
          <label className="field">
            <span>Reason</span>
            <textarea name="reason" rows={3} required maxLength={REASON_LENGTH_MAX} />
            <small>Shown to the author of the post.</small>
          </label>
        </ActForm>
      </details>
      <ReviewLink key={post.rev} post={post} />
    </div>
  );
}
