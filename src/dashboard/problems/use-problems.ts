// The problems of a workspace, each of which a person can solve: the home page, the inbox and the menu show them.
import { useChannels, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel } from "../types.ts";
import { findProblems, type Problem } from "./find-problems.ts";
import { usePutAside } from "./put-aside.ts";
import { readAtRisk, readProblemPosts } from "./read-problems.ts";

const EVERY_MS = 60_000;
const WEEK_MS = 7 * 24 * 3_600_000;

const needsReconnect = ({ state, token_expires_at: end }: Channel, now: number) =>
  state === "needs_reconnect" || (state === "connected" && end !== null && Date.parse(end) - now < WEEK_MS);

/** The problems, the most urgent first, and a function that puts one aside. */
export function useProblems() {
  const { client } = useSession();
  const posts = useRead(["posts", "problems"], readProblemPosts, { every: EVERY_MS });
  const atRisk = useRead(["posts", "at risk"], readAtRisk, { every: EVERY_MS });
  const channels = useChannels();
  const { isPutAside, putAside } = usePutAside();
  const now = client.now();
  const problems: Problem[] = [
    ...(channels.data ?? [])
      .filter((channel) => needsReconnect(channel, now))
      .map((channel): Problem => ({ kind: "reconnect", key: channel.id, channel })),
    ...(atRisk.data ?? []).map((post): Problem => ({ kind: "at_risk", key: `${post.id}-${post.rev}-risk`, post })),
    ...(posts.data?.posts ?? []).flatMap(findProblems),
  ];
  return {
    problems: problems.filter(({ key }) => !isPutAside(key)),
    hasMore: posts.data?.hasMore === true,
    /** The read that decides whether the list can be shown. */
    query: posts,
    putAside,
  };
}
