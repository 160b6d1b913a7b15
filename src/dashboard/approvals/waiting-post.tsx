// One post that waits: exactly what each channel would publish, and what can be said to it.
import { Link } from "wouter";
import { REASON_LENGTH_MAX } from "../../domain/limits.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import { threadOf } from "../../domain/posts/thread.ts";
import { Thumbnail, useMedia } from "../compose/files.tsx";
import { useAct, useRead } from "../reads.ts";
import type { Channel, Post } from "../types.ts";
import { ActForm } from "../ui/act-form.tsx";
import { Instant, Mark, plain, useClock } from "../ui/marks.tsx";
import { nameOf } from "../ui/networks.ts";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { ReviewLink } from "./review-link.tsx";

/** `why`: null: the person may decide. */
export function WaitingPost({ post, channels, why }: { post: Post; channels: Channel[]; why: string | null }) {
  const clock = useClock();
  const contents = post.channels.map((id) => ({
    id,
    channel: channels.find((one) => one.id === id),
    content: contentFor(post, id),
    thread: threadOf(post, id),
  }));
  const ids = contents.flatMap(({ content, thread }) => [...content.media, ...thread.flatMap(({ media }) => media)]);
  const media = useMedia([...new Set(ids)]).data ?? [];
  const files = (named: string[]) =>
    named.length > 0 && (
      <ul className="row thumbs">
        {named.map((id) => {
          const file = media.find((one) => one.id === id);
          return (
            <li key={id}>
              <Thumbnail media={file} />
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
            Asked <Instant at={post.approval.at} />.{" "}
          </>
        )}
        <Before post={post} />
      </p>
      {contents.map(({ id, channel, content, thread }) => (
        <section key={id} className="would-be stack tight" aria-label={`${channel?.platform} ${channel?.handle}`}>
          <span className="row">
            <Mark platform={channel?.platform ?? "?"} />
            <span className="who">
              <span>{channel === undefined ? "disconnected" : nameOf(channel.platform)}</span>
              <small>{channel?.handle}</small>
            </span>
          </span>
          {content.text !== "" && <p className="exact">{content.text}</p>}
          {files(content.media)}
          {thread.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part of a thread is its place.
            <div key={i} className="stack tight">
              <small className="soft">
                Part {i + 2} of {thread.length + 1}
              </small>
              <p className="exact">{part.text}</p>
              {files(part.media)}
            </div>
          ))}
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
        </section>
      ))}
      {why === null && <Decision post={post} />}
    </article>
  );
}

/** The decision before this one. The older text is not kept, so what differs is not shown. */
function Before({ post }: { post: Post }) {
  const events = useRead(
    ["posts", post.id, "events", post.updated_at],
    async (client, signal) =>
      (await client.call("events.list", { query: { post: post.id, limit: "50" }, signal })).body.events,
  );
  const last = events.data?.find(({ event }) => event === "post.declined" || event === "post.approved")?.approval;
  if (last === null || last === undefined) return null;
  return (
    <>
      Revision {last.rev} was {last.state} by {last.by}
      {last.reason !== null && <>: “{last.reason}”</>}. It was changed since.
    </>
  );
}

const MINUTE_MS = 60_000;

function Decision({ post }: { post: Post }) {
  const say = useSay();
  const clock = useClock();
  const isLate = post.publish_at !== null && Date.parse(post.publish_at) < Date.now() - MINUTE_MS;
  const approve = useAct(
    async (client, _: null) =>
      client.call("posts.approve", {
        params: { id: post.id },
        body: { rev: post.rev, ...(isLate ? { publish_at: null } : {}) },
      }),
    ["posts", "events"],
  );
  const goesNow = isLate || post.publish_at === null;
  return (
    <div className="stack tight">
      {isLate && <p className="note">Its time is over. Approved, it goes out now; edit it to give it another time.</p>}
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
                    ? "Approved: it is going out"
                    : `Approved for ${clock.full(body.publish_at)} ${clock.zone} time`,
                ),
            })
          }
        >
          {goesNow ? "Approve and post now" : "Approve exactly this"}
        </button>
        <Link href={`/compose?post=${post.id}`} className="button">
          Edit
        </Link>
      </div>
      <details>
        <summary>Decline</summary>
        <ActForm
          act={(client, form) =>
            client.call("posts.decline", { params: { id: post.id }, body: { rev: post.rev, reason: form("reason") } })
          }
          changes={["posts", "events"]}
          done="Declined: it is a draft again"
          button="Decline it"
          why={null}
        >
          <label className="field">
            <span>Reason</span>
            <textarea name="reason" rows={3} required maxLength={REASON_LENGTH_MAX} />
            <small>For the person who wrote it.</small>
          </label>
        </ActForm>
      </details>
      <ReviewLink key={post.rev} post={post} />
    </div>
  );
}
