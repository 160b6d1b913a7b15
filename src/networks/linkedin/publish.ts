// One call creates a post, and the call cannot carry a key that Crier chooses. If its answer is lost, Crier searches the posts
// of a page. The posts of a member cannot be read, so the outcome stays unknown. A post is never sent twice.
import * as z from "zod";
import type { Commented, Live, Outcome, PrepareOutcome, ReconcileOutcome } from "../../domain/delivery/outcome.ts";
import { showNamedMentions } from "../../domain/posts/named-mentions.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { Poll } from "../../domain/posts/poll.ts";
import type { ConnectorContext, FirstComment, Publication } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { callFor } from "./api.ts";
import { readRejection } from "./errors.ts";
import { uploadAll } from "./media.ts";
import { isPage } from "./pages.ts";
import { readReshared } from "./reshare.ts";
import { type Credential, type Options, type PublishKey, rule, type Upload } from "./rule.ts";
import { escapeText, shownText } from "./text.ts";

/** How far the network's clock and ours may differ. */
const CLOCK_SKEW_MS = 60_000;

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: Upload) => Promise<void>,
): Promise<PrepareOutcome> {
  if (publishKey?.step === "ready") return { is: "prepared", publishKey };
  const { visibility } = post.options;
  const [misfit] = misfitOptions({ ...post, rule, options: namesOfSet(post.options) });
  const wrong =
    isPage(context.credential) && visibility !== "PUBLIC"
      ? "a page can only post with `visibility` PUBLIC"
      : (misfit?.message ?? null);
  if (wrong !== null) return { is: "rejected", error: "content_refused", detail: wrong };
  const media = await uploadAll(post, publishKey, context, save);
  if (!Array.isArray(media)) return media;
  const ready = { step: "ready", media, since: context.io.now(), text: post.text };
  return { is: "prepared", publishKey: post.poll === undefined ? ready : { ...ready, poll: post.poll.options } };
}

/** Durations by their minutes: Poll API, read 2026-11-27. */
const DURATIONS = new Map([
  [1_440, "ONE_DAY"],
  [4_320, "THREE_DAYS"],
  [10_080, "SEVEN_DAYS"],
  [20_160, "FOURTEEN_DAYS"],
]);
const buildPoll = ({ question, options, minutes }: Poll) => ({
  question,
  options: options.map((text) => ({ text })),
  settings: { duration: DURATIONS.get(minutes) },
});

function buildContent(post: Publication<Options>, urns: string[]): object | undefined {
  const { postType, options, media: files } = post;
  if (post.poll !== undefined) return { poll: buildPoll(post.poll) };
  const [first] = urns;
  // The network accepts no alt text for a video.
  const alts = files.map(({ kind, alt }) => (kind === "image" && alt !== null ? alt : undefined));
  if (postType === "article") return { article: { ...options.article, thumbnail: first } };
  if (first === undefined) return undefined;
  if (urns.length > 1) return { multiImage: { images: urns.map((id, i) => ({ id, altText: alts[i] })) } };
  const title = files[0]?.kind === "document" ? options.document_title : options.media_title;
  return { media: { id: first, altText: alts[0], title } };
}

const POST = /^urn:li:(?:share|ugcPost):\d+$/;

export const live = (urn: string): Live => ({
  is: "live",
  id: urn,
  url: `https://www.linkedin.com/feed/update/${urn}/`,
  urlState: "none",
});

export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  if (publishKey.step !== "ready") throw new Error("a post is sent before its files are there");
  const { visibility, disable_reshare, reshare } = post.options;
  const parent = reshare === undefined ? null : readReshared(reshare);
  const body = {
    author: context.credential.author,
    commentary: escapeText(post.text),
    visibility,
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    content: buildContent(post, publishKey.media),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: disable_reshare,
    ...(parent === null ? {} : { reshareContext: { parent } }),
  };
  const answer = await callFor(context, "POST", "/rest/posts", { body });
  if (answer.is === "answer" && answer.status === 201) {
    const urn = answer.headers.get("x-restli-id") ?? answer.headers.get("x-linkedin-id") ?? "";
    // The post is live, even without a known id.
    return POST.test(urn) ? live(urn) : { is: "live", id: "", url: null, urlState: "not_reported" };
  }
  return readRejection(answer, context) ?? unknown(answer, context.io.now());
}

export const Shown = z.object({
  id: z.string(),
  commentary: z.string().catch(""),
  createdAt: z.number().catch(0),
  content: z
    .object({
      media: z.object({ id: z.string() }).optional(),
      multiImage: z.object({ images: z.array(z.object({ id: z.string() })) }).optional(),
      poll: z.object({ options: z.array(z.object({ text: z.string() })) }).optional(),
    })
    .optional()
    .catch(undefined),
});
const Listed = z.object({ elements: z.array(Shown) });

/** Searches the page's newest posts for exactly one match. A missing post proves nothing, because it may still appear. */
export async function reconcile(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  if (publishKey.step !== "ready") throw new Error("nothing was sent yet");
  if (!isPage(context.credential)) return { is: "unknown", detail: "a member's posts cannot be read", final: true };
  const query = `author=${encodeURIComponent(context.credential.author)}&q=author&count=50&sortBy=CREATED`;
  const answer = await callFor(context, "GET", `/rest/posts?${query}`, { finder: true });
  const listed = readResult(answer, Listed);
  if (listed === undefined) {
    const rejection = readRejection(answer, context);
    return rejection?.is === "retryable" || rejection?.is === "unauthorized"
      ? rejection
      : unknown(answer, context.io.now());
  }
  const [match, another] = listed.elements.filter(
    ({ id, commentary, createdAt, content }) =>
      POST.test(id) &&
      createdAt >= publishKey.since - CLOCK_SKEW_MS &&
      shownText(commentary).trim() === showNamedMentions(publishKey.text).trim() &&
      JSON.stringify(listPollOptions({ content })) === JSON.stringify(publishKey.poll) &&
      // Files are compared only if the answer has their ids. The answer has no file ids for an article.
      (listFiles({ content }) ?? publishKey.media).join() === publishKey.media.join(),
  );
  if (match === undefined) return { is: "unknown", detail: "the page shows no such post", isAbsent: true };
  return another === undefined ? live(match.id) : { is: "unknown", detail: "the page shows several such posts" };
}

/** The ids of a post's files, in order; undefined if the answer has no file ids. */
export function listFiles({ content }: Pick<z.output<typeof Shown>, "content">): string[] | undefined {
  const items = content?.media === undefined ? content?.multiImage?.images : [content.media];
  return items?.map(({ id }) => id);
}

/** The options of a post's poll; undefined if it has none. */
export const listPollOptions = ({ content }: Pick<z.output<typeof Shown>, "content">): string[] | undefined =>
  content?.poll?.options.map(({ text }) => text);

/**
 * The first comment under a post: POST /rest/socialActions/{urn}/comments, comments API, read 2026-11-20. It needs a scope of its own,
 * without which it is refused with 403.
 */
export const firstComment: FirstComment<Credential, PublishKey> = {
  async publish({ id: object }, text, _ready, context): Promise<Commented> {
    const detail = "the network never returned the id of its post";
    if (object === "") return { is: "rejected", error: "content_refused", detail };
    const body = { actor: context.credential.author, object, message: { text } };
    const answer = await callFor(context, "POST", `/rest/socialActions/${encodeURIComponent(object)}/comments`, {
      body,
    });
    if (answer.is === "answer" && answer.status === 201) return { is: "commented" };
    return readRejection(answer, context) ?? unknown(answer, context.io.now());
  },
};
