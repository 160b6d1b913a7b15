// Composes a notice from the current state when it is mailed. Returns null if the notice is no longer true; nothing is
// mailed then.
import { FAILURES, type FailureCode } from "../domain/delivery/failure.ts";
import { getLastTry } from "../domain/delivery/stored-facts.ts";
import { STATUS_OF } from "../domain/delivery/transitions.ts";
import { readEventBody, readQueueNews, readVersionNews } from "../domain/event-body.ts";
import { localReading } from "../domain/instant.ts";
import { shortened } from "../domain/letter.ts";
import { isMentioned } from "../domain/mentions.ts";
import { networkName } from "../domain/network-name.ts";
import { isRefusalCode, REFUSALS } from "../domain/refusal-codes.ts";
import type { Recipient } from "../store/accounts/notifications.ts";
import type { Database } from "../store/db/db.ts";
import {
  type NoticeRow,
  type PostOfNotice,
  readChannelOfNotice,
  readEventOfNotice,
  readPostOfNotice,
} from "../store/notices.ts";
import { readCommentOfNotice } from "../store/posts/comments.ts";

/** A notice without its recipients. */
interface News {
  subject: string;
  paragraphs: string[];
  /** The dashboard page where the recipient can act on it. */
  page?: string;
  /** The members whom it concerns; all if it is absent. */
  concerns?: (member: Recipient) => boolean;
}
interface WorkspaceOfNotice {
  name: string;
  timezone: string;
}

const EXCERPT_LENGTH_MAX = 200;
/** Longest workspace name in a subject line. */
const NAME_LENGTH_MAX = 30;
/** Channels that a notice names. It counts the others. */
const CHANNELS_MAX = 20;

export async function composeNotice(
  db: Database,
  notice: NoticeRow,
  workspace: WorkspaceOfNotice,
): Promise<News | null> {
  if (notice.kind === "token_expiring") {
    const channel = await readChannelOfNotice(db, notice);
    return channel === undefined ? null : expiring(channel, workspace);
  }
  if (notice.kind === "version_ending") {
    const body = await readEventOfNotice(db, notice);
    return body === undefined ? null : versionEnds(body, workspace);
  }
  if (notice.kind === "queue_low") {
    const body = await readEventOfNotice(db, notice);
    return body === undefined ? null : queueRunsLow(body, workspace);
  }
  if (notice.kind === "mentioned") {
    const comment = await readCommentOfNotice(db, notice);
    return comment === undefined ? null : mention(comment, workspace);
  }
  const noticePost = await readPostOfNotice(db, notice);
  if (noticePost === undefined) return null;
  if (notice.kind === "approval_requested") return waits(noticePost, workspace);
  return notice.kind === "delivery_failed" ? failed(noticePost, workspace) : atRisk(noticePost, workspace);
}

function failed({ post, deliveries }: PostOfNotice, { name }: WorkspaceOfNotice): News | null {
  const wrong = deliveries.filter(({ state }) => STATUS_OF[state] === "failed");
  if (wrong.length === 0) return repeatPaused(post, name);
  const underWay = deliveries.filter(({ state }) => ["pending", "publishing", "retrying"].includes(STATUS_OF[state]));
  return {
    subject: `${shortly(name)}: a post failed on ${counted(wrong.length, deliveries.length)}`,
    paragraphs: [
      `A post in the workspace ${name} was not published on ${counted(wrong.length, deliveries.length)}.`,
      formatExcerpt(post.text),
      ...named(
        wrong.map((delivery) => `${formatChannelName(delivery)}: ${explainFailure(getLastTry(delivery).error)}`),
      ),
      ...(underWay.length === 0
        ? []
        : [
            `Publishing on ${counted(underWay.length, deliveries.length)} is still under way. You will not get another email about this post.`,
          ]),
      "For details, open the post:",
    ],
    page: `/posts/${post.id}`,
  };
}

/** A draft that was released in the meantime produces no notice. */
function repeatPaused(
  { id, status, text, publishAt, timezone, series, repeatState }: PostOfNotice["post"],
  name: string,
): News | null {
  const problem = series?.problem ?? null;
  const isDraft = status === "draft";
  if (problem === null || (!isDraft && repeatState !== "stopped")) return null;
  return {
    subject: `${shortly(name)}: a repeating post needs you to continue`,
    paragraphs: [
      isDraft
        ? `The next post of a series in the workspace ${name} was saved as a draft and will not be published until you release it.`
        : `No next post of a series in the workspace ${name} could be made, so the series has stopped.`,
      ...(isRefusalCode(problem) ? [REFUSALS[problem].message] : []),
      formatExcerpt(text),
      ...(isDraft && publishAt !== null ? [`It is planned for ${readable(publishAt, timezone)}.`] : []),
      "For details, open the post:",
    ],
    page: `/posts/${id}`,
  };
}

