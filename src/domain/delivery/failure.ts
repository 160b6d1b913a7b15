/**
 * The reasons why a delivery can fail, and the action that its owner should take. Deliveries and events show them as `error`
 * and `action`.
 */
export const FAILURES = {
  token_expired: { action: "reconnect_required", hint: "Connect the channel again; its queued posts are kept." },
  token_revoked: { action: "reconnect_required", hint: "Connect the channel again; its queued posts are kept." },
  channel_disconnected: { action: "reconnect_required", hint: "The channel was disconnected before the post was due." },
  permission_missing: {
    action: "reconnect_with_permissions",
    hint: "The account or bot is not allowed to post there; grant it the permission and connect the channel again.",
  },
  content_refused: {
    action: "edit_and_resend",
    hint: "The network rejected the content; change it and send a new post.",
  },
  duplicate_content: {
    action: "edit_and_resend",
    hint: "The network already has this content; change it and send a new post.",
  },
  media_missing: {
    action: "upload_media_again",
    hint: "A file was missing when the post was due; upload it and send a new post.",
  },
  media_refused: { action: "replace_media", hint: "The network rejected a file; replace it and send a new post." },
  media_host_is_ip: {
    action: "replace_media",
    hint: "A file's address has an IP address as its host, which Crier cannot call; use a host name or upload the file, then send a new post.",
  },
  network_quota: { action: "wait", hint: "The network's quota for this account is used up for now." },
  network_billing: {
    action: "check_network_billing",
    hint: "The network requires payment; check the account's billing there.",
  },
  network_unavailable: { action: "retry", hint: "The network was not available in time; retry the delivery." },
  internal_error: {
    action: "retry",
    hint: "An internal error occurred and nothing was published; retry the delivery.",
  },
  service_misconfigured: {
    action: "contact_operator",
    hint: "This deployment is not set up for the delivery; ask its operator to fix this, then retry the delivery.",
  },
  outcome_unknown: {
    action: "check_network_before_reposting",
    hint: "It is unknown whether the post was published; check on the network before you send it again.",
  },
  thread_stopped: {
    action: "finish_or_take_down",
    hint: "Part of the thread is live and the next part was not sent; retry the delivery to continue, or take the thread down.",
  },
  missed_deadline: {
    action: "reschedule",
    hint: "The post was more than 24 hours late and was not sent; give it a new time.",
  },
} as const satisfies Record<string, { action: string; hint: string }>;

export type FailureCode = keyof typeof FAILURES;

export const isFailureCode = (name: string): name is FailureCode => Object.hasOwn(FAILURES, name);
