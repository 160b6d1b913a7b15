// Converts a post and its deliveries to the form that callers see and the archive stores.
import type * as z from "zod";
import type { Delivery, SentFile as SentFileShape } from "../contract/deliveries.ts";
import type { Post } from "../contract/post-shapes.ts";
import { FAILURES } from "../domain/delivery/failure.ts";
import {
  additionMessage,
  additionNotes,
  additionsView,
  commentView,
  editView,
  getReason,
  removedByView,
  takedownView,
} from "../domain/delivery/follow-up-view.ts";
import { describeProgress, nextActionAt } from "../domain/delivery/progress.ts";
import { getLastTry, lastSentAt, type NetworkPost } from "../domain/delivery/stored-facts.ts";
import { getThreadPartStatus } from "../domain/delivery/thread.ts";
import { STATUS_OF } from "../domain/delivery/transitions.ts";
import { approvalView } from "../domain/event-body.ts";
import { isoInstant, isoOrNull, localReading } from "../domain/instant.ts";
import { earliestTime, readTimes } from "../domain/posts/own-time.ts";
import { showPostFields } from "../domain/posts/post-fields.ts";
import { nextOccurrence } from "../domain/posts/repeat.ts";
import type { SentFile } from "../domain/posts/sent-file.ts";
import { getThread } from "../domain/posts/thread.ts";
import type { Warning } from "../domain/posts/warning.ts";
import { findNetwork } from "../networks/index.ts";
import type { DeliveryRow } from "../store/deliveries/due.ts";
import type { MeasuredDelivery, PostWithDeliveries } from "../store/posts/posts.ts";
import { costView } from "./cost.ts";
import { figuresView } from "./figures.ts";

function threadPartsView({ state, threadParts: live }: MeasuredDelivery, parts: number) {
  if (parts === 0) return null;
  return Array.from({ length: parts + 1 }, (_, position) => ({
    position,
    status: getThreadPartStatus(state, live, position),
    url: live[position]?.url ?? null,
  }));
}

const UNPUBLISHED: Omit<NetworkPost, "id"> = { url: null, urlState: "none" };

export function deliveryView(row: MeasuredDelivery, post: PostWithDeliveries["post"]): z.input<typeof Delivery> {
  const status = STATUS_OF[row.state];
  const isAtNetwork = status === "live" || status === "handed_over";
  const { followUps, sends } = row;
  const { url, urlState, checkedAt = null, readback = null } = row.networkPost ?? UNPUBLISHED;
  const lastTry = getLastTry(row);
  const failure = lastTry.error === null || isAtNetwork ? null : FAILURES[lastTry.error];
  const reason = getReason(lastTry, followUps);
  const notes = isAtNetwork ? [...(reason.detail === null ? [] : [reason.detail]), ...additionNotes(followUps)] : [];
  const note = notes.length === 0 ? null : notes.join("; ");
  return {
    id: row.id,
    channel: row.channelId,
    platform: row.platform,
    status,
    attempts: sends.length,
    next_attempt_at: isoOrNull(nextActionAt(row)),
    url,
    url_state: url === null ? urlState : null,
    error: failure === null ? null : lastTry.error,
    action: failure?.action ?? null,
    hint:
      failure === null
        ? (describeProgress({ ...row, sentAt: lastSentAt(row), detail: lastTry.detail }) ?? note)
        : reason.detail === null
          ? failure.hint
          : `${failure.hint} (${reason.detail})`,
    network_message: reason.networkMessage ?? additionMessage(followUps),
    guarantee: findNetwork(row.platform)?.rule.delivery_guarantee ?? "at_most_once",
    scheduled_for: isoOrNull(row.scheduledFor),
    started_at: isoOrNull(row.startedAt),
    published_at: isoOrNull(row.publishedAt),
    checked_at: isoOrNull(checkedAt),
    parts: threadPartsView(row, getThread(post, row.channelId).length),
    first_comment: commentView(followUps),
    additions: additionsView(followUps),
    takedown: takedownView(followUps),
    edit: editView(followUps),
    live_text: row.networkPost?.edit?.text ?? null,
    removed_by: removedByView(row.state, followUps),
    readback,
    files: post.sentFiles?.filter(({ channel }) => channel === row.channelId).map(sentFileView) ?? null,
    ...costView(row.terms?.cost ?? null),
    figures: figuresView(row.measured),
  };
}

/** A file as it is sent to a channel. */
export function sentFileView(file: Omit<SentFile, "channel" | "place" | "copy">): z.input<typeof SentFileShape> {
  const { media, contentType: content_type, width, height, bytes, adapted } = file;
  return { media, content_type, width, height, bytes, adapted };
}

/** The files of a waiting post, as each channel would get them. Any other post has them in its deliveries. */
function waitingFiles({ bucket }: Addresses, { status, sentFiles }: PostWithDeliveries["post"]) {
  if (status !== "awaiting_approval" || sentFiles === null) return {};
  const getUrl = ({ copy, contentType }: SentFile) =>
    copy === null ? null : (bucket?.publicUrl(copy.objectKey, contentType, copy.etag) ?? null);
  return { files: sentFiles.map((file) => ({ channel: file.channel, ...sentFileView(file), url: getUrl(file) })) };
}

/** The instant at which the first delivery of a post went out, in epoch milliseconds; null: none has. */
function firstPublishedAt(deliveries: DeliveryRow[]): number | null {
  const instants = deliveries.flatMap(({ publishedAt }) => publishedAt ?? []);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** When a post is due, or is planned to be; null: it has no time yet. */
function dueAt(post: PostWithDeliveries["post"]): number | null {
  // A post that waits for approval has no due time yet.
  const accepted = post.status === "awaiting_approval" ? null : post.dueAt;
  return accepted ?? earliestTime(readTimes(post, post.publishAt));
}

function repeatStatus(post: PostWithDeliveries["post"]): z.input<typeof Post>["repeat_status"] {
  const { repeat, repeatState, series } = post;
  if (repeat === null || repeatState === null) return null;
  const next = repeatState === "active" ? nextOccurrence(post, 0) : null;
  return { state: repeatState, next_at: isoOrNull(next?.at ?? null), problem: series?.problem ?? null };
}

/** Builds the addresses of files; null: this deployment serves none. */
export interface Addresses {
  bucket: { publicUrl(key: string, contentType: string | null, etag?: string): string } | null;
}

/** `warnings` exist only in the answer to a check. */
export function postView(
  addresses: Addresses,
  { post, deliveries }: PostWithDeliveries,
  warnings: Warning[] = [],
): z.input<typeof Post> {
  return {
    id: post.id,
    status: post.status,
    ...showPostFields(post),
    publish_at: isoOrNull(post.publishAt),
    timezone: post.timezone,
    publish_at_local: post.publishAt === null ? null : localReading(post.publishAt, post.timezone),
    due_at: isoOrNull(dueAt(post)),
    repeat_of: post.repeatOf,
    repeat_status: repeatStatus(post),
    rev: post.revision,
    content_tag: post.contentTag,
    draft: post.status === "draft",
    deliveries: deliveries.map((row) => deliveryView(row, post)),
    approval: post.approval === null ? null : { ...approvalView(post.approval), ...waitingFiles(addresses, post) },
    created_at: isoInstant(post.createdAt),
    updated_at: isoInstant(post.updatedAt),
    published_at: isoOrNull(firstPublishedAt(deliveries)),
    warnings,
  };
}
