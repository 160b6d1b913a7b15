// States as people say them.
import type { AccountScope } from "../../domain/account-scopes.ts";
import type { CHANNEL_STATES } from "../../domain/channel.ts";
import type { ADDITION_STATUSES, COMMENT_STATUSES, TAKEDOWN_STATUSES } from "../../domain/delivery/follow-up-view.ts";
import type { ALTERATIONS } from "../../domain/delivery/readback.ts";
import type { DeliveryStatus } from "../../domain/delivery/transitions.ts";
import type { MediaState } from "../../domain/media/types.ts";
import type { Metric } from "../../domain/metrics.ts";
import type { APPROVAL_STATES } from "../../domain/posts/approval.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import type { Role, Scope } from "../../domain/roles.ts";
import type { DisabledReason, LOGGED_OUTCOMES } from "../../domain/webhook.ts";
import { formatNumber } from "./counts.ts";
import { capitalize } from "./post-types.ts";

type Named =
  | PostStatus
  | DeliveryStatus
  | (typeof CHANNEL_STATES)[number]
  | MediaState
  | (typeof APPROVAL_STATES)[number]
  | (typeof LOGGED_OUTCOMES)[number]
  | (typeof COMMENT_STATUSES)[number]
  | (typeof ADDITION_STATUSES)[number]
  | (typeof TAKEDOWN_STATUSES)[number]
  | "enabled"
  | "disabled"
  | "at_risk"
  | "altered"
  | "disconnected";

const LABELS: Record<Named, string> = {
  draft: "Draft",
  awaiting_approval: "Waiting for approval",
  scheduled: "Scheduled",
  queued: "Starting",
  publishing: "Sending",
  published: "Live",
  partially_published: "Partly live",
  failed: "Failed",
  cancelled: "Cancelled",
  pending: "Scheduled",
  retrying: "Retrying",
  live: "Live",
  handed_over: "Draft in the app",
  removed: "Removed",
  connected: "Connected",
  not_connected: "Not connected",
  needs_reconnect: "Reconnect",
  disconnected: "Disconnected",
  awaiting_upload: "Uploading",
  ready: "Ready",
  registered: "Linked",
  expired: "Expired",
  waiting: "Waiting for approval",
  approved: "Approved",
  declined: "Declined",
  delivered: "Delivered",
  refused: "Refused",
  timeout: "No answer",
  blocked: "Blocked",
  network_error: "Not reachable",
  skipped: "Skipped",
  posted: "Posted",
  done: "Done",
  unknown: "Unknown",
  enabled: "On",
  disabled: "Off",
  at_risk: "Will fail",
  altered: "Changed",
};
const KNOWN: ReadonlyMap<string, string> = new Map(Object.entries(LABELS));

/** A state in one or two words. */
export const nameState = (state: string): string => KNOWN.get(state) ?? capitalize(state.replaceAll("_", " "));

const METRICS: Record<Metric, string> = {
  views: "Views",
  reach: "Reach",
  likes: "Likes",
  comments: "Comments",
  shares: "Shares",
  reposts: "Reposts",
  quotes: "Quotes",
  saves: "Saves",
  clicks: "Clicks",
};
const KNOWN_METRICS: ReadonlyMap<string, string> = new Map(Object.entries(METRICS));
/** A figure of a post: "Views". */
export const nameMetric = (metric: string): string => KNOWN_METRICS.get(metric) ?? capitalize(metric);

/** "1 like", "12 likes" */
export function countMetric(metric: string, value: number): string {
  const name = nameMetric(metric).toLowerCase();
  return `${formatNumber(value)} ${value === 1 ? name.replace(/s$/, "") : name}`;
}

const ALTERED: Record<(typeof ALTERATIONS)[number], string> = {
  text: "text",
  title: "title",
  media_count: "number of files",
  media_order: "order of files",
  poll: "poll",
};
/** The property of a post that a network has changed. */
export const nameAlteration = (alteration: keyof typeof ALTERED): string => ALTERED[alteration];

export const ROLE_NAMES: Record<Role, string> = {
  viewer: "Viewer",
  author: "Author",
  publisher: "Publisher",
  owner: "Owner",
};
export const SCOPE_NAMES: Record<Scope, string> = {
  read: "Read",
  draft: "Write drafts",
  publish: "Publish",
  manage: "Manage",
};
export const ACCOUNT_SCOPE_NAMES: Record<AccountScope, string> = {
  workspaces: "Manage workspaces",
  keys: "Manage keys",
  connect: "Create connect links",
  read: "Read",
};
export const DISABLED_WORDS: Record<DisabledReason, string> = {
  gone: "Turned off, because your endpoint said that it's gone (410).",
  failing: "Turned off, because your endpoint hasn't answered for five days.",
};
