// Checks whether a published post is still there. Examplenet reports no metrics.
import type { RecheckOutcome } from "../../../../src/domain/delivery/outcome.ts";
import type { ConnectorContext } from "../../../../src/networks/network.ts";
import { readResult, unanswered, unknown } from "../../../../src/networks/shared/http-call.ts";
import { call, Post } from "./api.ts";
import { isMissing, readRejection } from "./errors.ts";
import type { Credential } from "./rule.ts";

export async function recheck({ id }: { id: string }, context: ConnectorContext<Credential>): Promise<RecheckOutcome> {
  const answer = await call(context, "GET", `/posts/${id}`);
  const post = readResult(answer, Post);
  if (post !== undefined) return { is: "there", url: post.url };
  if (isMissing(answer)) return { is: "gone" };
  const now = context.io.now();
  return unanswered(readRejection(answer, now) ?? unknown(answer, now));
}
