// DELETE /{post}, or /{video} for a video: pages-api/posts, read 2026-11-20.
import * as z from "zod";
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, Published } from "../network.ts";
import { readGraphError } from "../shared/meta/graph.ts";
import { readSuccess, remove } from "./api.ts";
import { isMissing, publishFailure } from "./errors.ts";
import { getNodeId } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";

export async function takeDown(
  { id, publishKey }: Published<PublishKey>,
  { credential, io }: ConnectorContext<Credential>,
): Promise<TakenDown> {
  const answer = await remove(io, credential.page_token, `/${getNodeId(id, publishKey)}`);
  if (readSuccess(answer, z.object({ success: z.literal(true) })) !== undefined) return { is: "taken_down" };
  // The same answer for a post that is gone, and for one that the token may not delete.
  if (isMissing(answer)) return { is: "missing", networkMessage: readGraphError(answer)?.message ?? "" };
  return publishFailure(answer, io.now());
}
