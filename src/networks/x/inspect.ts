// Rechecks a published post, and reads its metrics.
import * as z from "zod";
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import { type Accepted, filesAltered } from "../../domain/delivery/readback.ts";
import type { ConnectorContext, MetricsOutcome, Published } from "../network.ts";
import { type Answer, readResult, unanswered, unknown } from "../shared/http-call.ts";
import { getProblemKind, readPosts, readProblems } from "./api.ts";
import { readRejection } from "./errors.ts";
import { live } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";
import { Timeline, textKept } from "./timeline.ts";

/** `repost_count` in the OpenAPI description 2.167, `retweet_count` in the guides: both read 2026-11-22. */
const Found = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        public_metrics: z
          .object({
            impression_count: z.number(),
            like_count: z.number(),
            reply_count: z.number(),
            repost_count: z.number(),
            retweet_count: z.number(),
            quote_count: z.number(),
            bookmark_count: z.number(),
          })
          .partial()
          .optional(),
      }),
    )
    .optional(),
});

/** Reads through the call for lists, because that call reports a missing post as missing. */
const read = (id: string, fields: readonly string[], context: ConnectorContext<Credential>) =>
  readPosts(context, "/2/tweets", { ids: id }, fields);

export async function recheck(
  { id, publishKey }: Published<PublishKey>,
  context: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const answer = await read(id, accepted === undefined ? [] : ["attachments", "entities", "note"], context);
  const post = readResult(answer, Timeline)?.data?.find((candidate) => candidate.id === id);
  if (post !== undefined) {
    const { url } = live(id, context.credential);
    // An article is read without its text.
    if (accepted === undefined || publishKey?.step === "article") return { is: "there", url };
    const files = post.attachments?.media_keys?.map(mediaId) ?? [];
    const expectedIds = publishKey?.step === "ready" ? publishKey.media_ids : files;
    const isText = textKept(post, accepted.text);
    // The options would be a further object, so only the presence of a poll is compared.
    const isPoll = !accepted.poll || (post.attachments?.poll_ids ?? []).length > 0;
    const altered = [...(isText ? [] : (["text"] as const)), ...filesAltered(files, expectedIds)];
    return { is: "there", url, altered: isPoll ? altered : [...altered, "poll"] };
  }
  const missing = readProblems(answer).some((problem) => getProblemKind(problem) === "resource-not-found");
  const readable = answer.is === "answer" && (answer.status === 200 || answer.status === 404);
  // A post of a protected or suspended account is hidden, not gone.
  return readable && missing ? { is: "gone" } : unread(answer, context);
}

/** A file's key is its kind and its id: MediaKey of the OpenAPI description 2.167, read 2026-11-22. */
const mediaId = (key: string) => key.slice(key.indexOf("_") + 1);

const unread = (answer: Answer, { io }: ConnectorContext<Credential>) =>
  unanswered(readRejection(answer, io.now()) ?? unknown(answer, io.now()));

export async function readMetrics(
  { id }: { id: string },
  context: ConnectorContext<Credential>,
): Promise<MetricsOutcome> {
  const answer = await read(id, ["public_metrics"], context);
  const counts = readResult(answer, Found)?.data?.find((post) => post.id === id)?.public_metrics;
  if (counts === undefined) return unread(answer, context);
  const metrics = {
    views: counts.impression_count,
    likes: counts.like_count,
    comments: counts.reply_count,
    reposts: counts.repost_count ?? counts.retweet_count,
    quotes: counts.quote_count,
    saves: counts.bookmark_count,
  };
  return {
    is: "read",
    metrics: Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== undefined)),
  };
}
