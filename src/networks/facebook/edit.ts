// POST /{post} with `message`, or /{video} with `description`: pages-api/posts and docs/graph-api/reference/video, read 2026-11-27. An
// app may only change posts that it made itself: the same pages. A story has no text.
import * as z from "zod";
import type { Edited } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, Published, TextEdit } from "../network.ts";
import { readGraphError } from "../shared/meta/graph.ts";
import { post, readSuccess } from "./api.ts";
import { isMissing, publishFailure } from "./errors.ts";
import { getNodeId } from "./publish.ts";
import type { Credential, Options, PublishKey } from "./rule.ts";

export async function editText(
  { id, publishKey }: Published<PublishKey>,
  { text }: TextEdit<Options>,
  { credential, io }: ConnectorContext<Credential>,
): Promise<Edited> {
  if (publishKey === null)
    return { is: "rejected", error: "content_refused", detail: "it is not known whether the post is a video" };
  const fields = publishKey.step === "video" ? { description: text } : { message: text };
  const answer = await post(io, credential.page_token, `/${getNodeId(id, publishKey)}`, fields);
  if (readSuccess(answer, z.object({ success: z.literal(true) })) !== undefined) return { is: "edited" };
  // The same answer for a post that is gone, and for one that the token may not change.
  if (isMissing(answer)) return { is: "missing", networkMessage: readGraphError(answer)?.message ?? "" };
  return publishFailure(answer, io.now());
}
