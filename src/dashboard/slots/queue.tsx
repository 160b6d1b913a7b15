// Upcoming posts with the free slots between them; posts can be exchanged.
import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Refusal } from "../../client/errors.ts";
import { describeError } from "../api.ts";
import { useMove } from "../move.tsx";
import { useRead } from "../reads.ts";
import { repeatReads } from "../repeat-reads.ts";
import { useSession } from "../session.tsx";
import { ShownError } from "../shown-error.ts";
import type { Channel, Post } from "../types.ts";
import { Instant, useClock } from "../ui/marks.tsx";
import { PostRow } from "../ui/post-row.tsx";
import { Empty, Found, Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { buildEntries, type Entry, neighbour } from "./entries.ts";
import { type Edits, exchange, HalfExchanged, type Timed } from "./exchange.ts";
import { fetchFreeSlots } from "./free-slots.ts";

const EVERY_MS = 15_000;
const LIMIT = "50";
const FREE = 6;
type Which = "earlier" | "later";

/** `landing`: the instant of the draft in the next free slot. */
export function Queue({
  channel,
  channels,
  landing,
}: {
  channel: string;
  channels: Channel[];
  landing: string | null;
}) {
  const ofSlots = channel === "" ? channels.map(({ id }) => id) : [channel];
  const queue = useRead(
    ["posts", "queue", channel],
    async (client, signal) => {
      const query = {
        status: "scheduled",
        order: "due",
        limit: LIMIT,
        ...(channel === "" ? {} : { channel }),
      } as const;
      const [{ body }, free] = await Promise.all([
        client.call("posts.list", { query, signal }),
        fetchFreeSlots(client, ofSlots, FREE, signal),
      ]);
      return { posts: body.posts, isAll: body.next === null, free };
    },
    { every: EVERY_MS, keep: true },
  );
  return (
    <Found query={queue} what="The queue">
      {({ posts, isAll, free }) => {
        const entries = buildEntries(
          posts,
          free.map(({ at }) => at),
          isAll,
        );
        return entries.length === 0 ? (
          <Empty title="Nothing scheduled, and no free slots">
            <Link href="/compose" className="button">
              Plan a post
            </Link>
          </Empty>
        ) : (
          <>
            <Entries
              entries={entries}
              posts={posts}
              localOf={(slotAt) => free.find((slot) => slot.at === slotAt)?.at_local.slice(0, 16) ?? ""}
              landing={landing}
              servesAll={channel === "" && channels.length > 1}
            />
            {!isAll && (
              <p className="soft">
                These are the next {posts.length}. <Link href="/posts?status=scheduled">All scheduled posts</Link>
              </p>
            )}
          </>
        );
      }}
    </Found>
  );
}

/** Exchanges the times of two posts, with undo. Throws the reason if it fails. */
function useExchange() {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const say = useSay();
  const clock = useClock();
  const edits: Edits = {
    move: async ({ id, rev }, publishAt) =>
      (await client.call("posts.update", { params: { id }, body: { publish_at: publishAt }, rev })).body,
    read: async (id) => (await client.call("posts.get", { params: { id } })).body,
  };
  const anew = () => repeatReads(queries, [workspace.id, "posts"]);
  const when = ({ publish_at: publishAt }: Timed) => (publishAt === null ? "now" : clock.full(publishAt));
  const isChanged = (error: unknown) => error instanceof Refusal && error.code === "post_changed";
  const explainFailure = (error: unknown) => {
    if (isChanged(error)) return "Someone changed one of the two posts. Both keep their times.";
    if (!(error instanceof HalfExchanged)) return `${describeError(error)} Both posts keep their times.`;
    return `One post is now at the other's time, ${when(error.post)}, and couldn't be moved back. Open it and move it.`;
  };
  return async (post: Post, otherPost: Post): Promise<void> => {
    try {
      const [moved, exchanged] = await exchange(edits, post, otherPost);
      say(`Moved to ${when(moved)}. The other post goes out ${when(exchanged)}`, () => {
        exchange(edits, moved, exchanged)
          .then(
            () => say("Both posts were moved back"),
            (error: unknown) => say(explainFailure(error)),
          )
          .finally(anew);
      });
    } catch (error) {
      throw error instanceof HalfExchanged || isChanged(error) ? new ShownError(explainFailure(error)) : error;
    } finally {
      await anew();
    }
  };
}

function Entries({
  entries,
  posts,
  localOf,
  landing,
  servesAll,
}: {
  entries: Entry[];
  posts: Post[];
  localOf(slotAt: string): string;
  landing: string | null;
  servesAll: boolean;
}) {
  const { whyNot, queued } = useSession();
  const clock = useClock();
  const exchangeTimes = useExchange();
  const move = useMove();
  const say = useSay();
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [dragged, setDragged] = useState<Post | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef<{ id: string; which: Which } | null>(null);
  const reason =
    whyNot("publish") ??
    (queued === "awaiting_approval" ? "Moved posts need approval again here. Open a post to change its time." : null);

  // The pressed button moves with its post, so the focus follows it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the order of the posts changes.
  useLayoutEffect(() => {
    if (focus.current === null || busy) return;
    const { id, which } = focus.current;
    focus.current = null;
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>(`[data-post="${id}"] button`) ?? [])];
    const able = buttons.filter(({ disabled }) => !disabled);
    (able.find(({ dataset }) => dataset.which === which) ?? able[0])?.focus();
  }, [busy, entries]);

  async function act(doing: Promise<void>) {
    setBusy(true);
    setError(null);
    try {
      await doing;
    } catch (thrown) {
      setError(thrown);
      // The list may be longer than the page, so its top may be out of view.
      say(`Not moved. ${describeError(thrown)}`);
    } finally {
      setBusy(false);
    }
  }
  function drop({ at, post }: Entry) {
    setDragged(null);
    if (dragged === null || busy || dragged.publish_at === at) return;
    void act(post === null ? move(dragged, at) : exchangeTimes(dragged, post));
  }

  return (
    <div className="stack tight">
      <Refused error={error} />
      {reason !== null && <p className="note">{reason}</p>}
      <ol className="rows queue" ref={list} aria-label="The queue" aria-busy={busy}>
        {entries.map((entry) => (
          <li
            key={entry.post?.id ?? entry.at}
            className="row apart"
            data-post={entry.post?.id}
            data-free={entry.post === null}
            data-dragged={dragged !== null && dragged.id === entry.post?.id}
            draggable={entry.post !== null && reason === null}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              setDragged(entry.post);
            }}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => {
              if (dragged !== null) event.preventDefault();
            }}
            onDrop={(event) => {
              event.preventDefault();
              drop(entry);
            }}
          >
            {entry.post === null ? (
              <>
                <span className="who">
                  <Instant at={entry.at} />
                  <small>
                    {entry.at === landing
                      ? "the draft would go out here"
                      : servesAll
                        ? "free on every channel"
                        : "a free slot"}
                  </small>
                </span>
                <Link href={`/compose?at=${localOf(entry.at)}`} className="button quiet">
                  Write a post<span className="visually-hidden">: {clock.full(entry.at)}</span>
                </Link>
              </>
            ) : (
              <>
                <PostRow post={entry.post} />
                <Places
                  post={entry.post}
                  posts={posts}
                  why={reason}
                  onPress={(which, otherPost) => {
                    if (busy || entry.post === null) return;
                    focus.current = { id: entry.post.id, which };
                    void act(exchangeTimes(entry.post, otherPost));
                  }}
                />
              </>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Places({
  post,
  posts,
  why,
  onPress,
}: {
  post: Post;
  posts: Post[];
  why: string | null;
  onPress(which: Which, otherPost: Post): void;
}) {
  if (why !== null) return null;
  const name = post.text.trim().slice(0, 40) || "a post without text";
  return (
    <span className="row">
      {(["earlier", "later"] as const).map((which) => {
        const otherPost = neighbour(posts, post, which);
        return (
          <button
            key={which}
            type="button"
            className="quiet"
            data-which={which}
            disabled={otherPost === undefined}
            onClick={() => otherPost !== undefined && onPress(which, otherPost)}
          >
            {which === "earlier" ? "Move up" : "Move down"}
            <span className="visually-hidden">: {name}</span>
          </button>
        );
      })}
    </span>
  );
}
