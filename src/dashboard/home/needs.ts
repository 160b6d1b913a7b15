// What a person has to do: failed posts, posts that will fail, accounts to reconnect, posts to approve.
import { useState } from "react";
import type { Client } from "../../client/client.ts";
import { Refusal } from "../../client/errors.ts";
import { useWaiting } from "../approvals/waiting.ts";
import { useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Post } from "../types.ts";

const DAY_MS = 24 * 3_600_000;
export const WEEK_MS = 7 * DAY_MS;
/** How many posts at risk are read, with one call each. */
const AT_RISK_MAX = 10;

export type Need =
  | { kind: "failed"; key: string; post: Post }
  | { kind: "at_risk"; key: string; post: Post }
  | { kind: "waiting"; key: string; post: Post }
  | { kind: "reconnect"; key: string; channel: Channel };

/** Upcoming posts that would have failed according to a check within the last day, the next one first. */
export async function readAtRisk(client: Client, knownPosts: Post[], signal: AbortSignal): Promise<Post[]> {
  const { body } = await client.call("events.list", { query: { event: "delivery.at_risk", limit: "50" }, signal });
  const since = new Date(client.now() - DAY_MS).toISOString();
  const ids = new Set(
    body.events.flatMap(({ post, created_at }) => (post === null || created_at < since ? [] : [post])),
  );
  const posts = await Promise.all(
    [...ids].slice(0, AT_RISK_MAX).map(async (id) => {
      const knownPost = knownPosts.find((candidate) => candidate.id === id);
      if (knownPost !== undefined) return knownPost;
      try {
        return (await client.call("posts.get", { params: { id }, signal })).body;
      } catch (error) {
        // The post was discarded meanwhile.
        if (error instanceof Refusal && error.status === 404) return null;
        throw error;
      }
    }),
  );
  return posts
    .flatMap((post) => (post?.status === "scheduled" ? [post] : []))
    .sort((first, second) => (first.due_at ?? "").localeCompare(second.due_at ?? ""));
}

const DONE = "crier:done";

/** The failures that this person has put aside, per browser. A failure that happens again has another key. */
function useDone() {
  const { workspace } = useSession();
  const place = `${DONE}:${workspace.id}`;
  const [keys, setKeys] = useState<string[]>(() => (localStorage.getItem(place) ?? "").split(" "));
  const putAside = (key: string) => {
    const next = [...keys, key].slice(-100);
    setKeys(next);
    localStorage.setItem(place, next.join(" "));
  };
  return { isDone: (key: string) => keys.includes(key), putAside };
}

/** The things to do, the most urgent first, and a function that puts one aside. */
export function useNeeds({ failed, atRisk }: { failed: Post[]; atRisk: Post[] }) {
  const { whyNot } = useSession();
  const wait = useWaiting().data;
  const channels = useChannels().data ?? [];
  const { isDone, putAside } = useDone();
  const ending = channels.filter(
    ({ state, token_expires_at: end }) =>
      state === "needs_reconnect" || (end !== null && Date.parse(end) - Date.now() < WEEK_MS),
  );
  const waiting = whyNot("publish") === null ? (wait?.posts ?? []) : [];
  const needs: Need[] = [
    ...ending.map((channel): Need => ({ kind: "reconnect", key: channel.id, channel })),
    ...atRisk.map((post): Need => ({ kind: "at_risk", key: `${post.id}-${post.rev}-risk`, post })),
    ...failed.map((post): Need => ({ kind: "failed", key: `${post.id}-${post.updated_at}`, post })),
    ...waiting.map((post): Need => ({ kind: "waiting", key: post.id, post })),
  ];
  return {
    needs: needs.filter(({ key }) => !isDone(key)),
    putAside,
    hasMoreWaiting: wait !== undefined && wait.next !== null,
  };
}
