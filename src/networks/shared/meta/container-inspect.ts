// Rechecks a published post, and reads its metrics.
import * as z from "zod";
import type { RecheckOutcome, Unknown } from "../../../domain/delivery/outcome.ts";
import { type Accepted, textAltered } from "../../../domain/delivery/readback.ts";
import type { Metric } from "../../../domain/metrics.ts";
import type { ConnectorContext, MetricsOutcome } from "../../network.ts";
import { type Answer, unanswered } from "../http-call.ts";
import {
  type ContainerKey,
  type ContainerNetwork,
  harmless,
  listPath,
  read,
  readBody,
  readError,
} from "./container.ts";
import { BY_CONTAINER, findListed, Permalink } from "./container-publish.ts";
import { Id, notDone } from "./container-state.ts";
import { GONE_CONFIRM_MS } from "./graph.ts";
import type { MetaCredential } from "./login.ts";

/** How many of the newest posts are searched, oldest first, for a post other than the missing one. */
const OTHERS_READ = 10;
const Ids = z.object({ data: z.array(Id) });

const Post = z.looseObject({
  ...Permalink.shape,
  children: z.object({ data: z.array(z.unknown()) }).optional(),
});

/** Reads a post again. If the network never reported its id, searches for the post once more. */
export async function recheckPost(
  network: ContainerNetwork,
  { id, publishKey }: { id: string; publishKey: ContainerKey | null },
  context: ConnectorContext<MetaCredential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  if (id.startsWith(BY_CONTAINER)) {
    const searchResult = publishKey?.step === "ready" ? await findListed(network, publishKey, context) : null;
    if (searchResult?.is === "found") return { is: "there", url: searchResult.permalink ?? null };
    if (searchResult?.is === "unread") return unread(network, searchResult.answer, context);
    return { is: "unknown", detail: "the network never returned the post's id" };
  }
  const { text } = network;
  const isAlbum = accepted !== undefined && accepted.files > 1;
  const fieldNames = ["id", "permalink", ...(accepted === undefined ? [] : [text]), ...(isAlbum ? ["children"] : [])];
  const answer = await read(network, context, `/${id}`, { fields: fieldNames.join() });
  const post = readBody(answer, Post);
  if (post !== undefined) {
    const url = post.permalink ?? null;
    if (accepted === undefined) return { is: "there", url };
    const publishedText = String(post[text] ?? "");
    const visible = (whole: string) => whole.replaceAll(network.hiddenSign, "");
    const altered = textAltered(visible(publishedText), visible(accepted.text));
    // The network gives the files of an album new ids, so they can only be counted.
    const count = isAlbum ? post.children?.data.length : undefined;
    const isCount = count === undefined || count === accepted.files;
    return { is: "there", url, altered: [...altered, ...(isCount ? [] : (["media_count"] as const))] };
  }
  const error = readError(answer, context);
  // Meta may also report this right after publishing, although the post exists, so the caller checks again later.
  const isMissing = error?.code === 100 && error.subcode === 33;
  if (isMissing && (await canReadAnother(network, id, context))) return { is: "gone", confirmAfterMs: GONE_CONFIRM_MS };
  return unread(network, answer, context);
}

/**
 * Whether another post of the account can be read. Only then does the absence of a post prove that it is gone (graph.ts,
 * GONE_CONFIRM_MS).
 */
async function canReadAnother(
  network: ContainerNetwork,
  id: string,
  context: ConnectorContext<MetaCredential>,
): Promise<boolean> {
  const query = { fields: "id", limit: String(OTHERS_READ) };
  const listed = readBody(await read(network, context, listPath(network, undefined, context), query), Ids);
  const otherPost = listed?.data.findLast((post) => post.id !== id);
  if (otherPost === undefined) return false;
  return readBody(await read(network, context, `/${otherPost.id}`, { fields: "id" }), Id) !== undefined;
}

const unread = (network: ContainerNetwork, answer: Answer, context: ConnectorContext<MetaCredential>): Unknown =>
  unanswered(notDone({ answer, ...harmless(network, answer, context) }, context));

/**
 * Reads metrics by the network's own names, which `names` maps to ours. If one of the names is unknown, the network refuses
 * the whole call.
 */
export async function readPostMetrics(
  network: ContainerNetwork,
  { id }: { id: string },
  names: Record<string, Metric>,
  context: ConnectorContext<MetaCredential>,
): Promise<MetricsOutcome> {
  if (id.startsWith(BY_CONTAINER)) return { is: "unknown", detail: "the network never returned the post's id" };
  const answer = await read(network, context, `/${id}/insights`, { metric: Object.keys(names).join(",") });
  const Value = z.object({ value: z.number() });
  const Insights = z.object({
    data: z.array(z.object({ name: z.string(), values: z.array(Value).optional(), total_value: Value.optional() })),
  });
  const insights = readBody(answer, Insights);
  if (insights === undefined) return unread(network, answer, context);
  const metrics: Partial<Record<Metric, number>> = {};
  for (const { name, values, total_value } of insights.data) {
    const metric = names[name];
    const value = total_value?.value ?? values?.[0]?.value;
    if (metric !== undefined && value !== undefined) metrics[metric] = value;
  }
  return { is: "read", metrics };
}