function atRisk({ post, deliveries, risks }: PostOfNotice, { name }: WorkspaceOfNotice): News | null {
  const errors = new Map(risks.map(({ channelId, body }) => [channelId, readEventBody(body).error]));
  const wouldFail = deliveries.filter(({ state, channelId }) => state === "pending" && errors.has(channelId));
  if (wouldFail.length === 0) return null;
  return {
    subject: `${shortly(name)}: a scheduled post will fail on ${counted(wouldFail.length, deliveries.length)}`,
    paragraphs: [
      `A scheduled post in the workspace ${name} will fail on ${counted(wouldFail.length, deliveries.length)} unless you fix the problem.`,
      formatExcerpt(post.text),
      ...(post.dueAt === null ? [] : [`It is due at ${readable(post.dueAt, post.timezone)}.`]),
      ...named(
        wouldFail.map(
          (delivery) => `${formatChannelName(delivery)}: ${explainFailure(errors.get(delivery.channelId) ?? null)}`,
        ),
      ),
      "For details, open the post:",
    ],
    page: `/posts/${post.id}`,
  };
}

/** A post that was decided on in the meantime produces no notice. */
function waits({ post }: PostOfNotice, { name }: WorkspaceOfNotice): News | null {
  if (post.status !== "awaiting_approval") return null;
  return {
    subject: `${shortly(name)}: a post is waiting for approval`,
    paragraphs: [
      `A post in the workspace ${name} is waiting for approval. Nothing is published until a member approves it.`,
      formatExcerpt(post.text),
      ...(post.publishAt === null ? [] : [`It is planned for ${readable(post.publishAt, post.timezone)}.`]),
      "To approve or decline it, open the approvals:",
    ],
    page: `/approvals?post=${post.id}`,
  };
}

/** A channel that was reconnected in the meantime produces no notice. */
function expiring(
  { platform, handle, tokenExpiresAt, body }: NonNullable<Awaited<ReturnType<typeof readChannelOfNotice>>>,
  { name, timezone }: WorkspaceOfNotice,
): News | null {
  if (tokenExpiresAt === null || tokenExpiresAt !== readEventBody(body).tokenExpiresAt) return null;
  return {
    subject: `${shortly(name)}: reconnect ${handle} on ${platform}`,
    paragraphs: [
      `Access to ${handle} on ${platform}, a channel of the workspace ${name}, expires at ${readable(tokenExpiresAt, timezone)}.`,
      "Reconnect the channel before then. Its queued posts are kept, but a post that is due later fails until you reconnect it.",
    ],
    page: "/channels",
  };
}

/** The author of a comment gets no mail about it. */
function mention(
  { text, author, postId, postText }: NonNullable<Awaited<ReturnType<typeof readCommentOfNotice>>>,
  { name }: WorkspaceOfNotice,
): News {
  return {
    subject: `${shortly(name)}: ${shortly(author.name)} mentioned you in a comment`,
    paragraphs: [
      `${author.name} mentioned you in a comment on a post in the workspace ${name}:`,
      formatExcerpt(text),
      "The post:",
      formatExcerpt(postText),
    ],
    page: `/posts/${postId}`,
    concerns: (member) => member.userId !== author.id && isMentioned(text, member),
  };
}

function versionEnds(body: string, { name }: WorkspaceOfNotice): News | null {
  const news = readVersionNews(body);
  if (news === null) return null;
  const network = networkName(news.platform);
  return {
    subject: `${shortly(name)}: ${network} is retiring the API version that Crier uses`,
    paragraphs: [
      `From ${news.supportedUntil}, ${network} may stop answering version ${news.version} of its API, which your Crier deployment uses.`,
      `Posts to ${network} from the workspace ${name} may then fail. To prevent this, the operator installs a newer release of Crier or sets another API version: see docs/networks.md, "Versions of their APIs".`,
    ],
  };
}

function queueRunsLow(body: string, { name, timezone }: WorkspaceOfNotice): News | null {
  const news = readQueueNews(body);
  if (news === null) return null;
  const { handle, platform, latestAt } = news;
  const last =
    latestAt === null ? "No post is left in it." : `Its last post is due at ${readable(latestAt, timezone)}.`;
  return {
    subject: `${shortly(name)}: the queue runs low for ${handle}`,
    paragraphs: [
      `The queue of ${handle} on ${networkName(platform)}, a channel of the workspace ${name}, runs low. ${last}`,
      "You will not get another email about this queue until it was filled again. To fill it, open the calendar:",
    ],
    page: "/calendar",
  };
}

const counted = (some: number, total: number) => {
  if (some === total) return total === 1 ? "its channel" : `all of its ${total} channels`;
  return `${some} of its ${total} channels`;
};

const formatChannelName = ({ platform, handle }: { platform: string; handle: string }) => `${handle} on ${platform}`;
const explainFailure = (error: FailureCode | null) => FAILURES[error ?? "internal_error"].hint;

function named(lines: string[]): string[] {
  const omittedCount = lines.length - CHANNELS_MAX;
  return omittedCount > 0 ? [...lines.slice(0, CHANNELS_MAX), `And ${omittedCount} more.`] : lines;
}

function formatExcerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "The post has no text." : `“${shortened(line, EXCERPT_LENGTH_MAX)}”`;
}

const shortly = (name: string) => shortened(name, NAME_LENGTH_MAX);

/** `2026-12-01 09:00 (Europe/London)` */
const readable = (instant: number, timezone: string) =>
  `${localReading(instant, timezone).slice(0, 16).replace("T", " ")} (${timezone})`;
