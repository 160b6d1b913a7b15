// Step 4. The send intent: a committed row announces the irrevocable call before it is made. If the database took too long to
// confirm the intent, it is withdrawn and written once more.
import { sha256Hex } from "../adapters/digest.ts";
import { DatabaseAway } from "../domain/database-fault.ts";
import type { Retryable, Unknown } from "../domain/delivery/outcome.ts";
import type { SentContent } from "../domain/delivery/stored-facts.ts";
import { canonicalJson, type Json } from "../domain/json.ts";
import { withdrawIntent } from "../store/deliveries/send-intent.ts";
import { stopUnsent } from "./claim.ts";
import type { Connection } from "./connect.ts";
import type { Decided } from "./delivery-session.ts";
import type { Prepared } from "./prepare.ts";

/**
 * How soon after its send intent the call must be made. Recovery computes its time limits from the instant of the intent, so a
 * later call first writes a new intent.
 */
const CALL_WITHIN_MS = 10_000;

/** For a stopped post that an earlier call may have published. */
const STOPPED: Unknown = {
  is: "unknown",
  detail: "the post or its channel was stopped before it could be sent again",
};
const TOO_SLOW: Retryable = {
  is: "retryable",
  error: "internal_error",
  detail: "the database was too slow to send in time",
};

type Announcer = Pick<Connection, "session" | "recorder">;

/** Announces the call. Returns "announced", or the decision if the delivery may not be sent any more. */
export async function announce(connection: Connection, prepared: Prepared): Promise<"announced" | Decided> {
  const { session } = connection;
  const { publishKey } = prepared;
  const payloadHash = await hashPayload(prepared);
  const files = listSentContent(prepared);
  for (let tries = 0; tries < 2; tries++) {
    const ageMs = await writeIntent(connection, { publishKey, payloadHash, files });
    if (ageMs === null) return session.maybeSent ? { decision: session.decide(STOPPED) } : stopUnsent(session);
    if (ageMs <= CALL_WITHIN_MS) return "announced";
    await withdraw(connection, "unsent", "the database confirmed the intent too late");
  }
  return { decision: session.decide(TOO_SLOW) };
}

function hashPayload({ publication, publishKey }: Prepared): Promise<string> {
  const { text, options, postType, media, poll = null, replyTo } = publication;
  const sent = listSentContent({ publication });
  const files = media.map(({ id, bytes, contentType, alt }) => ({ id, bytes, contentType, alt }));
  const reply = replyTo === undefined ? {} : { reply_to: replyTo.parent.id };
  return sha256Hex(canonicalJson({ text, options, postType, poll, files, sent, token: publishKey, ...reply }));
}

/** The files that are sent from the bucket, with the thumbnail and the captions. */
function listSentContent({ publication }: Pick<Prepared, "publication">): SentContent[] {
  const { media, thumbnail, captions = [] } = publication;
  const beside = [...(thumbnail === undefined ? [] : [thumbnail]), ...captions.map(({ file }) => file)];
  return [...media, ...beside].flatMap(({ id, etag }) => (etag === undefined ? [] : [{ id, etag }]));
}

/** A call as it is announced; its publish key is not sealed yet. */
interface Announced {
  publishKey: Json;
  payloadHash: string;
  files: SentContent[];
}

/**
 * Writes the send intent. Returns the age of its instant in milliseconds, by the database's clock when it answered, or null
 * if the delivery may not be sent any more.
 */
export async function writeIntent(
  { session, recorder }: Announcer,
  { publishKey, payloadHash, files }: Announced,
): Promise<number | null> {
  session.publishKey = publishKey;
  const sealed = await session.seal(publishKey);
  const intent = await recorder.announce({ guard: { ...session.guard }, publishKey: sealed, payloadHash, files });
  if (intent === null) return null;
  session.guard.version++;
  session.state = "sending";
  session.attempts++;
  session.sentAt = intent.sentAt;
  return intent.ageMs;
}

/** Takes the send intent back because its call published nothing or never left. Throws `GuardLost`. */
export async function withdraw(
  { session, recorder }: Announcer,
  outcome: "unauthorized" | "unsent",
  reason: string,
): Promise<void> {
  const before = { ...session.guard, version: session.guard.version - 1 };
  try {
    await session.write((guard) => withdrawIntent(session.db, guard, outcome, reason));
  } catch (error) {
    if (error instanceof DatabaseAway) recorder.keepUnsent(before);
    throw error;
  }
  session.guard.fencingToken++;
  session.state = session.hasOpenSend ? "reconciling" : "staged";
}
