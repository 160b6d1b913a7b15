// A failed post in a list of problems. Its one button follows from what the failed channels need.
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useAct, useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Delivery, Media, Post } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { channelName } from "../ui/channel.tsx";
import { Able } from "../ui/marks.tsx";
import type { MenuEntry } from "../ui/menu.tsx";
import { getPostTitle } from "../ui/post-title.ts";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { formatList } from "../words/counts.ts";
import { describeFailure } from "../words/failures.ts";
import { More, PostLine, reconnectAddress } from "./post-line.tsx";
import { findSolution } from "./solutions.ts";

interface FailedProps {
  post: Post;
  files: ReadonlyMap<string, Media>;
  onPutAside(): void;
}

export function FailedPost({ post, files, onPutAside }: FailedProps) {
  const { whyNot } = useSession();
  const say = useSay();
  const channels = useChannels().data ?? [];
  const title = getPostTitle(post);
  const failed = post.deliveries.filter(({ status }) => status === "failed");
  const [first] = failed;
  const networks = formatList([...new Set(failed.map(({ platform }) => networkName(platform)))]);
  // A post whose outcome is unknown is sent again only after a look at the network.
  const retryable = failed.filter(({ error }) => error !== "outcome_unknown");
  const retry = useAct(
    async (client, _: null) =>
      Promise.all(
        retryable.map(({ channel }) =>
          client.call("posts.retry-delivery", { params: { id: post.id, channel }, body: {} }),
        ),
      ),
    ["posts"],
  );
  const send = () => retry.mutate(null, { onSuccess: () => say(`Sending it to ${networks} again`) });
  const solution = findSolution(post.deliveries, channels);
  const fixAddress = `/compose?fix=${post.id}`;
  const cannotSend = whyNot("publish");
  const entries: MenuEntry[] = [
    ...(solution === "fix" ? [] : [{ name: "Fix and repost", icon: "pen", href: fixAddress } as const]),
    ...(solution === "send_again" || solution === "review"
      ? []
      : [{ name: "Send again", act: send, why: cannotSend } as const]),
  ];
  return (
    <>
      <PostLine
        post={post}
        files={files}
        note={
          failed.length === 1 && first !== undefined
            ? `${nameAccount(channels, first)}: ${describeFailure(first.error ?? "", first.platform)}`
            : `Failed on ${networks}`
        }
      >
        {solution === "reconnect" && first !== undefined && (
          <Link
            href={reconnectAddress(first.channel)}
            className="button"
            aria-label={`Reconnect ${networkName(first.platform)}: ${title}`}
          >
            Reconnect
          </Link>
        )}
        {solution === "review" && (
          <Link href={`/posts/${post.id}`} className="button" aria-label={`Review ${title}`}>
            Review
          </Link>
        )}
        {solution === "fix" && (
          <Link href={fixAddress} className="button" aria-label={`Fix and repost: ${title}`}>
            Fix and repost
          </Link>
        )}
        {solution === "send_again" && (
          <Able why={cannotSend}>
            {(disabled) => (
              <Button disabled={disabled} isBusy={retry.isPending} aria-label={`Send again: ${title}`} onClick={send}>
                Send again
              </Button>
            )}
          </Able>
        )}
        <More title={title} entries={entries} onPutAside={onPutAside} />
      </PostLine>
      {retry.error !== null && (
        <li>
          <Refused error={retry.error} />
        </li>
      )}
    </>
  );
}

function nameAccount(channels: readonly Channel[], { channel: id, platform }: Delivery): string {
  const channel = channels.find((candidate) => candidate.id === id);
  return channel === undefined ? networkName(platform) : channelName(channel);
}
