// What a post says about its times besides the main one: how it repeats, and the channels with times of their own.
import { Link } from "wouter";
import { describeRepeat, readWeekday } from "../../domain/posts/describe-repeat.ts";
import { useAct, useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { describeStoredCode } from "../words/refusals.ts";
import { channelName } from "./channel.tsx";
import { Icon } from "./icons.tsx";
import { Able, Instant, useClock } from "./marks.tsx";
import { useSay } from "./toasts.tsx";
import "./repeats.css";

type Repeating = Pick<Post, "id" | "repeat" | "repeat_of" | "repeat_status" | "publish_at_local" | "status">;

/** "every Monday, until Dec 31" */
function useRepeatWords() {
  const clock = useClock();
  return ({ repeat, publish_at_local: local }: Repeating): string | null => {
    if (repeat === null) return null;
    return describeRepeat(repeat, readWeekday(local), (until) => clock.day(until));
  };
}

/** How the post repeats, with the button that stops it. `canStop`: the page has room for the button. */
export function Repeats({ post, canStop = false }: { post: Repeating; canStop?: boolean }) {
  const words = useRepeatWords()(post);
  const clock = useClock();
  const say = useSay();
  const { whyNot } = useSession();
  const stop = useAct(
    async (client, _: null) => client.call("posts.stop-repeat", { params: { id: post.id } }),
    ["posts"],
  );
  const { repeat_status: status, repeat_of: first } = post;
  if (words === null || status === null) return null;
  const { state, next_at: nextAt, problem } = status;
  const isGoingOn = state === "active" || state === "continued";
  return (
    <div className="repeats">
      <span className="repeats-words">
        <Icon name="repeat" />
        <span>
          {isGoingOn
            ? `Repeats ${words}.`
            : state === "stopped"
              ? `Repeated ${words}. Stopped.`
              : `Repeated ${words}. This is the last post.`}
          {state === "active" && nextAt !== null && ` Next: ${clock.full(nextAt)}.`}
          {first !== null && (
            <>
              {" "}
              <Link href={`/posts/${first}`}>First post of the series</Link>
            </>
          )}
        </span>
      </span>
      {problem !== null && <span role="alert">The next post is saved as a draft: {describeStoredCode(problem)}</span>}
      {canStop && isGoingOn && (
        <Able why={whyNot("publish")}>
          {(disabled) => (
            <button
              type="button"
              disabled={disabled || stop.isPending}
              onClick={() => stop.mutate(null, { onSuccess: () => say("Stopped. No further post will be made.") })}
            >
              Stop repeating
            </button>
          )}
        </Able>
      )}
    </div>
  );
}

/** The channels of a post with times of their own. */
export function ChannelTimes({ post }: { post: Pick<Post, "channels" | "overrides"> }) {
  const known = useChannels().data ?? [];
  const timed = post.channels.flatMap((id) => {
    const ownTime = post.overrides[id]?.publish_at;
    const channel = known.find((candidate) => candidate.id === id);
    return typeof ownTime === "string" && channel !== undefined ? [{ channel, ownTime }] : [];
  });
  if (timed.length === 0) return null;
  return (
    <ul className="channel-times soft">
      {timed.map(({ channel, ownTime }) => (
        <li key={channel.id}>
          {channelName(channel)}: <Instant at={ownTime} />
        </li>
      ))}
    </ul>
  );
}
