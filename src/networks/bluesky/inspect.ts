// Rechecks a published record, and reads its metrics.
import * as z from "zod";
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import { type Accepted, filesAltered, textAltered } from "../../domain/delivery/readback.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext, MetricsOutcome, Published } from "../network.ts";
import { unanswered } from "../shared/http-call.ts";
import { onPds } from "./api.ts";
import type { Credential } from "./credential.ts";
import { harmless } from "./errors.ts";
import { live, parseRecordKey, read } from "./publish.ts";
import type { PublishKey } from "./rule.ts";

export async function recheck(
  { id, publishKey }: Published<PublishKey>,
  context: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const rkey = parseRecordKey(id);
  const readOutcome = await read(rkey, context);
  if (readOutcome.is === "not_published") return { is: "gone" };
  if (readOutcome.is !== "found") return unanswered(readOutcome);
  const { url } = live(context.credential.did, rkey);
  if (accepted === undefined) return { is: "there", url };
  const text = typeof readOutcome.record.text === "string" ? readOutcome.record.text : "";
  const shownFiles = filesIn(readOutcome.record);
  const sentFiles = publishKey?.step === "ready" ? filesIn(publishKey.record) : shownFiles;
  return { is: "there", url, altered: [...textAltered(text, accepted.text), ...filesAltered(shownFiles, sentFiles)] };
}

const File = z.object({ ref: z.object({ $link: z.string() }) });
const Image = z.object({ image: File });
const Files = z.object({ images: z.array(Image), items: z.array(Image), video: File }).partial();
/** If the post quotes another one, the files are in `media`. */
const Embedded = z.object({ embed: Files.extend({ media: Files.optional() }).optional() });

/** The files of a record in order, by the references to their content. */
function filesIn(record: JsonObject): string[] {
  const embed = Embedded.safeParse(record).data?.embed;
  const { images = [], items = [], video } = embed?.media ?? embed ?? {};
  const files = [...images, ...items].map(({ image }) => image);
  return [...files, ...(video === undefined ? [] : [video])].map(({ ref }) => ref.$link);
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

/** Asks through the account's own server, which also shows posts that are hidden from strangers. */
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
