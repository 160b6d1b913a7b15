// Why a delivery failed, and what to do about it.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import { networkName } from "../../domain/network-name.ts";

const SENTENCES: Record<FailureCode, (name: string) => string> = {
  token_expired: (name) => `${name} access has expired. Reconnect the account, then send this again.`,
  token_revoked: (name) => `${name} access was revoked. Reconnect the account, then send this again.`,
  channel_disconnected: () =>
    "This account was disconnected before the post was due. Reconnect it, then send this again.",
  permission_missing: (name) =>
    name === "Telegram"
      ? "Telegram won't let your bot post in this chat. Make it an admin, then reconnect."
      : `${name} won't let this account post. Reconnect it and allow everything.`,
  content_refused: (name) => `${name} rejected this post. Change it and post it again.`,
  duplicate_content: (name) => `${name} already has a post like this. Change it and post it again.`,
  media_missing: () => "A file was missing when this was due. Upload it and post again.",
  media_refused: (name) => `${name} rejected a file. Replace it and post again.`,
  media_host_is_ip: () => "A file's address couldn't be opened. Upload the file and post again.",
  network_quota: (name) => `This account has reached its limit on ${name} for now. Send this again later.`,
  network_billing: (name) => `${name} needs a payment. Check your billing there, then send this again.`,
  network_unavailable: (name) => `${name} couldn't be reached in time. Send this again.`,
  internal_error: () => "Something went wrong on our side, and nothing was posted. Send this again.",
  service_misconfigured: (name) => `${name} isn't set up correctly here. Tell the person who runs this Crier.`,
  outcome_unknown: (name) => `We couldn't find out whether this was posted. Check ${name} before you send it again.`,
  thread_stopped: () => "Only part of this thread is live. Send it again to continue, or take it down.",
  missed_deadline: () => "This was more than 24 hours late and wasn't sent. Give it a new time.",
};

/** The sentence for a delivery's `error`. */
export function describeFailure(error: string, platform: string): string {
  const name = networkName(platform);
  return new Map(Object.entries(SENTENCES)).get(error)?.(name) ?? `This couldn't be posted to ${name}. Send it again.`;
}

const LABELS: Record<FailureCode, string> = {
  token_expired: "Access expired",
  token_revoked: "Access revoked",
  channel_disconnected: "Account disconnected",
  permission_missing: "Permission missing",
  content_refused: "Post rejected",
  duplicate_content: "Duplicate post",
  media_missing: "File missing",
  media_refused: "File rejected",
  media_host_is_ip: "File address rejected",
  network_quota: "Limit reached",
  network_billing: "Payment needed",
  network_unavailable: "Network unreachable",
  internal_error: "Error on our side",
  service_misconfigured: "Not set up",
  outcome_unknown: "Outcome unknown",
  thread_stopped: "Thread incomplete",
  missed_deadline: "Too late",
};

/** A few words for lists. */
export const labelFailure = (error: string): string => new Map(Object.entries(LABELS)).get(error) ?? "Failed";
