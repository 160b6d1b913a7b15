// X: one call creates a post, and the network refuses its exact repeat. After a lost answer the account's own timeline is
// searched; a post is never sent twice.
import * as z from "zod";
import type { Live, Look, Outcome, Resolution, StageOutcome } from "../../domain/delivery/outcome.ts";
import { type Measured, network, type Publication, type Work } from "../network.ts";
import { CALL_TIMEOUT_MS, resultOf, unavailable, unsure } from "../shared/http-call.ts";
import { handedOver } from "../shared/oauth2.ts";
import { call, kindOf, problemsOf, refusalOf } from "./api.ts";
import { connect, consent, refresh, refreshAt } from "./auth.ts";
import { uploadAll } from "./media.ts";
import { Credential, Options, rule, Token } from "./rule.ts";
import { articleShown, postShown, Timeline } from "./timeline.ts";

/** Clocks of the network and of ours may differ by this. */
const CLOCK_SKEW_MS = 60_000;

async function stage(
  post: Publication<Options>,
  work: Work<Credential>,
  token: Token | null,
  save: (token: Token) => Promise<void>,
): Promise<StageOutcome> {
  if (token !== null && token.step !== "upload") return { is: "staged", token };
  const mediaIds = await uploadAll(post.media, token, work, save);
  if (!Array.isArray(mediaIds)) return mediaIds;
  const since = work.wire.now();
  if (post.postType !== "article")
    return { is: "staged", token: { step: "ready", media_ids: mediaIds, since, text: post.text } };
  const { credential, wire } = work;
  const { title = "" } = post.options;
  const [cover] = mediaIds;
  const json = {
    title,
    content_state: { blocks: post.text.split("\n").map((text) => ({ type: "unstyled", text })), entities: [] },
    ...(cover === undefined ? {} : { cover_media: { media_category: "tweet_image", media_id: cover } }),
  };
  const answer = await call(wire, credential.access_token, "POST", "/2/articles/draft", { json });
  const draft = resultOf(answer, z.object({ data: z.object({ id: z.string() }) }))?.data;
  if (draft !== undefined) return { is: "staged", token: { step: "article", article_id: draft.id, since, title } };
  const refusal = refusalOf(answer, wire.now());
  return refusal === null || refusal.is === "unsure" ? unavailable(answer) : refusal;
}

const live = (id: string, { username }: Credential): Live => ({
  is: "live",
  id,
  url: `https://x.com/${username}/status/${id}`,
  urlState: "none",
});

const Created = z.object({ data: z.object({ id: z.string().regex(/^\d+$/) }) });
const Published = z.object({ data: z.object({ post_id: z.string().regex(/^\d+$/) }) });

async function send(post: Publication<Options>, token: Token, work: Work<Credential>): Promise<Outcome> {
  const { credential, wire } = work;
  const create = (path: string, json: object) => call(wire, credential.access_token, "POST", path, { json });
  if (token.step === "upload") throw new Error("a post is sent before its files are there");
  if (token.step === "article") {
    const answer = await create(`/2/articles/${token.article_id}/publish`, {});
    const id = resultOf(answer, Published)?.data.post_id;
    return id === undefined ? (refusalOf(answer, wire.now()) ?? unsure(answer)) : live(id, credential);
  }
  const { reply_settings, community_id, share_with_followers, made_with_ai, paid_partnership } = post.options;
  const answer = await create("/2/tweets", {
    // A text of nothing but files is left out.
    text: post.text === "" ? undefined : post.text,
    media: token.media_ids.length === 0 ? undefined : { media_ids: token.media_ids },
    reply_settings: reply_settings === "everyone" ? undefined : reply_settings,
    community_id,
    share_with_followers,
    made_with_ai: made_with_ai || undefined,
    paid_partnership: paid_partnership || undefined,
  });
  // A post that has an id exists, whatever else the answer complains of.
  const id = resultOf(answer, Created)?.data.id;
  return id === undefined ? (refusalOf(answer, wire.now()) ?? unsure(answer)) : live(id, credential);
}

/** The account's own timeline holds it, or nothing is known: one that is not there may still come. */
async function resolve(token: Token, { credential, wire }: Work<Credential>): Promise<Resolution> {
  if (token.step === "upload") throw new Error("nothing was sent yet");
  const query = new URLSearchParams({
    start_time: new Date(token.since - CLOCK_SKEW_MS).toISOString().replace(/\.\d+Z$/, "Z"),
    max_results: "100",
    "tweet.fields": "created_at,entities,note_tweet,article",
  });
  const answer = await call(wire, credential.access_token, "GET", `/2/users/${credential.user_id}/tweets?${query}`);
  const timeline = resultOf(answer, Timeline);
  if (timeline === undefined) {
    const refusal = refusalOf(answer, wire.now());
    return refusal?.is === "busy" || refusal?.is === "stale" ? refusal : unsure(answer);
  }
  const found = (timeline.data ?? []).find((shown) =>
    token.step === "article" ? articleShown(shown, token.title) : postShown(shown, token.text),
  );
  return found === undefined
    ? { is: "unsure", detail: "the timeline does not show the post" }
    : live(found.id, credential);
}

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

/** Reads by a list of one, because a post that is missing there is said to be missing. */
const read = (id: string, fields: string, { credential, wire }: Work<Credential>) =>
  call(wire, credential.access_token, "GET", `/2/tweets?ids=${id}${fields}`);

async function look({ id }: { id: string }, work: Work<Credential>): Promise<Look> {
  const answer = await read(id, "", work);
  const found = resultOf(answer, Found)?.data?.some((shown) => shown.id === id);
  if (found === true) return { is: "there", url: live(id, work.credential).url };
  const missing = problemsOf(answer).some((problem) => kindOf(problem) === "resource-not-found");
  const readable = answer.is === "answer" && (answer.status === 200 || answer.status === 404);
  // A post of an account that is protected or suspended is hidden, not gone.
  return readable && missing ? { is: "gone" } : { is: "unknown", detail: unsure(answer).detail };
}

async function measure({ id }: { id: string }, work: Work<Credential>): Promise<Measured> {
  const answer = await read(id, "&tweet.fields=public_metrics", work);
  const metrics = resultOf(answer, Found)?.data?.find((shown) => shown.id === id)?.public_metrics;
  if (metrics === undefined) return { is: "unknown", detail: unsure(answer).detail };
  const figures = {
    views: metrics.impression_count,
    likes: metrics.like_count,
    comments: metrics.reply_count,
    reposts: metrics.retweet_count,
    quotes: metrics.quote_count,
    saves: metrics.bookmark_count,
  };
  return {
    is: "measured",
    figures: Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined)),
  };
}

export const x = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  token: Token,
  sendTimeoutMs: CALL_TIMEOUT_MS,
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
