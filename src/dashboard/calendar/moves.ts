// Moves posts in the calendar. A post appears at its new place at once, and moves back if the service refuses.
import { useCallback, useMemo, useState } from "react";
import { describeError } from "../api.ts";
import { getMoveAbility, useMove } from "../move.tsx";
import { useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Post } from "../types.ts";
import { useSay } from "../ui/toasts.tsx";
import type { Point } from "./dragging.ts";
import { byDay, type Days, type Entry, entryMaker } from "./entries.ts";

interface DropRefused {
  point: Point;
  words: string;
}
interface Moves {
  days: Days;
  entries: ReadonlyMap<string, Entry>;
  /** Why the last move was refused, and where the post was dropped. */
  refusal: DropRefused | null;
  forget(): void;
  /** Moves a post to a local time without a zone, on the workspace's clock. `point`: the drop position. */
  move(entry: Entry, to: string, point: Point): void;
}

const NO_POSTS: Post[] = [];
const NO_CHANNELS: Channel[] = [];

export function useMoves(posts: Post[] = NO_POSTS): Moves {
  const { workspace, whyNot } = useSession();
  const send = useMove();
  const say = useSay();
  const [refusal, setRefusal] = useState<DropRefused | null>(null);
  const [moving, setMoving] = useState<ReadonlyMap<string, string>>(new Map());
  const { data: channels = NO_CHANNELS } = useChannels();
  const [mayPublish, mayDraft] = [whyNot("publish") === null, whyNot("draft") === null];
  const makeEntries = useMemo(
    () =>
      entryMaker(workspace.timezone, channels, (post) => {
        const ability = getMoveAbility(post);
        return (ability === "publish" && mayPublish) || (ability === "draft" && mayDraft);
      }),
    [workspace.timezone, channels, mayPublish, mayDraft],
  );
  const entries = useMemo(
    () => new Map(posts.flatMap(makeEntries).map((entry) => [entry.id, entry] as const)),
    [posts, makeEntries],
  );
  const days = useMemo(() => byDay(entries.values(), moving), [entries, moving]);
  const forget = useCallback(() => setRefusal(null), []);

  async function move(entry: Entry, to: string, point: Point): Promise<void> {
    setRefusal(null);
    setMoving((before) => new Map(before).set(entry.id, to));
    try {
      await send(entry.post, to, entry.ownTimeOf);
    } catch (error) {
      const words = describeError(error);
      setRefusal({ point, words });
      say(`Not moved. ${words}`);
    }
    setMoving((before) => new Map([...before].filter(([id]) => id !== entry.id)));
  }
  return { days, entries, refusal, forget, move: (entry, to, point) => void move(entry, to, point) };
}
