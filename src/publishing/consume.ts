// A queued job says where to look; the rows say what to do (-> work-channel.ts). Nothing here throws: what fails is
// looked at again by the retry of its message, and after that by the sweeper.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { readJob } from "../domain/job.ts";
import { workChannel } from "./work-channel.ts";

/** Requests that the runtime lets one invocation have open at once. */
const CONNECTIONS = 6;
const RETRY_DELAY_S = 10;

/** Works a batch of messages; channels go side by side, each once. */
export async function consume(ctx: Context, batch: MessageBatch<unknown>): Promise<void> {
  const byChannel = new Map<string, { workspace: string; channel: string; messages: Message<unknown>[] }>();
  for (const message of batch.messages) {
    const job = readJob(message.body);
    if (job === null) {
      log("warn", "unknown_job");
      message.ack();
      continue;
    }
    const key = `${job.workspace}/${job.channel}`;
    const group = byChannel.get(key) ?? { workspace: job.workspace, channel: job.channel, messages: [] };
    group.messages.push(message);
    byChannel.set(key, group);
  }
  const waiting = [...byChannel.values()];
  const work = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const { workspace, channel, messages } = group;
      try {
        await workChannel(ctx, workspace, channel);
        for (const message of messages) message.ack();
      } catch (error) {
        log("error", "channel_work_failed", { workspace, channel, error: errorText(error) });
        for (const message of messages) message.retry({ delaySeconds: RETRY_DELAY_S });
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}
