// Every error code with its status and its words, in one table. REST, MCP, the CLI and the documents all read it.

import { VIOLATIONS_MAX } from "./limits.ts";

interface CodeEntry {
  status: 401 | 402 | 403 | 404 | 405 | 409 | 412 | 413 | 422 | 429 | 500 | 503;
  message: string;
  hint?: string;
}

const code = (status: CodeEntry["status"], message: string, hint?: string): CodeEntry => ({ status, message, hint });

export const REFUSALS = {
  unauthorized: code(401, "Authentication is required.", "Send `Authorization: Bearer <workspace key or session>`."),
  key_revoked: code(401, "This workspace key was revoked, or has expired.", "Use the workspace's current key."),
  session_expired: code(401, "This session has ended.", "Sign in again."),
  invalid_credentials: code(401, "The email or the password is wrong."),
  plan_limit: code(402, "The plan does not allow this.", "Choose a larger plan, or remove something that counts."),
  not_a_member: code(403, "The signed-in user is not a member of that workspace."),
  key_not_allowed: code(403, "A workspace key cannot be used for this call.", "Sign in and use a session."),
  role_missing: code(
    403,
    "Your role in the workspace does not allow this.",
    "Ask an owner of the workspace for the role that `role` names.",
  ),
  scope_missing: code(
    403,
    "The key does not have the scope for this.",
    "Use a key with the scope that `scope` names; an owner of the workspace makes one.",
  ),
  email_not_verified: code(
    403,
    "Nobody has proven that the account's email address is theirs.",
    "Open the link in the mail, signed in with this address.",
  ),
  csrf_refused: code(
    403,
    "The request was sent by a page of another site.",
    "Use `Authorization: Bearer` instead of the cookie.",
  ),
  not_found: code(404, "Not found: nothing has this address or id."),
  option_has_no_lookup: code(404, "The network has no list of values for this option."),
  method_not_allowed: code(
    405,
    "The method is not allowed at this address.",
    "The `Allow` header lists the allowed methods.",
  ),
  post_not_editable: code(409, "The post has started publishing and can no longer be edited."),
  no_free_slot: code(
    409,
    "There is no free slot for this post within 366 days.",
    "`GET /v1/slots` shows the slots; add one with `PUT /v1/slots`, or name a time in `publish_at`.",
  ),
  post_not_waiting: code(409, "The post does not wait for approval."),
  edit_conflict: code(409, "Other edits changed the post at the same time.", "Send the edit again."),
  post_finished: code(409, "The post has finished and cannot be cancelled."),
  post_not_cancellable: code(
    409,
    "Every delivery of the post has started, so there is nothing left to cancel.",
    "Nothing is sent again. `GET /v1/posts/:id` says how it ends; what is live can be taken down.",
  ),
  media_in_use: code(409, "The file is used by a published or upcoming post."),
  channel_needs_reconnect: code(
    409,
    "The channel's access token has expired or was revoked.",
    "Connect the channel again.",
  ),
  channel_not_connected: code(
    409,
    "The channel has no credentials.",
    "Connect it with `credentials`, or save the post as a draft.",
  ),
  email_taken: code(409, "An account with this email exists.", "Sign in, or reset the password."),
  already_member: code(
    409,
    "The workspace has a member with this email address.",
    "Change their role with `PATCH /v1/workspaces/:id/members/:user`.",
  ),
  owner_stays: code(
    409,
    "A workspace keeps at least one owner.",
    "Make another member an owner first, or delete the workspace.",
  ),
  last_workspace: code(
    409,
    "This is the last workspace that you own.",
    "Create another one first, or delete the account with `DELETE /v1/auth/me`.",
  ),
  delivery_not_retryable: code(409, "The delivery cannot be retried in its current state."),
  post_changed: code(
    412,
    "The post has another revision than `If-Match` names.",
    "`current` is the post as it is now: look at it, and send the change again with its `rev`.",
  ),
  delivery_not_live: code(409, "The delivery is not live, so there is nothing to take down."),
  takedown_refused: code(409, "The network did not take the post down.", "Remove it at the network."),
  body_too_large: code(413, "The body is larger than 1 MiB.", "Upload files through `POST /v1/media/upload-url`."),
  malformed_json: code(
    422,
    "The body is not a JSON object.",
    "Send an object in UTF-8 with `Content-Type: application/json`.",
  ),
  malformed_file: code(422, "The file cannot be read.", "Save it as UTF-8, with a header in its first row."),
  too_many_rows: code(422, "The file has more than 500 posts.", "Divide it, and send the parts one after the other."),
  unknown_field: code(422, "The body has an unknown field.", "Check the spelling, or remove the field."),
  invalid_field: code(422, "A field has an invalid value."),
  missing_field: code(422, "A required field is missing."),
  workspace_required: code(
    422,
    "The workspace is missing.",
    "Send the `X-Workspace` header or the `workspace` parameter; `GET /v1/auth/me` lists the ids.",
  ),
  text_required: code(422, "A post needs text or at least one file."),
  channels_required: code(
    422,
    "A post needs at least one channel.",
    "Add channels, or save the post with `draft: true`.",
  ),
  unknown_channel: code(422, "Not found: no channel with this id in this workspace.", "`GET /v1/channels` lists them."),
  duplicate_channel: code(422, "A channel is listed more than once.", "List each channel once."),
  unknown_media: code(422, "Not found: no file with this id in this workspace.", "`GET /v1/media` lists them."),
  duplicate_media: code(422, "A file is listed more than once.", "List each file once."),
  text_too_long: code(422, "The text is longer than the network allows."),
  too_many_text_parts: code(422, "The text has more hashtags, mentions, links or cashtags than the network allows."),
  character_not_allowed: code(422, "The network does not allow this character."),
  too_many_images: code(422, "The post has more images than the network allows."),
  too_many_videos: code(422, "The post has more videos than the network allows."),
  mixed_media_not_allowed: code(422, "The network does not allow images and videos in one post."),
  media_required: code(422, "The network requires a file in every post.", "Attach a file."),
  media_format_not_allowed: code(422, "The network does not accept this file type."),
  media_too_large: code(422, "The file is too large."),
  media_too_small: code(422, "The file is smaller than the network allows."),
  media_too_long: code(422, "The video is longer than the network allows."),
  media_too_short: code(422, "The video is shorter than the network allows."),
  media_dimensions_not_allowed: code(422, "The network does not allow these dimensions."),
  post_type_not_offered: code(422, "The network does not support this post type."),
  post_type_fixed: code(422, "A post's type cannot be changed once it is set."),
  post_type_media_mismatch: code(422, "The files do not match the post type."),
  thread_not_offered: code(
    422,
    "The network takes no thread.",
    "Give this channel `thread: []` in `overrides`: it gets the post itself alone.",
  ),
  takedown_not_offered: code(422, "The network has no call that takes a post down.", "Remove it at the network."),
  option_required: code(422, "An option that the network requires is missing."),
  invalid_option: code(422, "The option is unknown to the network, or its value is invalid."),
  override_for_unknown_channel: code(422, "An override is for a channel that is not on the post."),
  draft_not_boolean: code(422, "`draft` must be true or false."),
  publish_at_in_past: code(422, "`publish_at` is in the past.", "Send a later time, or leave it out to publish now."),
  publish_at_too_far: code(422, "`publish_at` is more than 366 days ahead."),
  publish_at_invalid: code(422, "`publish_at` is not a valid time.", "Write it as `2026-12-01T09:00:00Z`."),
  publish_at_in_dst_gap: code(422, "This local time does not exist: clocks are set forward over it."),
  media_preview_needs_dry_run: code(422, "`media_preview` is allowed on a dry run only.", "Send `dry_run: true`."),
  idempotency_key_invalid: code(422, "The Idempotency-Key is not 1 to 255 visible ASCII characters."),
  idempotency_key_reused: code(
    422,
    "This Idempotency-Key was used with a different body.",
    "Use a new key for a new post.",
  ),
  unknown_status: code(422, "The status is unknown."),
  unreadable_cursor: code(422, "The cursor is invalid.", "Send `next` of the previous page unchanged."),
  too_many_ids: code(422, "At most 50 ids are allowed in one request."),
  timezone_unknown: code(422, "The time zone is unknown.", "Use an IANA name, such as `Europe/Berlin`."),
  alt_required: code(422, "`alt` is required.", "Send a text, or null to remove it."),
  alt_too_long: code(422, "The alt text is longer than 2,000 characters."),
  connector_request_only: code(
    422,
    "This platform is not supported yet.",
    "Request it with `POST /v1/connector-requests`.",
  ),
  unknown_platform: code(422, "The platform is unknown.", "`GET /v1/platforms` lists them."),
  credentials_invalid: code(422, "The network rejected these credentials."),
  url_not_public: code(422, "The address is not public."),
  url_not_https: code(422, "The address must start with `https://`."),
  url_unreachable: code(422, "No file could be read from the address."),
  url_expired: code(422, "The address has expired."),
  content_type_not_allowed: code(422, "This file type is not supported."),
  password_too_short: code(422, "The password has fewer than 8 characters."),
  password_too_common: code(422, "This password is too common.", "Choose another one."),
  email_invalid: code(422, "The email address is invalid."),
  reset_link_invalid: code(422, "The reset link has been used or has expired.", "Ask for a new one."),
  verify_link_invalid: code(
    422,
    "The link has expired, or is for another account.",
    "Sign in to the account that it is for, or ask for a new one with `POST /v1/auth/verify/send`.",
  ),
  current_password_wrong: code(
    422,
    "The current password is wrong.",
    "`POST /v1/auth/forgot` mails a link to set one, also for an account that has none.",
  ),
  unknown_event: code(422, "The event type is unknown."),
  invalid_days: code(422, "`days` must be 7 or 30."),
  too_many_invitations: code(
    422,
    "The workspace has the maximum number of open invitations.",
    "Withdraw an invitation first.",
  ),
  too_many_keys: code(422, "The workspace has the maximum number of named keys.", "Revoke a key first."),
  too_many_webhooks: code(422, "The workspace has the maximum number of webhooks.", "Remove a webhook first."),
  event_not_kept: code(409, "The event is no longer stored.", "Send a test event instead."),
  rate_limited: code(429, "Too many requests.", "Wait for `retry_after` seconds."),
  internal_error: code(500, "An internal error occurred."),
  mail_not_configured: code(503, "This deployment is not configured to send email."),
  sign_in_not_configured: code(503, "This deployment has no sign-in provider."),
  bucket_not_configured: code(503, "This deployment has no file storage.", "Register files by address instead."),
  network_not_configured: code(503, "This deployment has no app credentials for the network."),
  key_not_configured: code(503, "This deployment has no usable encryption key.", "The operator sets `SEAL_KEYS`."),
  database_unavailable: code(503, "The database does not answer.", "Try again in a moment."),
  workspace_moving: code(
    503,
    "The workspace is being moved to another database, so nothing can be written in it for a while.",
    "Send the same call again after `Retry-After` seconds.",
  ),
  service_misconfigured: code(
    503,
    "A setting of this deployment is invalid.",
    "The operator corrects the setting; until then every call is refused.",
  ),
  network_unavailable: code(503, "The network did not answer.", "Try again in a moment."),
} as const satisfies Record<string, CodeEntry>;

