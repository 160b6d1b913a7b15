// A queued job says where to look; the rows say what to do (-> work-channel.ts, renew-channel.ts, send-reset-mail.ts, clear-workspace.ts). Nothing here throws: what fails is
// looked at again by the retry of its message, and after that by the sweeper.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { type Job, readJob } from "../domain/job.ts";
import { canonicalJson } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { clearWorkspace } from "./clear-workspace.ts";
import { renewChannel } from "./renew-channel.ts";
import { sendResetMail } from "./send-reset-mail.ts";
import { workChannel } from "./work-channel.ts";

/** Requests that the runtime lets one invocation have open at once. */
const CONNECTIONS = 6;
const RETRY_DELAY_S = 10;
/**
 * An invocation ends after 15 minutes, whatever it is doing, and a send that ends with it may never be explained: so no
 * channel is begun later than this, and one takes five minutes and what its last post takes (-> work-channel.ts).
 */
const BEGIN_WITHIN_MS = 5 * MINUTE_MS;

/** Works a batch of messages, side by side; equal ones are worked once. */
export async function consume(ctx: Context, batch: MessageBatch<unknown>): Promise<void> {
  const groups = new Map<string, { job: Job; messages: Message<unknown>[] }>();
  for (const message of batch.messages) {
    const job = readJob(message.body);
    if (job === null) {
      log("warn", "unknown_job");
      message.ack();
      continue;
    }
    const key = canonicalJson(job);
    const group = groups.get(key) ?? { job, messages: [] };
    group.messages.push(message);
    groups.set(key, group);
  }
  const waiting = [...groups.values()];
  const beginUntil = ctx.now() + BEGIN_WITHIN_MS;
  const hand = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const { job, messages } = group;
      try {
        if (ctx.now() <= beginUntil) await work(ctx, job);
        else await ctx.queue.send([job]);
        for (const message of messages) message.ack();
      } catch (error) {
        log("error", "job_failed", { operation: job.kind, error: errorText(error) });
        for (const message of messages) message.retry({ delaySeconds: RETRY_DELAY_S });
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, hand));
}

function work(ctx: Context, job: Job): Promise<void> {
  switch (job.kind) {
    case "channel":
      return workChannel(ctx, job.workspace, job.channel);
    case "renew_channel":
      return renewChannel(ctx, job.workspace, job.channel);
    case "reset_mail":
      return sendResetMail(ctx, job.email);
    case "clear_workspace":
      return clearWorkspace(ctx, job.workspace);
  }
}
