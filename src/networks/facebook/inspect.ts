// Rechecks a published post, and reads its metrics: Graph API insights v25.0 (blog 2025-08-15 page-insights-api-updates),
// read 2026-11-20.
import * as z from "zod";
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import { type Accepted, filesAltered, textAltered } from "../../domain/delivery/readback.ts";
import type { Metric, Metrics } from "../../domain/metrics.ts";
import type { ConnectorContext, MetricsOutcome, Published } from "../network.ts";
import { type Answer, unanswered } from "../shared/http-call.ts";
import { GONE_CONFIRM_MS, readGraphError } from "../shared/meta/graph.ts";
import { get, readSuccess } from "./api.ts";
import { failure, isMissing } from "./errors.ts";
import { ownPage } from "./pages.ts";
import { getNodeId } from "./publish.ts";
import { ATTACHMENTS, Attachments, fetchStories, listTargets, resolvePostUrl } from "./reconcile.ts";
import type { Credential, PublishKey } from "./rule.ts";

const Permalink = z.object({ permalink_url: z.string().min(1).optional() });
const Video = Permalink.extend({ description: z.string().default("") });
const Post = Permalink.extend({ message: z.string().default(""), attachments: Attachments });

export async function recheck(
  { id, publishKey }: Published<PublishKey>,
  context: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  if (publishKey?.step === "photo_story" || (publishKey?.step === "video" && publishKey.kind === "story")) {
    const stories = await fetchStories(context);
    if ("is" in stories) return unread(stories, context);
    const story = stories.find(({ post_id }) => post_id === id);
    // A story leaves the list after a day, so its absence proves nothing.
    return story === undefined
      ? { is: "unknown", detail: "not in the list of stories" }
      : { is: "there", url: story.url ?? null };
  }
  const { credential, io } = context;
  const isVideo = publishKey?.step === "video";
  const shows = isVideo ? ",description" : `,message,${ATTACHMENTS}`;
  // Without the publish key it is unknown whether it is a post or a video.
  const isCompared = accepted !== undefined && publishKey !== null;
  const fields = `permalink_url${isCompared ? shows : ""}`;
  const answer = await get(io, credential.page_token, `/${getNodeId(id, publishKey)}`, { fields });
  const there = readSuccess(answer, Permalink);
  if (there !== undefined) {
    const url = there.permalink_url === undefined ? null : resolvePostUrl(id, there.permalink_url);
    if (!isCompared) return { is: "there", url };
    if (isVideo)
      return { is: "there", url, altered: textAltered(readSuccess(answer, Video)?.description, accepted.text) };
    const post = readSuccess(answer, Post);
    const photos = publishKey.step === "feed" ? publishKey.photos.map((photo) => photo.id) : [];
    const files = photos.length === 0 || post === undefined ? [] : filesAltered(listTargets(post), photos);
    return { is: "there", url, altered: [...textAltered(post?.message, accepted.text), ...files] };
  }
  if (!isMissing(answer)) return unread(answer, context);
  // The network gives the same answer to users who lost the Page: a post is gone only if the token still covers the Page.
  const page = await ownPage(io, credential.page_token);
  const isOwn = !("is" in page) && page.id === credential.page_id;
  if (!isOwn || !(await canReadAnother(id, context))) return unread(answer, context);
  return { is: "gone", confirmAfterMs: GONE_CONFIRM_MS };
}

/** How many of the newest posts are searched, oldest first, for a post other than the missing one. */
const OTHERS_READ = "10";
const Id = z.object({ id: z.string() });

/**
 * Whether another post of the Page can be read. Only then does the absence of a post prove that it is gone (graph.ts,
 * GONE_CONFIRM_MS).
 */
async function canReadAnother(id: string, { credential, io }: ConnectorContext<Credential>): Promise<boolean> {
  const { page_id, page_token } = credential;
  const query = { fields: "id", limit: OTHERS_READ };
  const listed = await get(io, page_token, `/${page_id}/published_posts`, query);
  const otherPost = readSuccess(listed, z.object({ data: z.array(Id) }))?.data.findLast((post) => post.id !== id);
  if (otherPost === undefined) return false;
  return readSuccess(await get(io, page_token, `/${otherPost.id}`, { fields: "id" }), Id) !== undefined;
}

const unread = (answer: Answer, { io }: ConnectorContext<Credential>) => unanswered(failure(answer, io.now()));

const METRICS = {
  post_media_view: "views",
  post_total_media_view_unique: "reach",
  post_clicks: "clicks",
} as const satisfies Record<string, Metric>;

const Total = z
  .object({ summary: z.object({ total_count: z.number() }) })
  .optional()
  .catch(undefined);
const Counts = z.object({
  reactions: Total,
  comments: Total,
  shares: z.object({ count: z.number() }).optional().catch(undefined),
});
const Insights = z.object({
  data: z.array(z.object({ name: z.string(), values: z.array(z.object({ value: z.unknown() })) })),
});

/** `id` is the id of a post, or of a video that is not a post itself. */
export async function readMetrics(
  { id }: { id: string },
  context: ConnectorContext<Credential>,
): Promise<MetricsOutcome> {
  const { credential, io } = context;
  const read = (path: string, query: Record<string, string>) => get(io, credential.page_token, `/${id}${path}`, query);
  const insights = (metric: string) => read("/insights", { metric });
  const fields = "reactions.limit(0).summary(true),comments.limit(0).summary(true),shares";
  const counted = await read("", { fields });
  const counts = readSuccess(counted, Counts);
  if (counts === undefined) return unread(counted, context);
  const metrics: Metrics = readCounts(counts);
  const names = Object.keys(METRICS);
  const combinedAnswer = await insights(names.join(","));
  // If Meta has removed one of the metrics, it refuses the combined request (one source reports this for `post_media_view`),
  // so each metric is then read separately.
  const apart = readGraphError(combinedAnswer)?.code === 100;
  const answers = apart ? await Promise.all(names.map(insights)) : [combinedAnswer];
  for (const answer of answers) Object.assign(metrics, readInsights(answer));
  return { is: "read", metrics };
}

function readCounts({ reactions, comments, shares }: z.output<typeof Counts>): Metrics {
  return {
    ...(reactions === undefined ? {} : { likes: reactions.summary.total_count }),
    ...(comments === undefined ? {} : { comments: comments.summary.total_count }),
    // A post without shares lacks this field.
    shares: shares?.count ?? 0,
  };
}

function readInsights(answer: Answer): Metrics {
  const metrics: Metrics = {};
  for (const { name, values } of readSuccess(answer, Insights)?.data ?? []) {
    const metric = Object.entries(METRICS).find(([metric]) => metric === name)?.[1];
    const value = values.at(-1)?.value;
    if (metric !== undefined && typeof value === "number") metrics[metric] = value;
  }
  return metrics;
}