export type RefusalCode = keyof typeof REFUSALS;

/** One broken rule of a post, with all that a caller needs to repair it. */
export interface Violation {
  code: RefusalCode;
  /** JSON pointer into the request body. */
  field?: string;
  channel?: string;
  platform?: string;
  message: string;
  hint?: string;
  limit?: number;
  actual?: number;
  unit?: string;
  over_by?: number;
  at_least?: boolean;
}

export interface RefusalDetail {
  message?: string;
  hint?: string;
  field?: string;
  violations?: Violation[];
  /** Members of the body that only some refusals have (402, 412, 429, and a post that breaks very many rules). */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** A refusal that its caller will read. The cause of anything else goes to the log. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: RefusalCode;
  readonly status: number;
  readonly detail: RefusalDetail;

  constructor(code: RefusalCode, detail: RefusalDetail = {}) {
    super(detail.message ?? REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
    this.detail = detail;
  }

  /** The body as every transport shows it. */
  body(requestId: string): Record<string, unknown> {
    const entry: CodeEntry = REFUSALS[this.code];
    const { hint = entry.hint, field, violations, extra } = this.detail;
    return {
      error: this.code,
      message: this.message,
      ...(hint === undefined ? {} : { hint }),
      ...(field === undefined ? {} : { field }),
      ...extra,
      ...(violations === undefined ? {} : { violations }),
      request_id: requestId,
    };
  }
}

/** A refusal to throw: `throw refuse("not_found")`. */
export function refuse(code: RefusalCode, detail?: RefusalDetail): Refusal {
  return new Refusal(code, detail);
}

/** A refusal that says which kind of object was not found; the same whether another workspace has it or nobody. */
export function refuseNotFound(kind: string): Refusal {
  return refuse("not_found", { message: `Not found: no ${kind} with this id in this workspace.` });
}

/** One violation with the table's words where it has none of its own. */
export function violation(code: RefusalCode, detail: Omit<Partial<Violation>, "code"> = {}): Violation {
  const entry: CodeEntry = REFUSALS[code];
  const { message = entry.message, hint = entry.hint, ...rest } = detail;
  return { code, message, ...(hint === undefined ? {} : { hint }), ...rest };
}

/** The refusal of a post: its violations, up to `VIOLATIONS_MAX` and the number of the others; the first one again at the top. */
export function refuseViolations(violations: Violation[]): Refusal {
  const [first] = violations;
  if (first === undefined) throw new Error("a refusal needs a violation");
  const more = violations.length - VIOLATIONS_MAX;
  return new Refusal(first.code, {
    message: first.message,
    hint: first.hint,
    field: first.field,
    violations: violations.slice(0, VIOLATIONS_MAX),
    ...(more > 0 ? { extra: { more_violations: more } } : {}),
  });
}
