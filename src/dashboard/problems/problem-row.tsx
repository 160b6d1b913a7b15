// A problem in a list, with the one button that solves it.
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useSession } from "../session.tsx";
import type { Media, Post } from "../types.ts";
import { ChannelAvatar, channelName } from "../ui/channel.tsx";
import { Instant } from "../ui/marks.tsx";
import { getPostTitle } from "../ui/post-title.ts";
import { formatList } from "../words/counts.ts";
import { nameAlteration } from "../words/states.ts";
import { FailedPost } from "./failed-post.tsx";
import type { Problem } from "./find-problems.ts";
import { More, PostLine, reconnectAddress } from "./post-line.tsx";

interface RowProps {
  problem: Problem;
  files: ReadonlyMap<string, Media>;
  onPutAside(): void;
}

export function ProblemRow({ problem, files, onPutAside }: RowProps) {
  switch (problem.kind) {
    case "reconnect":
      return <Reconnect problem={problem} />;
    case "at_risk":
      return <AtRisk post={problem.post} files={files} />;
    case "failed":
      return <FailedPost post={problem.post} files={files} onPutAside={onPutAside} />;
    case "removed":
      return <Removed problem={problem} files={files} onPutAside={onPutAside} />;
    case "altered":
      return <Altered problem={problem} files={files} onPutAside={onPutAside} />;
  }
}

type OfKind<Kind extends Problem["kind"]> = Extract<Problem, { kind: Kind }>;

function Reconnect({ problem: { channel } }: { problem: OfKind<"reconnect"> }) {
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
      <Link href={reconnectAddress(channel.id)} className="button" aria-label={`Reconnect ${channelName(channel)}`}>
        Reconnect
      </Link>
    </li>
  );
}

const listNetworks = (deliveries: Post["deliveries"]) =>
  formatList([...new Set(deliveries.map(({ platform }) => networkName(platform)))]);

function AtRisk({ post, files }: { post: Post; files: ReadonlyMap<string, Media> }) {
  return (
    <PostLine
      post={post}
      files={files}
      note={
        <>
          Will fail on {listNetworks(post.deliveries)} unless you fix it
          {post.due_at !== null && (
            <>
              {" "}
              · <Instant at={post.due_at} />
            </>
          )}
        </>
      }
    >
      <Link href={`/compose?post=${post.id}`} className="button" aria-label={`Fix ${getPostTitle(post)}`}>
        Fix
      </Link>
    </PostLine>
  );
}

interface LiveProps<Kind extends Problem["kind"]> {
  problem: OfKind<Kind>;
  files: ReadonlyMap<string, Media>;
  onPutAside(): void;
}

function Removed({ problem: { post, delivery }, files, onPutAside }: LiveProps<"removed">) {
  const { whyNot } = useSession();
  const title = getPostTitle(post);
  return (
    <PostLine
      post={post}
      files={files}
      note={`It's no longer on ${networkName(delivery.platform)}. It was removed there.`}
    >
      {whyNot("draft") === null && (
        <Link href={`/compose?fix=${post.id}`} className="button" aria-label={`Post again: ${title}`}>
          Post again
        </Link>
      )}
      <More title={title} onPutAside={onPutAside} />
    </PostLine>
  );
}

function Altered({ problem: { post, delivery }, files, onPutAside }: LiveProps<"altered">) {
  const name = networkName(delivery.platform);
  const changes = formatList((delivery.readback?.altered ?? []).map(nameAlteration));
  const title = getPostTitle(post);
  return (
    <PostLine post={post} files={files} note={`${name} changed the ${changes} of your post.`}>
      {delivery.url !== null && (
        <a
          href={delivery.url}
          target="_blank"
          rel="noreferrer"
          className="button"
          aria-label={`View on ${name}: ${title}`}
        >
          View on {name}
        </a>
      )}
      <More title={title} onPutAside={onPutAside} />
    </PostLine>
  );
}
