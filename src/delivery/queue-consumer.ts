// A queue message only wakes a publisher. The publisher, the Durable Object of a lane, then does the work that the sweeper
// found. Each message therefore takes milliseconds, and none has to wait while another waits for a network.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { retryDelayS } from "../domain/daily-limit.ts";
import { isMaintenance, readJob, type WakeJob } from "../domain/job.ts";
import { canonicalJson } from "../domain/json.ts";

const RETRY_DELAY_S = 10;

/** Gives the jobs of a batch to their publishers concurrently, and equal jobs only once. Never throws. */
export async function wakePublishers(ctx: Context, batch: Pick<MessageBatch<unknown>, "messages">): Promise<void> {
  const groups = new Map<string, { job: WakeJob; messages: Message<unknown>[] }>();
  for (const message of batch.messages) {
    const job = readJob(message.body);
    if (job === null || isMaintenance(job)) {
      log("warn", "unknown_job");
      message.ack();
      continue;
    }
    const key = canonicalJson(job);
    const group = groups.get(key) ?? { job, messages: [] };
    group.messages.push(message);
    groups.set(key, group);
  }
  await Promise.all(
    [...groups.values()].map(async ({ job, messages }) => {
      try {
        await wake(ctx, job);
        for (const message of messages) message.ack();
      } catch (error) {
        log("error", "job_failed", { operation: job.kind, error: errorText(error) });
        const delaySeconds = retryDelayS(error, RETRY_DELAY_S, ctx.now());
        for (const message of messages) message.retry({ delaySeconds });
      }
    }),
  );
}

function wake({ publishers, now }: Context, { workspace, lane, ...job }: WakeJob): Promise<void> {
  if (job.kind === "publish") return publishers.arm(workspace, [{ lane, at: now() }]);
  return publishers.followUp(workspace, lane, ...(job.kind === "follow_ups" ? job.tasks : [job]));
}
