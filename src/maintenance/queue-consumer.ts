// Consumes the queue for slow work that no post waits for: mail, and cleanup after workspaces and grants. The queue
// retries a failed message; after that the sweeper finds the work in the rows.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { retryDelayS } from "../domain/daily-limit.ts";
import { isMaintenance, type MaintenanceJob, readJob } from "../domain/job.ts";
import { canonicalJson } from "../domain/json.ts";
import { deleteWorkspaceData } from "./delete-workspace-data.ts";
import { endConnections } from "./end-connections.ts";
import { sendAccountMail } from "./send-account-mail.ts";
import { sendInvitationMail } from "./send-invitation-mail.ts";
import { sendNotices } from "./send-notices.ts";
import { sendResetMail } from "./send-reset-mail.ts";

const RETRY_DELAY_S = 10;

/** Reads a due feed. Its posts are made by the operations, which this layer does not know. */
type ReadFeed = (ctx: Context, workspaceId: string, feedId: string) => Promise<void>;

/** Whether a message is of the kind that `consumeMaintenance` handles. */
export function isMaintenanceMessage({ body }: Message<unknown>): boolean {
  const job = readJob(body);
  return job !== null && isMaintenance(job);
}

/** Runs the jobs of a batch concurrently; duplicates run once. Never throws. */
export async function consumeMaintenance(
  ctx: Context,
  batch: Pick<MessageBatch<unknown>, "messages">,
  readFeed: ReadFeed,
): Promise<void> {
  const equal = Map.groupBy(batch.messages, ({ body }) => {
    const job = readJob(body);
    return job === null ? null : canonicalJson(job);
  });
  await Promise.all([...equal.values()].map((messages) => consumeEqual(ctx, messages, readFeed)));
}

async function consumeEqual(ctx: Context, messages: Message<unknown>[], readFeed: ReadFeed): Promise<void> {
  const job = readJob(messages[0]?.body);
  if (job === null || !isMaintenance(job)) {
    log("warn", "unknown_job", { operation: job?.kind ?? "unknown" });
    for (const message of messages) message.ack();
    return;
  }
  try {
    await work(ctx, job, readFeed);
    for (const message of messages) message.ack();
  } catch (error) {
    log("error", "job_failed", { operation: job.kind, error: errorText(error) });
    const delaySeconds = retryDelayS(error, RETRY_DELAY_S, ctx.now());
    for (const message of messages) message.retry({ delaySeconds });
  }
}

function work(ctx: Context, job: MaintenanceJob, readFeed: ReadFeed): Promise<void> {
  switch (job.kind) {
    case "reset_mail":
      return sendResetMail(ctx, job.email);
    case "account_mail":
      return sendAccountMail(ctx, job);
    case "notify":
      return sendNotices(ctx, job.workspace);
    case "read_feed":
      return readFeed(ctx, job.workspace, job.feed);
    case "invitation_mail":
      return sendInvitationMail(ctx, job.invitation);
    case "clear_workspace":
      return deleteWorkspaceData(ctx, job.workspace);
    case "end_connections":
      return endConnections(ctx);
  }
}
