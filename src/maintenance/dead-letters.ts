// Messages that failed as often as their queue allows. Their work is in the rows, where the sweeper finds it (a mail for
// a new password is asked for again by its user): here they are reported, so that an operator sees that something fails.
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
