// One call creates a post, and the network refuses its exact repeat. After a lost answer the account's own timeline is
// searched; a post is never sent twice.
import * as z from "zod";
import {
  askedWait,
  type Commented,
  type Live,
  type Outcome,
  type PrepareOutcome,
  type ReconcileOutcome,
} from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext, FirstComment, Publication } from "../network.ts";
import { readResult, unavailable, unknown } from "../shared/http-call.ts";
import { call, readPosts } from "./api.ts";
import { readRejection } from "./errors.ts";
import { uploadAll } from "./media.ts";
import { type Credential, type Options, PublishKey } from "./rule.ts";
import { articleShown, postShown, Timeline } from "./timeline.ts";
import { findUsers } from "./users.ts";

/** How far the network's clock and ours may differ. */
const CLOCK_SKEW_MS = 60_000;

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
  save: (publishKey: PublishKey) => Promise<void>,
): Promise<PrepareOutcome> {
  if (publishKey !== null && publishKey.step !== "upload") return { is: "prepared", publishKey };
  const isReply = post.replyTo !== undefined;
  const { tagged_users: names = [], sensitive = [] } = isReply ? {} : post.options;
  // Asked before the files are sent, which a wrong name would make useless.
  const taggedIds = names.length === 0 ? [] : await findUsers(names, context);
  if (!Array.isArray(taggedIds)) return taggedIds;
  const mediaIds = await uploadAll({ files: post.media, warnings: sensitive }, publishKey, context, save);
  if (!Array.isArray(mediaIds)) return mediaIds;
  const since = context.io.now();
  if (post.postType !== "article") {
    const ready = readyFor(post, mediaIds, since);
    return { is: "prepared", publishKey: taggedIds.length === 0 ? ready : { ...ready, tagged_user_ids: taggedIds } };
  }
  const { credential, io } = context;
  const { title = "" } = post.options;
  const [cover] = mediaIds;
  const json = {
    title,
    content_state: { blocks: post.text.split("\n").map((text) => ({ type: "unstyled", text })), entities: [] },
    ...(cover === undefined ? {} : { cover_media: { media_category: "tweet_image", media_id: cover } }),
  };
  const answer = await call(io, credential.access_token, "POST", "/2/articles/draft", { json });
  const draft = readResult(answer, z.object({ data: z.object({ id: z.string() }) }))?.data;
  if (draft !== undefined)
    return { is: "prepared", publishKey: { step: "article", article_id: draft.id, since, title } };
  const rejection = readRejection(answer, io.now());
  return rejection === null || rejection.is === "unknown" ? unavailable(answer, io.now()) : rejection;
}

function readyFor({ text, replyTo }: Publication<Options>, media_ids: string[], since: number): JsonObject {
  const ready = { step: "ready", media_ids, since, text };
  return replyTo === undefined ? ready : { ...ready, before: replyTo.before };
}

export const live = (id: string, { username }: Credential): Live => ({
  is: "live",
  id,
  url: `https://x.com/${username}/status/${id}`,
  urlState: "none",
});

const Created = z.object({ data: z.object({ id: z.string().regex(/^\d+$/) }) });
const Published = z.object({ data: z.object({ post_id: z.string().regex(/^\d+$/) }) });

export async function publish(
  post: Publication<Options>,
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const { credential, io } = context;
  if (publishKey.step === "upload") throw new Error("a post is sent before its files are there");
  if (publishKey.step === "article") {
    // Without a body: articlePublish in the OpenAPI description 2.167, read 2026-11-22.
    const answer = await call(io, credential.access_token, "POST", `/2/articles/${publishKey.article_id}/publish`);
    const id = readResult(answer, Published)?.data.post_id;
    return id === undefined ? (readRejection(answer, io.now()) ?? unknown(answer, io.now())) : live(id, credential);
  }
  const { made_with_ai, paid_partnership } = post.options;
  const json = {
    // The text is left out of a post that only has files.
    text: post.text === "" ? undefined : post.text,
    media:
      publishKey.media_ids.length === 0
        ? undefined
        : { media_ids: publishKey.media_ids, tagged_user_ids: publishKey.tagged_user_ids },
    ...(post.replyTo === undefined
      ? ofFirst(post.options)
      : { reply: { in_reply_to_tweet_id: post.replyTo.parent.id } }),
    poll: post.poll && { options: post.poll.options, duration_minutes: post.poll.minutes },
    made_with_ai: made_with_ai || undefined,
    paid_partnership: paid_partnership || undefined,
  };
  const answer = await call(io, credential.access_token, "POST", "/2/tweets", { json });
  // A post with an id exists, whatever other problems the answer reports.
  const id = readResult(answer, Created)?.data.id;
  return id === undefined ? (readRejection(answer, io.now()) ?? unknown(answer, io.now())) : live(id, credential);
}

/** Fields that the first post of a thread sets for the whole thread. */
const ofFirst = ({ reply_settings, community_id, share_with_followers }: Options) => ({
  reply_settings: reply_settings === "everyone" ? undefined : reply_settings,
  community_id,
  share_with_followers,
});

/** Searches the account's own timeline. A missing post proves nothing, because it may still appear. */
export async function reconcile(
  publishKey: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  if (publishKey.step === "upload") throw new Error("nothing was sent yet");
  const { credential, io } = context;
  const query = {
    start_time: new Date(publishKey.since - CLOCK_SKEW_MS).toISOString().replace(/\.\d+Z$/, "Z"),
    max_results: "100",
  };
  const fields = ["created_at", "entities", "note", "article"];
  const answer = await readPosts(context, `/2/users/${credential.user_id}/tweets`, query, fields);
  const timeline = readResult(answer, Timeline);
  if (timeline === undefined) {
    const rejection = readRejection(answer, io.now());
    return rejection?.is === "retryable" || rejection?.is === "unauthorized" ? rejection : unknown(answer, io.now());
  }
  const post = (timeline.data ?? []).find((candidate) =>
    publishKey.step === "article"
      ? articleShown(candidate, publishKey.title)
      : postShown(candidate, publishKey.text) && !publishKey.before?.includes(candidate.id),
  );
  return post === undefined
    ? { is: "unknown", detail: "the timeline does not show the post", isAbsent: true }
    : live(post.id, credential);
}

/**
 * A comment is a reply to the account's own post, which an app may write just as it writes a thread: docs.x.com/x-api/posts,
 * read 2026-11-20. If its answer was lost, it is searched for like a post.
 */
export const firstComment: FirstComment<Credential, PublishKey> = {
  async prepare({ id }, text, { io }, ready, save) {
    if (ready !== null) return { is: "prepared", publishKey: ready };
    const publishKey = { step: "ready", media_ids: [], since: io.now(), text, before: [id] };
    await save(publishKey);
    return { is: "prepared", publishKey };
  },
  async publish({ id }, text, _ready, { credential, io }): Promise<Commented> {
    const json = { text, reply: { in_reply_to_tweet_id: id } };
    const answer = await call(io, credential.access_token, "POST", "/2/tweets", { json });
    if (readResult(answer, Created) !== undefined) return { is: "commented" };
    return readRejection(answer, io.now()) ?? unknown(answer, io.now());
  },
  async find(_published, _text, ready, context): Promise<Commented> {
    const publishKey = PublishKey.safeParse(ready).data;
    const outcome = publishKey?.step === "ready" ? await reconcile(publishKey, context) : undefined;
    if (outcome?.is === "live") return { is: "commented" };
    const notBefore = askedWait(outcome);
    return {
      is: "unknown",
      detail: "the timeline does not show it",
      ...(notBefore === undefined ? {} : { notBefore }),
    };
  },
};
