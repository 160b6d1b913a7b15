// The first comment under a post of a network with containers: one call on Instagram, a reply of two steps on Threads.
import * as z from "zod";
import {
  type Commented,
  type Rejected,
  type Retryable,
  reasonFor,
  type Unauthorized,
} from "../../../domain/delivery/outcome.ts";
import type { Json } from "../../../domain/json.ts";
import type { ConnectorContext, FirstComment } from "../../network.ts";
import { type Answer, unanswered } from "../http-call.ts";
import {
  type ContainerKey,
  type ContainerNetwork,
  outcome,
  published,
  read,
  readBody,
  UNAVAILABLE,
  write,
  writeAt,
} from "./container.ts";
import { BY_CONTAINER, PUBLISH_CALL_TIMEOUT_MS } from "./container-publish.ts";
import { containerState, Id } from "./container-state.ts";
import type { MetaCredential } from "./login.ts";

const NO_POST: Rejected = {
  is: "rejected",
  error: "content_refused",
  detail: "the network never returned the id of its post",
};

/** A comment that one call publishes: `POST /{media-id}/comments`, gitroomhq/postiz-app, read 2026-11-20. */
export function commentUnder(network: ContainerNetwork): FirstComment<MetaCredential, ContainerKey> {
  return {
    async publish({ id }, message, _ready, context) {
      if (id.startsWith(BY_CONTAINER)) return NO_POST;
      const answer = await writeAt(network, context, `/${id}/comments`, { message }, PUBLISH_CALL_TIMEOUT_MS);
      return commented(network, answer, context);
    },
    find: ({ id }, text, _ready, context) => findComment(network, id, text, context),
  };
}

const Listed = z.object({ data: z.array(z.object({ text: z.string().optional(), username: z.string().optional() })) });

/**
 * Searches for the account's own comment by its text: `GET /{ig-media-id}/comments` lists top-level comments, newest first
 * (instagram-platform, reference of ig-media/comments, read 2026-11-24). A comment that is not listed may still appear.
 */
async function findComment(
  network: ContainerNetwork,
  id: string,
  text: string,
  context: ConnectorContext<MetaCredential>,
): Promise<Commented> {
  const failed = (answer: Answer) => unanswered(commentedOr(network, answer, context));
  const { login, user_id: userId } = context.credential;
  // The token of a Page is not the account's own, so `/me` would be the Page.
  const me = await read(network, context, login === "facebook" ? `/${userId}` : "/me", { fields: "username" });
  const username = readBody(me, z.object({ username: z.string() }))?.username;
  if (username === undefined) return failed(me);
  const answer = await read(network, context, `/${id}/comments`, { fields: "text,username", limit: "50" });
  const listed = readBody(answer, Listed)?.data;
  if (listed === undefined) return failed(answer);
  const isOurs = (comment: (typeof listed)[number]) => comment.text === text && comment.username === username;
  return listed.some(isOurs) ? { is: "commented" } : { is: "unknown", detail: "the post does not show the comment" };
}

/** A comment that is a separate post, with `reply_to_id`: gitroomhq/postiz-app, read 2026-11-20. */
export function replyTo(network: ContainerNetwork): FirstComment<MetaCredential, ContainerKey> {
  return {
    async prepare({ id }, text, context, ready, save) {
      if (id.startsWith(BY_CONTAINER)) return NO_POST;
      const container = Id.safeParse(ready).data;
      if (container === undefined) return makeReply(network, { id, text }, context, save);
      const state = await containerState(network, container.id, context);
      if (state.is === "answered" && state.status === "FINISHED")
        return { is: "prepared", publishKey: { id: container.id } };
      if (state.is === "unread" || state.status === "IN_PROGRESS") {
        return { is: "retryable", error: "network_unavailable", detail: "the network is processing the reply" };
      }
      return { is: "rejected", error: "content_refused", ...state.reason };
    },
    async publish(_post, _text, ready, context) {
      const { id } = Id.parse(ready);
      const answer = await write(network, context, network.paths.publish, { creation_id: id }, PUBLISH_CALL_TIMEOUT_MS);
      return commented(network, answer, context);
    },
  };
}

async function makeReply(
  network: ContainerNetwork,
  { id: reply_to_id, text }: { id: string; text: string },
  context: ConnectorContext<MetaCredential>,
  save: (publishKey: Json) => Promise<void>,
): Promise<Retryable | Rejected | Unauthorized> {
  const answer = await write(network, context, network.paths.posts, { media_type: "TEXT", text, reply_to_id });
  const container = readBody(answer, z.object({ id: z.string().min(1) }));
  if (container === undefined) {
    const failed = commented(network, answer, context);
    // An unpublished reply is invisible, so it may be made once more.
    if (failed.is === "unknown") return { is: "retryable", error: "network_unavailable", ...reasonFor(failed) };
    return failed.is === "commented" ? NO_POST : failed;
  }
  await save({ id: container.id });
  const retryAt = context.io.now() + network.readyDelayMs;
  return { is: "retryable", error: "network_unavailable", detail: "the reply is almost ready", retryAt };
}

/** Classifies the answer to the call that publishes a comment. */
function commented(network: ContainerNetwork, answer: Answer, context: ConnectorContext<MetaCredential>): Commented {
  return readBody(answer, Id) === undefined ? commentedOr(network, answer, context) : { is: "commented" };
}

/** Classifies an unsuccessful answer to a call about a comment. */
function commentedOr(network: ContainerNetwork, answer: Answer, context: ConnectorContext<MetaCredential>) {
  const { meaning, reason } = published(network, answer, context);
  return outcome(meaning.is === "again" ? UNAVAILABLE : meaning, reason, answer, context.io.now());
}
