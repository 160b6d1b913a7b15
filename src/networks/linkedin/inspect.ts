// Rechecks a published post, and reads its metrics, for which pages and members need different calls:
// learn.microsoft.com/en-us/linkedin/marketing/community-management, share statistics and member post statistics, as quoted
// by dated notes read 2026-11-20.
import * as z from "zod";
import type { RecheckOutcome } from "../../domain/delivery/outcome.ts";
import { type Accepted, filesAltered, pollAltered, textAltered } from "../../domain/delivery/readback.ts";
import type { Metric } from "../../domain/metrics.ts";
import { showNamedMentions } from "../../domain/posts/named-mentions.ts";
import type { ConnectorContext, MetricsOutcome, Published } from "../network.ts";
import { type Answer, readResult, unanswered } from "../shared/http-call.ts";
import { callFor } from "./api.ts";
import { isNoPost, readProblem } from "./errors.ts";
import { isPage } from "./pages.ts";
import { listFiles, listPollOptions, live, Shown } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";
import { shownText } from "./text.ts";

export async function recheck(
  { id, publishKey }: Published<PublishKey>,
  context: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  if (id === "") return { is: "unknown", detail: "the network never returned the post's id" };
  const answer = await callFor(context, "GET", `/rest/posts/${encodeURIComponent(id)}`);
  const post = readResult(answer, Shown.extend({ id: z.literal(id) }));
  if (post !== undefined) {
    const { url } = live(id);
    if (accepted === undefined) return { is: "there", url };
    const files = listFiles(post) ?? [];
    // An article shows its picture without a name.
    const expectedFiles =
      publishKey?.step === "ready" && accepted.options.article === undefined ? publishKey.media : files;
    const text = textAltered(shownText(post.commentary), showNamedMentions(accepted.text));
    const poll = pollAltered(listPollOptions(post), accepted);
    return { is: "there", url, altered: [...text, ...filesAltered(files, expectedFiles), ...poll] };
  }
  // A post that a member's token may not read is not necessarily gone.
  const isGone = isNoPost(answer) && isPage(context.credential);
  return isGone ? { is: "gone" } : unanswered(readProblem(answer, context));
}

const PAGE_METRICS = {
  views: "impressionCount",
  reach: "uniqueImpressionsCount",
  clicks: "clickCount",
  likes: "likeCount",
  comments: "commentCount",
  shares: "shareCount",
} as const satisfies Partial<Record<Metric, string>>;
/** The last two have existed since version 202604. */
const MEMBER_METRICS = {
  views: "IMPRESSION",
  reach: "MEMBERS_REACHED",
  likes: "REACTION",
  comments: "COMMENT",
  shares: "RESHARE",
  saves: "POST_SAVE",
  clicks: "LINK_CLICKS",
} as const satisfies Partial<Record<Metric, string>>;

export function readMetrics({ id }: { id: string }, context: ConnectorContext<Credential>): Promise<MetricsOutcome> {
  return isPage(context.credential) ? ofPage(id, context) : ofMember(id, context);
}

const unreadMetrics = (answer: Answer, context: ConnectorContext<Credential>): MetricsOutcome =>
  unanswered(readProblem(answer, context));

const Statistics = z.object({
  elements: z.array(z.object({ totalShareStatistics: z.record(z.string(), z.unknown()) })),
});

async function ofPage(urn: string, context: ConnectorContext<Credential>): Promise<MetricsOutcome> {
  const author = encodeURIComponent(context.credential.author);
  const postParameter = `${urn.includes(":share:") ? "shares" : "ugcPosts"}=List(${encodeURIComponent(urn)})`;
  const path = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${author}&${postParameter}`;
  const answer = await callFor(context, "GET", path, { finder: true });
  const elements = readResult(answer, Statistics)?.elements;
  if (elements === undefined) return unreadMetrics(answer, context);
  const [statistics] = elements;
  // The network omits posts without any activity, and also posts that are gone.
  if (statistics === undefined && (await recheck({ id: urn, publishKey: null }, context)).is !== "there")
    return unreadMetrics(answer, context);
  const metrics = Object.entries(PAGE_METRICS).flatMap(([metric, name]) => {
    const count = statistics === undefined ? 0 : statistics.totalShareStatistics[name];
    // Removed likes can lead to a negative count.
    return typeof count === "number" ? [[metric, Math.max(0, count)]] : [];
  });
  return { is: "read", metrics: Object.fromEntries(metrics) };
}

/** `count`: community-management/members/post-statistics, read 2026-11-22; open-source publishers also read `value`. */
const Total = z.object({ elements: z.array(z.object({ count: z.number().optional(), value: z.number().optional() })) });

async function ofMember(urn: string, context: ConnectorContext<Credential>): Promise<MetricsOutcome> {
  const entity = `(${urn.includes(":share:") ? "share" : "ugc"}:${encodeURIComponent(urn)})`;
  const metrics: Partial<Record<Metric, number>> = {};
  for (const [metric, type] of Object.entries(MEMBER_METRICS)) {
    const path = `/rest/memberCreatorPostAnalytics?q=entity&entity=${entity}&queryType=${type}&aggregation=TOTAL`;
    const answer = await callFor(context, "GET", path, { finder: true });
    const [total] = readResult(answer, Total)?.elements ?? [];
    const count = total?.count ?? total?.value;
    if (count !== undefined) Object.assign(metrics, { [metric]: count });
    else if (Object.keys(metrics).length === 0) return unreadMetrics(answer, context);
  }
  return { is: "read", metrics };
}
