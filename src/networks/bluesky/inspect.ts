// A published record seen again, and its metrics.
import * as z from "zod";
import type { VerifyOutcome } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, MetricsOutcome } from "../network.ts";
import { unanswered } from "../shared/http-call.ts";
import { onPds } from "./api.ts";
import { harmless } from "./errors.ts";
import { live, read } from "./publish.ts";
import type { Credential } from "./rule.ts";

export async function verify({ id }: { id: string }, context: ConnectorContext<Credential>): Promise<VerifyOutcome> {
  const rkey = id.slice(id.lastIndexOf("/") + 1);
  const found = await read(rkey, context);
  if (found.is === "not_published") return { is: "gone" };
  if (found.is !== "found") return unanswered(found);
  return { is: "there", url: live(context.credential.did, rkey).url };
}

const Metrics = z.object({
  posts: z.array(
    z.object({
      uri: z.string(),
      likeCount: z.number().optional(),
      repostCount: z.number().optional(),
      replyCount: z.number().optional(),
      quoteCount: z.number().optional(),
      bookmarkCount: z.number().optional(),
    }),
  ),
});

/** Asked through the account's own server, which shows its posts also where they are hidden from strangers. */
export async function readMetrics(
  { id }: { id: string },
  context: ConnectorContext<Credential>,
): Promise<MetricsOutcome> {
  const answer = await onPds(context, `app.bsky.feed.getPosts?${new URLSearchParams({ uris: id })}`);
  const counts =
    answer.is === "answer" && answer.status === 200
      ? Metrics.safeParse(answer.body).data?.posts.find(({ uri }) => uri === id)
      : undefined;
  // A post that is not indexed yet is left out of the answer.
  if (counts === undefined) return unanswered(harmless(answer, context.io.now()));
  const {
    likeCount: likes,
    repostCount: reposts,
    replyCount: comments,
    quoteCount: quotes,
    bookmarkCount: saves,
  } = counts;
  const metrics = Object.entries({ likes, reposts, comments, quotes, saves }).filter(
    ([, value]) => value !== undefined,
  );
  return { is: "read", metrics: Object.fromEntries(metrics) };
}
