// A post is written under a key of ours, so the same key can be written and read again safely.
import type * as z from "zod";
import type { Live, Outcome, PrepareOutcome, ReconcileOutcome } from "../../../../src/domain/delivery/outcome.ts";
import { type ConnectorContext, NOT_PUBLISHED, type Publication } from "../../../../src/networks/network.ts";
import { readResult, unknown } from "../../../../src/networks/shared/http-call.ts";
import { call, Post } from "./api.ts";
import { isMissing, readRejection } from "./errors.ts";
import type { Credential, Options, PublishKey } from "./rule.ts";

/** Chooses the key before anything is published. It is stored, and never changes afterwards. */
export async function prepare(
  _post: Publication<Options>,
  { io }: ConnectorContext<Credential>,
  publishKey: PublishKey | null,
): Promise<PrepareOutcome> {
  const key = publishKey?.key ?? Array.from(io.random(12), (byte) => byte.toString(16)).join("");
  return { is: "prepared", publishKey: { key } };
}

const live = ({ id, url }: z.output<typeof Post>): Live => ({ is: "live", id, url, urlState: "none" });

export async function publish(
  { text }: Publication<Options>,
  { key }: PublishKey,
  context: ConnectorContext<Credential>,
): Promise<Outcome> {
  const answer = await call(context, "PUT", `/posts/${key}`, { text });
  const post = readResult(answer, Post);
  return post === undefined
    ? (readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now()))
    : live(post);
}

export async function reconcile({ key }: PublishKey, context: ConnectorContext<Credential>): Promise<ReconcileOutcome> {
  const answer = await call(context, "GET", `/posts/${key}`);
  const post = readResult(answer, Post);
  if (post !== undefined) return live(post);
  return isMissing(answer) ? NOT_PUBLISHED : unknown(answer, context.io.now());
}
