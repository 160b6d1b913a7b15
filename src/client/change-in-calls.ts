// One act on any number of posts, in as many calls as the service needs.

import { BULK_POSTS_MAX } from "../domain/limits.ts";
import type { Answer } from "./client.ts";

export type BulkAnswer = Answer<"posts.bulk">["posts"][number];
interface NamedPost {
  id: string;
  rev: number;
}

/** The service does not begin with all posts of a long call. */
const isNotBegun = ({ error }: BulkAnswer) => error?.error === "rate_limited";

/** Sends the posts until the service has answered for each. If it began with none of a call's posts, these are not sent again. */
export async function changeInCalls(
  posts: NamedPost[],
  send: (posts: NamedPost[]) => Promise<BulkAnswer[]>,
): Promise<BulkAnswer[]> {
  const answers: BulkAnswer[] = [];
  for (let waiting = posts; waiting.length > 0; ) {
    const inCall = waiting.slice(0, BULK_POSTS_MAX);
    const received = await send(inCall);
    const notBegun = new Set(received.filter(isNotBegun).map(({ id }) => id));
    const isStuck = notBegun.size === inCall.length;
    answers.push(...received.filter(({ id }) => isStuck || !notBegun.has(id)));
    const sentAgain = isStuck ? [] : inCall.filter(({ id }) => notBegun.has(id));
    waiting = [...sentAgain, ...waiting.slice(inCall.length)];
  }
  return answers;
}
