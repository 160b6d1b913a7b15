// The messages on the queues. A message only says where to look. The rows in the database say what to do.

/** A lane has deliveries to publish. */
interface PublishJob {
  kind: "publish";
  workspace: string;
  lane: number;
}
/** A channel's credential must be renewed. */
interface RenewCredentialJob {
  kind: "renew_credential";
  workspace: string;
  lane: number;
  channel: string;
}
/** Published deliveries of a channel have due follow-ups. */
interface AfterPublishJob {
  kind: "after_publish";
  workspace: string;
  lane: number;
  channel: string;
  posts: string[];
}
/** Deliveries of a channel are due soon and must be checked for problems. */
interface PreflightJob {
  kind: "preflight";
  workspace: string;
  lane: number;
  channel: string;
  posts: string[];
  /** How many minutes before their due time the check was requested. */
  minutes: number;
}
/** Follow-up tasks for several channels of a lane, which share one message and one wake of the publisher. */
export interface FollowUpsJob {
  kind: "follow_ups";
  workspace: string;
  lane: number;
  tasks: FollowUpTask[];
}

/** A request for a password reset. Whether the account exists has not been checked yet. */
interface ResetMailJob {
  kind: "reset_mail";
  email: string;
}
/** A mail about the address of an account. */
export interface AccountMailJob {
  kind: "account_mail";
  /**
   * `verify`: verify `email`; `change`: verify it as the new address; `change_asked`: a change was requested; `changed`:
   * `email` was the old address.
   */
  about: "verify" | "change" | "change_asked" | "changed";
  user: string;
  email: string;
}
/** A workspace has notices to mail. */
interface NotifyJob {
  kind: "notify";
  workspace: string;
}
/** A person is invited to a workspace, and the mail has not been sent yet. */
interface InvitationMailJob {
  kind: "invitation_mail";
  invitation: string;
}
/** A feed is due to be read. */
interface ReadFeedJob {
  kind: "read_feed";
  workspace: string;
  feed: string;
}
/** Data that an erased workspace leaves outside the database must be deleted. */
interface ClearWorkspaceJob {
  kind: "clear_workspace";
  workspace: string;
}
/** Client apps have lost their authorization, so their connections must be closed. */
interface EndConnectionsJob {
  kind: "end_connections";
}

/** Jobs that wake publishers. */
export type WakeJob = PublishJob | RenewCredentialJob | AfterPublishJob | PreflightJob | FollowUpsJob;
/** Tasks of a publisher in addition to its due deliveries. */
export type AfterPublishTask = Omit<AfterPublishJob, "workspace" | "lane">;
export type PreflightTask = Omit<PreflightJob, "workspace" | "lane">;
export type FollowUpTask = AfterPublishTask | PreflightTask | Omit<RenewCredentialJob, "workspace" | "lane">;
/** Jobs that may take long, and that no post waits for. */
export type MaintenanceJob =
  | ResetMailJob
  | AccountMailJob
  | InvitationMailJob
  | NotifyJob
  | ReadFeedJob
  | ClearWorkspaceJob
  | EndConnectionsJob;
export type Job = WakeJob | MaintenanceJob;

const MAINTENANCE = [
  "reset_mail",
  "account_mail",
  "invitation_mail",
  "notify",
  "read_feed",
  "clear_workspace",
  "end_connections",
] as const satisfies MaintenanceJob["kind"][];
const ACCOUNT_MAILS = ["verify", "change", "change_asked", "changed"] as const satisfies AccountMailJob["about"][];

export const isMaintenance = (job: Job): job is MaintenanceJob => MAINTENANCE.some((kind) => kind === job.kind);

/** Whether a value may be an id: a text that is not empty and not too long. */
const isName = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 100;
const isLane = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Parses a message, which an older or newer deploy may have sent. Returns null if it is not a known job. */
export function readJob(body: unknown): Job | null {
  if (typeof body !== "object" || body === null) return null;
  const { kind, workspace, lane, tasks, email, user, about, invitation, feed } = body as Record<string, unknown>;
  if (kind === "reset_mail" && typeof email === "string") return { kind, email };
  if (kind === "account_mail" && typeof email === "string" && typeof user === "string") {
    const topic = ACCOUNT_MAILS.find((candidate) => candidate === about);
    return topic === undefined ? null : { kind, about: topic, user, email };
  }
  if (kind === "invitation_mail" && typeof invitation === "string") return { kind, invitation };
  if (kind === "end_connections") return { kind };
  if (!isName(workspace)) return null;
  if (kind === "notify") return { kind, workspace };
  if (kind === "read_feed") return isName(feed) ? { kind, workspace, feed } : null;
  if (kind === "clear_workspace") return { kind, workspace };
  if (!isLane(lane)) return null;
  if (kind === "publish") return { kind, workspace, lane };
  if (kind === "follow_ups") {
    const validTasks = Array.isArray(tasks) ? tasks.map(readTask).filter((task) => task !== null) : [];
    return validTasks.length === 0 ? null : { kind, workspace, lane, tasks: validTasks };
  }
  const task = readTask(body);
  return task === null ? null : { ...task, workspace, lane };
}

function readTask(body: unknown): FollowUpTask | null {
  if (typeof body !== "object" || body === null) return null;
  const { kind, channel, posts, minutes }: Record<string, unknown> = { ...body };
  if (!isName(channel)) return null;
  if (kind === "renew_credential") return { kind, channel };
  if (!Array.isArray(posts) || !posts.every(isName)) return null;
  if (kind === "after_publish") return { kind, channel, posts };
  if (kind === "preflight" && typeof minutes === "number") {
    return { kind, channel, posts, minutes };
  }
  return null;
}
