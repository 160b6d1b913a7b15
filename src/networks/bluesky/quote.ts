// The post that a post quotes: app.bsky.embed.record, or app.bsky.embed.recordWithMedia with files or a link card (lexicons of
// bluesky-social/atproto, read 2026-11-27). A quote names the exact version of the post, by its content id.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext } from "../network.ts";
import { onPds } from "./api.ts";
import type { Credential } from "./credential.ts";
import { harmless } from "./errors.ts";
import { findDid } from "./gates.ts";
import { POST_ADDRESS } from "./rule.ts";

const Posts = z.object({
  posts: z.array(
    z.object({
      uri: z.string(),
      cid: z.string(),
      viewer: z.object({ embeddingDisabled: z.boolean().optional() }).optional(),
    }),
  ),
});

/** A reference to the quoted post, for its record. */
export async function findQuoted(
  address: string,
  context: ConnectorContext<Credential>,
): Promise<JsonObject | Rejected | Retryable | Unauthorized> {
  const [, ofApp, ofNetwork, rkey = ""] = POST_ADDRESS.exec(address) ?? [];
  const did = await findDid(ofApp ?? ofNetwork ?? "", context);
  if (typeof did === "object") return did;
  const uris = `at://${did}/app.bsky.feed.post/${rkey}`;
  const answer = await onPds(context, `app.bsky.feed.getPosts?${new URLSearchParams({ uris })}`);
  const posts = answer.is === "answer" && answer.status === 200 ? Posts.safeParse(answer.body).data?.posts : undefined;
  if (posts === undefined) return harmless(answer, context.io.now());
  const post = posts.find(({ uri }) => uri === uris);
  if (post === undefined)
    return { is: "rejected", error: "content_refused", detail: "the quoted post does not exist, or is not visible" };
  if (post.viewer?.embeddingDisabled === true)
    return { is: "rejected", error: "content_refused", detail: "the author of the quoted post has turned quotes off" };
  return { uri: post.uri, cid: post.cid };
}

/** The embed of a post that quotes another one and has `media`: its files or link card; null for none. */
export function quoteEmbed(record: JsonObject, media: JsonObject | null): JsonObject {
  const quoted = { $type: "app.bsky.embed.record", record };
  return media === null ? quoted : { $type: "app.bsky.embed.recordWithMedia", record: quoted, media };
}
