// Limits the size of publish keys, because they contain values from networks and must fit into a row of the database.
import type { Live, PrepareOutcome, Processing, Retryable, Unknown } from "../../domain/delivery/outcome.ts";
import type { Json } from "../../domain/json.ts";

/**
 * The length limit of a publish key as JSON. A sealed key of this length still fits into a row of 2 MB
 * (developers.cloudflare.com/d1/platform/limits, read 2026-11-20).
 */
const PUBLISH_KEY_LENGTH_MAX = 250_000;

class PublishKeyTooLong extends Error {
  override name = "PublishKeyTooLong";
}

const detail = "the network's answer is too long to continue with";
const TRY_LATER: Retryable = { is: "retryable", error: "network_unavailable", detail };
const UNKNOWN: Unknown = { is: "unknown", detail };

const isKeepable = (publishKey: Json): boolean => JSON.stringify(publishKey).length <= PUBLISH_KEY_LENGTH_MAX;

/** Runs `prepare`. If a publish key is too large to be stored, the post must be retried later. */
export async function prepareKept(
  prepare: (save: (publishKey: Json) => Promise<void>) => Promise<PrepareOutcome>,
  save: (publishKey: Json) => Promise<void>,
): Promise<PrepareOutcome> {
  try {
    const answer = await prepare(async (publishKey) => {
      if (!isKeepable(publishKey)) throw new PublishKeyTooLong();
      await save(publishKey);
    });
    return answer.is === "prepared" && !isKeepable(answer.publishKey) ? TRY_LATER : answer;
  } catch (error) {
    if (error instanceof PublishKeyTooLong) return TRY_LATER;
    throw error;
  }
}

/** Removes the publish key from an outcome if the key is too large to be stored. The delivery then keeps its previous key. */
export function withKeptPublishKey<Answer extends { is: string }>(
  outcome: Answer | Live | Processing,
): Answer | Live | Processing | Unknown {
  if (!hasPublishKey(outcome) || outcome.publishKey === undefined || isKeepable(outcome.publishKey)) return outcome;
  if (outcome.is === "processing") return UNKNOWN;
  const { publishKey: _, ...live } = outcome;
  return live;
}

const hasPublishKey = (outcome: { is: string } | Live | Processing): outcome is Live | Processing =>
  outcome.is === "live" || outcome.is === "processing";
