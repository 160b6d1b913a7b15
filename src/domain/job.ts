/** What travels on the queues: where to look, never what to do. The rows say the rest. */
/** A lane has deliveries to publish. */
interface PublishJob {
  kind: "publish";
  workspace: string;
  lane: number;
}
/** A channel's credential is to be renewed. */
interface RenewCredentialJob {
  kind: "renew_credential";
  workspace: string;
  lane: number;
  channel: string;
}
/** Published deliveries of a channel are to be verified. */
interface VerifyJob {
  kind: "verify";
  workspace: string;
  lane: number;
  channel: string;
  posts: string[];
}
/** Deliveries of a channel come due in a while: would they go out? */
interface PreflightJob {
  kind: "preflight";
  workspace: string;
  lane: number;
  channel: string;
  posts: string[];
  /** How long before they are due this was asked. */
  minutes: number;
}
/** Deliveries of several channels of a lane are to be verified or checked: one message and one wake for all of them. */
export interface FollowUpsJob {
  kind: "follow_ups";
  workspace: string;
  lane: number;
  tasks: FollowUpTask[];
}

/** Somebody says that they forgot their password. Whether there is such an account, nobody has looked yet. */
interface ResetMailJob {
  kind: "reset_mail";
  email: string;
}
/** A mail about the address of an account. */
export interface AccountMailJob {
  kind: "account_mail";
  /** `verify`: prove `email`; `change`: prove it as the new one; `change_asked`: that is asked for; `changed`: `email` was the old one. */
  about: "verify" | "change" | "change_asked" | "changed";
  user: string;
  email: string;
}
/** A workspace has notices to be mailed. */
interface NotifyJob {
  kind: "notify";
  workspace: string;
}
/** Somebody is invited to a workspace, and has no mail yet. */
interface InvitationMailJob {
  kind: "invitation_mail";
  invitation: string;
}
/** What an erased workspace leaves outside the database is to be cleared. */
interface ClearWorkspaceJob {
  kind: "clear_workspace";
  workspace: string;
}
/** Client apps that users authorized have lost that: their connections are to be closed. */
interface EndConnectionsJob {
  kind: "end_connections";
}

/** What wakes publishers. */
export type WakeJob = PublishJob | RenewCredentialJob | VerifyJob | PreflightJob | FollowUpsJob;
/** What a publisher is to look at, beside what is due. */
export type VerifyTask = Omit<VerifyJob, "workspace" | "lane">;
export type PreflightTask = Omit<PreflightJob, "workspace" | "lane">;
export type FollowUpTask = VerifyTask | PreflightTask | Omit<RenewCredentialJob, "workspace" | "lane">;
/** What may take long, and what no post waits for. */
export type MaintenanceJob =
  | ResetMailJob
  | AccountMailJob
  | InvitationMailJob
  | NotifyJob
  | ClearWorkspaceJob
  | EndConnectionsJob;
export type Job = WakeJob | MaintenanceJob;

const MAINTENANCE = [
  "reset_mail",
  "account_mail",
  "invitation_mail",
  "notify",
  "clear_workspace",
  "end_connections",
] as const satisfies MaintenanceJob["kind"][];
const ACCOUNT_MAILS = ["verify", "change", "change_asked", "changed"] as const satisfies AccountMailJob["about"][];

export const isMaintenance = (job: Job): job is MaintenanceJob => MAINTENANCE.some((kind) => kind === job.kind);

/** An id of ours, or any other text that an object may have as its name. */
const isName = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 100;
const isLane = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A message from any deploy, old or new; null when it is none of ours. */
export function readJob(body: unknown): Job | null {
  if (typeof body !== "object" || body === null) return null;
  const { kind, workspace, lane, tasks, email, user, about, invitation } = body as Record<string, unknown>;
  if (kind === "reset_mail" && typeof email === "string") return { kind, email };
  if (kind === "account_mail" && typeof email === "string" && typeof user === "string") {
    const known = ACCOUNT_MAILS.find((one) => one === about);
    return known === undefined ? null : { kind, about: known, user, email };
  }
  if (kind === "invitation_mail" && typeof invitation === "string") return { kind, invitation };
  if (kind === "end_connections") return { kind };
  if (!isName(workspace)) return null;
  if (kind === "notify") return { kind, workspace };
  if (kind === "clear_workspace") return { kind, workspace };
  if (!isLane(lane)) return null;
  if (kind === "publish") return { kind, workspace, lane };
  if (kind === "follow_ups") {
    const known = Array.isArray(tasks) ? tasks.map(readTask).filter((task) => task !== null) : [];
    return known.length === 0 ? null : { kind, workspace, lane, tasks: known };
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
  if (kind === "verify") return { kind, channel, posts };
  if (kind === "preflight" && typeof minutes === "number") {
    return { kind, channel, posts, minutes };
  }
  return null;
}
