// The things that need a person, each with its one button.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Media, Post } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Able, Instant } from "../ui/marks.tsx";
import { Menu } from "../ui/menu.tsx";
import { PostThumb } from "../ui/post-thumb.tsx";
import { getPostTitle } from "../ui/post-title.ts";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { describeFailure } from "../words/failures.ts";
import type { Need } from "./needs.ts";

const SHOWN = 5;

export function Todo({
  needs,
  hasMore,
  files,
  onPutAside,
}: {
  needs: Need[];
  hasMore: boolean;
  files: ReadonlyMap<string, Media>;
  onPutAside(key: string): void;
}) {
  const hidden = needs.length - SHOWN;
  if (needs.length === 0) {
    return (
      <section className="card all-set" aria-label="To do">
        <h2>You're all set.</h2>
        <p className="soft">Nothing failed, and nothing is waiting for you.</p>
      </section>
    );
  }
  return (
    <section className="card" aria-label="To do">
      <h2>{needs.length === 1 ? "1 thing needs you" : `${needs.length}${hasMore ? "+" : ""} things need you`}</h2>
      <ul className="list">
        {needs.slice(0, hidden === 1 ? SHOWN + 1 : SHOWN).map((need) => (
          <OneNeed key={need.key} need={need} files={files} onPutAside={onPutAside} />
        ))}
      </ul>
      {hidden > 1 && (
        <p>
          <Link href={needs.at(-1)?.kind === "waiting" ? "/approvals" : "/posts?status=attention"}>{hidden} more</Link>
        </p>
      )}
    </section>
  );
}

const listNetworks = (deliveries: Post["deliveries"]) =>
  new Intl.ListFormat("en", { type: "conjunction" }).format([
    ...new Set(deliveries.map(({ platform }) => networkName(platform))),
  ]);

function OneNeed({
  need,
  files,
  onPutAside,
}: {
  need: Need;
  files: ReadonlyMap<string, Media>;
  onPutAside(key: string): void;
}) {
  if (need.kind === "reconnect") {
    const { channel } = need;
    const end = channel.token_expires_at;
    return (
      <li className="list-row">
        <ChannelAvatar channel={channel} size="large" />
        <span className="list-text">
          <strong dir="auto">{channelName(channel)}</strong>
          <small className="soft">
            {channel.state === "needs_reconnect" || end === null ? (
              "Access has expired. Posts will fail until you reconnect."
            ) : (
              <>
                Access expires <Instant at={end} />.
              </>
            )}
          </small>
        </span>
        <Link href="/channels" className="button" aria-label={`Reconnect ${channelName(channel)}`}>
          Reconnect
        </Link>
      </li>
    );
  }
  if (need.kind === "failed") return <FailedPost post={need.post} files={files} onDone={() => onPutAside(need.key)} />;
  const { post } = need;
  const title = getPostTitle(post);
  return (
    <Row post={post} files={files} note={need.kind === "waiting" ? <Waiting post={post} /> : <AtRisk post={post} />}>
      {need.kind === "waiting" ? (
        <Link href={`/approvals?post=${post.id}`} className="button" aria-label={`Review ${title}`}>
          Review
        </Link>
      ) : (
        <Link href={`/compose?post=${post.id}`} className="button" aria-label={`Fix ${title}`}>
          Fix
        </Link>
      )}
    </Row>
  );
}

const Waiting = ({ post }: { post: Post }) => (
  <>
    Waiting for approval
    {post.publish_at !== null && (
      <>
        {" "}
        · planned for <Instant at={post.publish_at} />
      </>
    )}
  </>
);

const AtRisk = ({ post }: { post: Post }) => (
  <>
    Will fail on {listNetworks(post.deliveries)} unless you fix it
    {post.due_at !== null && (
      <>
        {" "}
        · <Instant at={post.due_at} />
      </>
    )}
  </>
);

function Row({
  post,
  files,
  note,
  children,
}: {
  post: Post;
  files: ReadonlyMap<string, Media>;
  note: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="list-row">
      <PostThumb post={post} files={files} />
      <span className="list-text">
        <Link href={`/posts/${post.id}`} dir="auto">
          {getPostTitle(post)}
        </Link>
        <small className="soft">{note}</small>
      </span>
      {children}
    </li>
  );
}

/** The deliveries of a failed post that can be sent again without a further question. */
const findRetryable = ({ deliveries }: Post) =>
  deliveries.filter(({ status, error }) => status === "failed" && error !== "outcome_unknown");

function FailedPost({ post, files, onDone }: { post: Post; files: ReadonlyMap<string, Media>; onDone(): void }) {
  const { whyNot } = useSession();
  const say = useSay();
  const title = getPostTitle(post);
  const failed = post.deliveries.filter(({ status }) => status === "failed");
  const [first] = failed;
  const retryable = findRetryable(post);
  const retry = useAct(
    async (client, _: null) =>
      Promise.all(
        retryable.map(({ channel }) =>
          client.call("posts.retry-delivery", { params: { id: post.id, channel }, body: {} }),
        ),
      ),
    ["posts"],
  );
  const note =
    first === undefined
      ? "Failed"
      : failed.length === 1
        ? describeFailure(first.error ?? "", first.platform)
        : `Failed on ${listNetworks(failed)}`;
  return (
    <>
      <Row post={post} files={files} note={note}>
        {first?.action === "reconnect_required" ? (
          <Link href="/channels" className="button" aria-label={`Reconnect ${networkName(first.platform)}`}>
            Reconnect
          </Link>
        ) : retryable.length === 0 ? (
          <Link href={`/posts/${post.id}`} className="button" aria-label={`Review ${title}`}>
            Review
          </Link>
        ) : (
          <Able why={whyNot("publish")}>
            {(disabled) => (
              <Button
                disabled={disabled}
                isBusy={retry.isPending}
                aria-label={`Send again: ${title}`}
                onClick={() =>
                  retry.mutate(null, { onSuccess: () => say(`Sending it to ${listNetworks(retryable)} again`) })
                }
              >
                Send again
              </Button>
            )}
          </Able>
        )}
        <Menu
          label={`More for ${title}`}
          entries={[
            { name: "Fix and repost", icon: "pen", href: `/compose?fix=${post.id}` },
            { name: "Remove from this list", icon: "tick", act: onDone },
          ]}
        />
      </Row>
      {retry.error !== null && (
        <li>
          <Refused error={retry.error} />
        </li>
      )}
    </>
  );
}
