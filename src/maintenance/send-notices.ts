// Mails members the notices that they subscribed to. A failed mail is retried for a day and delays nothing else.
import { errorText, log } from "../adapters/log.ts";
import { makeUnsubscribeToken } from "../adapters/unsubscribe-token.ts";
import type { Context } from "../context.ts";
import { buildDashboardLink } from "../domain/dashboard-link.ts";
import { letter } from "../domain/letter.ts";
import { DAY_MS, MINUTE_MS } from "../domain/limits.ts";
import { NOTIFICATION_WORDS } from "../domain/notification.ts";
import { findRecipients } from "../store/accounts/notifications.ts";
import { getWorkspace } from "../store/accounts/workspaces.ts";
import type { Database } from "../store/db/db.ts";
import { untilKnown } from "../store/db/until-known.ts";
import {
  endNotice,
  type NoticeRow,
  noteMailed,
  putOffNotice,
  takeNotice,
  workspacesToNotify,
} from "../store/notices.ts";
import { composeNotice } from "./compose-notice.ts";

const WORKSPACES_MAX = 1_000;
/** The next job continues a longer list. */
const TOGETHER_MAX = 50;
/** Older notices are not sent. */
const TOLD_WITHIN_MS = DAY_MS;
/** Retries with the queue's short delays. After these a mail waits longer. */
const SOON_MAX = 4;
const SOON_MS = 5_000;
const LATER_MS = 10 * MINUTE_MS;
/** After so many failures the job stops: the other mails would meet the same mail server. */
const FAILURES_MAX = 3;

/** Enqueues the notices of workspaces whose wake-up was lost. Without a mail configuration they wait. */
export async function findNotices(ctx: Context, db: Database): Promise<void> {
  if (ctx.mail === null) return;
  await ctx.queue.send(
    (await workspacesToNotify(db, WORKSPACES_MAX)).map((workspace) => ({ kind: "notify", workspace })),
  );
}

/** Mails the waiting notices of a workspace. Throws if a mail failed: the next job retries it. */
export async function sendNotices(ctx: Context, workspaceId: string): Promise<void> {
  if (ctx.mail === null) return;
  await ctx.homes.locate(workspaceId);
  const db = ctx.databaseOf(workspaceId);
  let failures = 0;
  for (let i = 0; i < TOGETHER_MAX && failures < FAILURES_MAX; i++) {
    const notice = await takeNotice(db, workspaceId);
    if (notice === undefined) break;
    const isLate = notice.createdAt < notice.now - TOLD_WITHIN_MS;
    if (isLate) log("error", "notice_given_up", { workspace: workspaceId, operation: notice.kind });
    if (isLate || (await tell(ctx, db, notice))) await endNotice(db, notice);
    else {
      failures++;
      await putOffNotice(db, notice, notice.attempts < SOON_MAX ? SOON_MS : LATER_MS);
    }
  }
  if (failures > 0) throw new Error("a mail was not taken");
}

/** Mails a notice to the members who have not received it. Returns whether every mail was accepted. */
async function tell(ctx: Context, db: Database, notice: NoticeRow): Promise<boolean> {
  const { workspaceId, kind, subject, mailed } = notice;
  const { mail, seal } = ctx;
  const [workspace, members] = await Promise.all([
    getWorkspace(ctx.accounts, workspaceId),
    findRecipients(ctx.accounts, workspaceId, kind),
  ]);
  const remainingMembers = members.filter(({ userId }) => !mailed.includes(userId));
  if (workspace === undefined || remainingMembers.length === 0) return true;
  const news = await composeNotice(db, notice, workspace);
  if (news === null || mail === null) return true;
  if (seal === null) throw new Error("nothing can be sealed");
  let isDone = true;
  const { concerns = () => true } = news;
  for (const { userId, email } of remainingMembers.filter(concerns)) {
    const link = `${ctx.settings.baseUrl}/unsubscribe/${await makeUnsubscribeToken(seal, { userId, workspaceId, kind })}`;
    const paragraphs = [
      ...news.paragraphs,
      ...(news.page === undefined
        ? []
        : [{ link: buildDashboardLink(ctx.settings.dashboardUrl, news.page, workspaceId) }]),
      `You receive emails about ${NOTIFICATION_WORDS[kind]} in the workspace ${workspace.name}. To turn them off, open this link:`,
      { link },
    ];
    const headers = { "List-Unsubscribe": `<${link}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    try {
      await mail.send(letter(email, news.subject, paragraphs, { headers, reference: `${kind}.${subject}.${userId}` }));
    } catch (error) {
      log("error", "mail_failed", { workspace: workspaceId, operation: kind, error: errorText(error) });
      isDone = false;
      continue;
    }
    const isOurs = await untilKnown({ pause: ctx.pause }, () => noteMailed(db, notice, userId));
    if (!isOurs) return true;
  }
  return isDone;
}
