// The events that the feed lists and webhooks carry. Each is written once as JSON, and every reader gets these bytes.

import type { Actor } from "./actor.ts";
import { FAILURES, type FailureCode, isFailureCode } from "./delivery/failure.ts";
import type { Alteration } from "./delivery/readback.ts";
import { type ApprovalEvent, type CredentialEvent, type EventName, WEBHOOK_TEST } from "./event.ts";
import { type Entropy, makeId } from "./ids.ts";
import { isoInstant, isoOrNull } from "./instant.ts";
import type { Json } from "./json.ts";
import type { Approval } from "./posts/approval.ts";

/** An event as it is stored. */
export interface EventRecord {
  id: string;
  event: string;
  /** JSON. */
  body: string;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** When an event is written (epoch milliseconds), and the randomness of its id. */
export interface EventOrigin {
  now: number;
  entropy: Entropy;
}

/** The delivery that an event is about. */
export interface DeliveryOfEvent {
  id: string;
  workspaceId: string;
  postId: string;
  channelId: string;
  platform: string;
}

/** The content of an event about a delivery. */
export interface DeliveryNews {
  event: Extract<EventName, `delivery.${string}`>;
  attempt: number;
  url: string | null;
  error: FailureCode | null;
  /** The next try in epoch milliseconds; null if none follows. */
  nextAttemptAt: number | null;
  /** Why a delivery that still waits would fail; only in `delivery.at_risk`. */
  detail?: string | undefined;
  /** The network's message, cleaned; null if it sent none. */
  networkMessage?: string | null;
  /** Differences between the live post and the accepted content; only in `delivery.altered`. */
  altered?: Alteration[];
  /** The caller's own metadata, as stored with the post. */
  metadata: Json;
  /** The author of the post, to whom its outcome is attributed; null if the author was not recorded. */
  author: Actor | null;
}

/** Builds an event about a delivery. */
export function deliveryEvent(origin: EventOrigin, delivery: DeliveryOfEvent, news: DeliveryNews): EventRecord {
  const {
    event,
    attempt,
    url,
    error,
    nextAttemptAt,
    detail,
    networkMessage = null,
    altered = null,
    metadata,
    author,
  } = news;
  return buildEvent(origin, event, delivery.workspaceId, {
    post: delivery.postId,
    channel: delivery.channelId,
    platform: delivery.platform,
    delivery: delivery.id,
    attempt,
    url,
    error,
    action: error === null ? null : FAILURES[error].action,
    next_attempt_at: isoOrNull(nextAttemptAt),
    ...(detail === undefined ? {} : { detail }),
    network_message: networkMessage,
    altered,
    approval: null,
    actor: actorView(author),
    metadata,
  });
}

/** The person or key that acted, with its fields in the order that callers see. */
const actorView = (actor: Actor | null): Json => actor && { kind: actor.kind, id: actor.id, name: actor.name };

/** An approval as callers see it. */
export const approvalView = (approval: Approval) => ({ ...approval, at: isoInstant(approval.at) });

/**
 * Builds the event that a post waits for approval, or that its approval was decided. It has the same fields as an event
 * about a delivery.
 */
export function postEvent(
  origin: EventOrigin,
  post: PostOfEvent,
  event: ApprovalEvent,
  approval: Approval,
  actor: Actor,
): EventRecord {
  const fields = { error: null, approval: approvalView(approval), actor: actorView(actor) };
  return buildEvent(origin, event, post.workspaceId, postFields(post, fields));
}

/**
 * Builds the event that a person has to continue a series: its next post is a draft, or could not be made. `error`: the code of
 * the refusal.
 */
export function repeatEvent(
  origin: EventOrigin,
  post: PostOfEvent & { author?: Actor | null | undefined },
  error: string,
): EventRecord {
  const fields = { error, approval: null, actor: actorView(post.author ?? null) };
  return buildEvent(origin, "post.repeat_paused", post.workspaceId, postFields(post, fields));
}

interface PostOfEvent {
  workspaceId: string;
  id: string;
  metadata: Json;
}

const postFields = (
  { id, metadata }: PostOfEvent,
  { error, ...fields }: Record<"error" | "approval" | "actor", Json>,
) => ({
  post: id,
  channel: null,
  platform: null,
  delivery: null,
  attempt: null,
  url: null,
  error,
  action: null,
  next_attempt_at: null,
  network_message: null,
  altered: null,
  ...fields,
  metadata,
});

/** The channel that an event is about. */
export interface ChannelOfEvent {
  id: string;
  workspaceId: string;
  platform: string;
  handle: string | null;
  /** Epoch milliseconds; null if the token renews itself or never expires. */
  tokenExpiresAt: number | null;
}

/** Builds an event about a channel's credential. `error`: why the credential was lost; null if it works. */
export function channelEvent(
  origin: EventOrigin,
  channel: ChannelOfEvent,
  event: CredentialEvent,
  error: FailureCode | null,
): EventRecord {
  const isUsable = event === "channel.connected" || event === "channel.reconnected";
  return buildEvent(origin, event, channel.workspaceId, {
    channel: channel.id,
    platform: channel.platform,
    handle: channel.handle,
    token_expires_at: isoOrNull(channel.tokenExpiresAt),
    ...(error === null ? {} : { error }),
    action: isUsable ? null : FAILURES[error ?? "token_expired"].action,
  });
}

/** A queue that runs low. */
interface QueueNews {
  platform: string;
  handle: string;
  /** When the last queued post is due, in epoch milliseconds; null: none is queued. */
  latestAt: number | null;
}

/** Builds the event that the queue of a channel runs low. */
export function queueEvent(
  origin: EventOrigin,
  { workspaceId, id, platform, handle, latestAt }: QueueNews & { workspaceId: string; id: string },
): EventRecord {
  return buildEvent(origin, "channel.queue_low", workspaceId, {
    channel: id,
    platform,
    handle,
    last_post_at: isoOrNull(latestAt),
    action: null,
  });
}

/** Reads a queue that runs low from a written event; null if the event is of another kind. */
export function readQueueNews(body: string): QueueNews | null {
  const { platform, handle, last_post_at: latestAt }: Record<string, unknown> = JSON.parse(body);
  if (typeof platform !== "string" || typeof handle !== "string") return null;
  return { platform, handle, latestAt: typeof latestAt === "string" ? Date.parse(latestAt) : null };
}

/** Reads the failure and the end of access (epoch milliseconds) from a written event. */
export function readEventBody(body: string): { error: FailureCode | null; tokenExpiresAt: number | null } {
  const { error, token_expires_at: endsAt }: Record<string, unknown> = JSON.parse(body);
  return {
    error: typeof error === "string" && isFailureCode(error) ? error : null,
    tokenExpiresAt: typeof endsAt === "string" ? Date.parse(endsAt) : null,
  };
}

/** A version of a network's API whose support ends soon. */
interface VersionNews {
  platform: string;
  version: string;
  /** ISO date. */
  supportedUntil: string;
}

/**
 * Builds the event that a network ends the support of an API version. It concerns all of the workspace's channels on that
 * network.
 */
export function versionEvent(origin: EventOrigin, workspaceId: string, news: VersionNews): EventRecord {
  return buildEvent(origin, "network.version_ending", workspaceId, {
    channel: null,
    platform: news.platform,
    version: news.version,
    supported_until: news.supportedUntil,
    action: FAILURES.service_misconfigured.action,
  });
}

/** Reads the version from a written event; null if the event is of another kind. */
export function readVersionNews(body: string): VersionNews | null {
  const { platform, version, supported_until: supportedUntil }: Record<string, unknown> = JSON.parse(body);
  return typeof platform === "string" && typeof version === "string" && typeof supportedUntil === "string"
    ? { platform, version, supportedUntil }
    : null;
}

/** Builds the event of a webhook test. It is not about any object of the workspace. */
export function testEvent(origin: EventOrigin, workspaceId: string): EventRecord {
  return buildEvent(origin, WEBHOOK_TEST, workspaceId, {});
}

function buildEvent(
  { now, entropy }: EventOrigin,
  event: EventName | typeof WEBHOOK_TEST,
  workspace: string,
  fields: Record<string, Json>,
): EventRecord {
  const id = makeId("evt", now, entropy);
  const body = JSON.stringify({ event, id, created_at: isoInstant(now), workspace, ...fields });
  return { id, event, body, createdAt: now };
}
