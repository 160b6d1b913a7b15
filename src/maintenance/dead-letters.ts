// Handles messages that exhausted the retries of their queue. Their work is recorded in rows, where the sweeper finds
// it (a user requests a password reset mail again), so this file only logs them for operators.
import { log } from "../adapters/log.ts";
import { readJob } from "../domain/job.ts";

/** Logs every message as an error, and takes it off the queue. */
export function consumeDeadLetters(batch: MessageBatch<unknown>): void {
  for (const message of batch.messages) {
    const job = readJob(message.body);
    log("error", "dead_letter", {
      operation: job?.kind ?? "unknown",
      ...(job !== null && "workspace" in job ? { workspace: job.workspace } : {}),
      ...(job !== null && "channel" in job ? { channel: job.channel } : {}),
      count: message.attempts,
    });
    message.ack();
  }
}
