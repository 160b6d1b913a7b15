// POST /rest/posts/{urn} with the method PARTIAL_UPDATE sets `commentary` and returns 204: posts API, read 2026-11-20 and 2026-11-27.
// `w_member_social` is enough for the posts of a member.
import type { Edited } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, TextEdit } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { callFor } from "./api.ts";
import { isNoPost, readRejection } from "./errors.ts";
import type { Credential, Options } from "./rule.ts";
import { escapeText } from "./text.ts";

export async function editText(
  { id }: { id: string },
  { text }: TextEdit<Options>,
  context: ConnectorContext<Credential>,
): Promise<Edited> {
  const detail = "The network never returned the post's id.";
  if (id === "") return { is: "rejected", error: "outcome_unknown", detail };
  const body = { patch: { $set: { commentary: escapeText(text) } } };
  const answer = await callFor(context, "POST", `/rest/posts/${encodeURIComponent(id)}`, { body, isPartial: true });
  if (answer.is === "answer" && answer.status === 204) return { is: "edited" };
  if (isNoPost(answer)) return { is: "missing", detail: "LinkedIn does not know this post." };
  return readRejection(answer, context) ?? unknown(answer, context.io.now());
}
