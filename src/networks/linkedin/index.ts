// LinkedIn: one call creates a post. A page's own list is searched after a lost answer; a member's posts cannot be read, so
// there what gets no answer stays unknown.
import * as z from "zod";
import type { Live, Outcome, Resolution, StageOutcome } from "../../domain/outcome.ts";
import { type Look, type Measured, network, type Publication, type Work } from "../network.ts";
import { handedOver } from "../protocols/oauth.ts";
import { CALL_TIMEOUT_MS, unsure } from "../protocols/send.ts";
import { call, refusalOf, resultOf } from "./api.ts";
import { connect, consent, refresh, refreshAt } from "./auth.ts";
import { toLittleText } from "./little-text.ts";
import { uploadAll } from "./media.ts";
import { Credential, Options, rule, Token } from "./rule.ts";

/** Clocks of the network and of ours may differ by this. */
const CLOCK_SKEW_MS = 60_000;
const isPage = ({ author }: Credential) => author.startsWith("urn:li:organization:");

async function stage(
  post: Publication<Options>,
  work: Work<Credential>,
  token: Token | null,
  save: (token: Token) => Promise<void>,
): Promise<StageOutcome> {
  if (token?.step === "ready") return { is: "staged", token };
  const { visibility } = post.options;
  if (isPage(work.credential) && visibility !== "PUBLIC")
    return { is: "refused", error: "content_refused", detail: "a page's posts are PUBLIC" };
  const assets = await uploadAll(post.media, token, work, save);
  if (!Array.isArray(assets)) return assets;
  const commentary = toLittleText(post.text);
  return { is: "staged", token: { step: "ready", assets, since: work.wire.now(), commentary } };
}

/** The member of a post that shows its files or its card; undefined for a text alone. */
function contentOf(post: Publication<Options>, assets: string[]): object | undefined {
  const { article, media_title: title } = post.options;
  const [first] = assets;
  if (post.postType === "article") return { article: { ...article, thumbnail: first } };
  if (first === undefined) return undefined;
  const altOf = (i: number) => (post.media[i]?.kind === "image" ? (post.media[i]?.alt ?? undefined) : undefined);
  if (assets.length === 1) return { media: { id: first, title, altText: altOf(0) } };
  return { multiImage: { images: assets.map((id, i) => ({ id, altText: altOf(i) })) } };
}

const live = (urn: string): Live => ({
  is: "live",
  id: urn,
  url: `https://www.linkedin.com/feed/update/${urn}/`,
  urlState: "none",
});

async function send(
  post: Publication<Options>,
  token: Token,
  { credential, wire }: Work<Credential>,
): Promise<Outcome> {
  if (token.step !== "ready") throw new Error("a post is sent before its files are there");
  const { visibility, disable_reshare } = post.options;
  const json = {
    author: credential.author,
    commentary: token.commentary,
    visibility,
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    content: contentOf(post, token.assets),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: disable_reshare,
  };
  const answer = await call(wire, credential.access_token, "POST", "/rest/posts", { json });
  if (answer.is === "answer" && answer.status === 201) {
    const urn = answer.headers.get("x-restli-id") ?? answer.headers.get("x-linkedin-id");
    // Created is created, also when the answer does not say what.
    return urn === null ? { is: "live", id: "", url: null, urlState: "not_reported" } : live(urn);
  }
  return refusalOf(answer, wire.now()) ?? unsure(answer);
}

const Listed = z.object({
  elements: z.array(z.object({ id: z.string(), commentary: z.string().default(""), createdAt: z.number().optional() })),
});

async function resolve(token: Token, { credential, wire }: Work<Credential>): Promise<Resolution> {
  if (token.step !== "ready") throw new Error("nothing was sent yet");
  if (!isPage(credential)) return { is: "unsure", detail: "a member's posts cannot be read", final: true };
  const path = `/rest/posts?q=author&author=${encodeURIComponent(credential.author)}&count=50`;
  const answer = await call(wire, credential.access_token, "GET", path, { restMethod: "FINDER" });
  const listed = resultOf(answer, Listed);
  if (listed === undefined) {
    const refusal = refusalOf(answer, wire.now());
    return refusal?.is === "busy" || refusal?.is === "stale" ? refusal : unsure(answer);
  }
  const found = listed.elements.find(
    ({ commentary, createdAt = 0 }) => commentary === token.commentary && createdAt >= token.since - CLOCK_SKEW_MS,
  );
  return found === undefined ? { is: "unsure", detail: "the page does not show the post" } : live(found.id);
}

async function look({ id }: { id: string }, { credential, wire }: Work<Credential>): Promise<Look> {
  if (id === "") return { is: "unknown", detail: "the network never said which post it is" };
  const answer = await call(wire, credential.access_token, "GET", `/rest/posts/${encodeURIComponent(id)}`);
  if (answer.is === "answer" && answer.status === 200) return { is: "there", url: live(id).url };
  if (answer.is === "answer" && (answer.status === 404 || answer.status === 410)) return { is: "gone" };
  // Members' posts may not be read: a 403 is no proof of anything.
  return { is: "unknown", detail: unsure(answer).detail };
}

const Statistics = z.object({
  elements: z.array(
    z.object({
      totalShareStatistics: z
        .object({
          impressionCount: z.number(),
          uniqueImpressionsCount: z.number(),
          clickCount: z.number(),
          likeCount: z.number(),
          commentCount: z.number(),
          shareCount: z.number(),
        })
        .partial(),
    }),
  ),
});

/** Pages only: what self-serve apps may read of members is nothing. */
async function measure({ id }: { id: string }, { credential, wire }: Work<Credential>): Promise<Measured> {
  if (!isPage(credential)) return { is: "unknown", detail: "a member's figures cannot be read" };
  const kind = id.startsWith("urn:li:ugcPost:") ? "ugcPosts" : "shares";
  const owner = encodeURIComponent(credential.author);
  const path = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${owner}&${kind}=List(${encodeURIComponent(id)})`;
  const answer = await call(wire, credential.access_token, "GET", path, { restMethod: "FINDER" });
  const counts = resultOf(answer, Statistics)?.elements[0]?.totalShareStatistics;
  // A post without activity is left out: nobody measured a zero.
  if (counts === undefined) return { is: "unknown", detail: unsure(answer).detail };
  const figures = {
    views: counts.impressionCount,
    reach: counts.uniqueImpressionsCount,
    clicks: counts.clickCount,
    likes: counts.likeCount,
    comments: counts.commentCount,
    shares: counts.shareCount,
  };
  // Likes that were taken back can make a count negative for a while.
  const known = Object.entries(figures).filter(([, value]) => value !== undefined && value >= 0);
  return { is: "measured", figures: Object.fromEntries(known) };
}

export const linkedin = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  token: Token,
  sendTimeoutMs: CALL_TIMEOUT_MS,
  // Repeats are refused for a time that nobody documents: not relied on until it is seen live.
  resendAfterMs: null,
  connect,
  consent,
  refreshAt,
  refresh,
  stage,
  send,
  resolve,
  look,
  measure,
});
