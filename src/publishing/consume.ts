// A queued job says where to look; the rows say what to do (-> work-channel.ts, check-delivery.ts, renew-channel.ts,
// send-reset-mail.ts, clear-workspace.ts, end-connections.ts). Nothing here throws: what fails is looked at again by the retry of its message,
// and after that by the sweeper.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { type Job, readJob } from "../domain/job.ts";
import { canonicalJson } from "../domain/json.ts";
import { checkDeliveries } from "./check-delivery.ts";
import { clearWorkspace } from "./clear-workspace.ts";
import { Crew } from "./crew.ts";
import { endConnections } from "./end-connections.ts";
import { preflight } from "./preflight.ts";
import { renewChannel } from "./renew-channel.ts";
import { sendResetMail } from "./send-reset-mail.ts";
import { workChannel } from "./work-channel.ts";

const RETRY_DELAY_S = 10;

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
  const crew = new Crew(ctx);
  await Promise.all(
    [...groups.values()].map(async ({ job, messages }) => {
      try {
        await work(crew, job);
        for (const message of messages) message.ack();
      } catch (error) {
        log("error", "job_failed", { operation: job.kind, error: errorText(error) });
        for (const message of messages) message.retry({ delaySeconds: RETRY_DELAY_S });
      }
    }),
  );
  if (crew.settled > 0) log("info", "deliveries_settled", { count: crew.settled });
}

function work(crew: Crew, job: Job): Promise<void> {
  const { ctx, connections } = crew;
  switch (job.kind) {
    case "channel":
      return crew.tripsFor(job.workspace).withHand(() => workChannel(crew, job.workspace, job.channel));
    case "check":
      return connections.use({ slow: true }, () => checkDeliveries(ctx, job.workspace, job.channel, job.posts));
    case "preflight":
      return connections.use({ slow: true }, () => preflight(ctx, job));
    case "renew_channel":
      return connections.use({}, () => renewChannel(ctx, job.workspace, job.channel));
    case "reset_mail":
      return connections.use({}, () => sendResetMail(ctx, job.email));
    case "clear_workspace":
      return connections.use({}, () => clearWorkspace(ctx, job.workspace));
    case "end_connections":
      return connections.use({}, () => endConnections(ctx));
  }
}
