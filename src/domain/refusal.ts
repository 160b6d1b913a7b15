// Every error code with its status and its words, in one table. REST, MCP, the CLI and the documents all read it.

import { VIOLATIONS_MAX } from "./limits.ts";

interface CodeEntry {
  status: 401 | 402 | 403 | 404 | 405 | 409 | 413 | 422 | 429 | 500 | 503;
  message: string;
  hint?: string;
}

const code = (status: CodeEntry["status"], message: string, hint?: string): CodeEntry => ({ status, message, hint });

export const REFUSALS = {
  unauthorized: code(401, "This call needs a credential.", "Send `Authorization: Bearer <workspace key or session>`."),
  key_revoked: code(401, "This workspace key was revoked.", "Use the workspace's current key."),
  session_expired: code(401, "This session has ended.", "Sign in again."),
  invalid_credentials: code(401, "The email or the password is wrong."),
  plan_limit: code(402, "The plan does not include this.", "Raise the plan or free what is in use."),
  not_a_member: code(403, "The signed-in user is not a member of that workspace."),
  key_not_allowed: code(403, "A workspace key may not do this.", "Sign in and use the session."),
  not_the_owner: code(403, "Only the workspace's owner may do this."),
  csrf_refused: code(403, "This request did not come from our own pages.", "Call with a bearer credential instead."),
  not_found: code(404, "There is nothing here by that name."),
  method_not_allowed: code(405, "This address does not take that method.", "See the `Allow` header."),
  post_not_editable: code(409, "The post has started publishing and cannot be edited any more."),
  edit_conflict: code(409, "Other edits of this post kept coming before this one.", "Send the edit again."),
  post_finished: code(409, "The post has finished and cannot be cancelled."),
  media_in_use: code(409, "A post that is live or still to come uses this file."),
  channel_needs_reconnect: code(409, "The channel's token has expired.", "Connect the channel again."),
  channel_not_connected: code(
    409,
    "The channel has no credential yet.",
    "Connect it with `credentials`, or save the post as a draft.",
  ),
  email_taken: code(409, "An account with this email exists.", "Sign in, or reset the password."),
  owner_stays: code(409, "The owner cannot leave the workspace.", "Delete the account to give the workspace up."),
  delivery_not_retryable: code(409, "This delivery cannot be retried in its present state."),
  body_too_large: code(413, "The body is larger than 1 MiB.", "Upload files through `POST /v1/media/upload-url`."),
  malformed_json: code(
    422,
    "The body is not a JSON object.",
    "Send an object in UTF-8 with `Content-Type: application/json`.",
  ),
  unknown_field: code(
    422,
    "The body has a field that this call does not know.",
    "Check the spelling, or leave it out.",
  ),
  invalid_field: code(422, "A field has a value that cannot be taken."),
  missing_field: code(422, "A required field is missing."),
  workspace_required: code(
    422,
    "A session must name its workspace.",
    "Send the `X-Workspace` header or the `workspace` parameter; `GET /v1/auth/me` lists the ids.",
  ),
  text_required: code(422, "A post needs a text or a file."),
  channels_required: code(422, "A post needs at least one channel.", "Name channels, or save it with `draft: true`."),
  unknown_channel: code(422, "There is no such channel in this workspace.", "`GET /v1/channels` lists them."),
  duplicate_channel: code(422, "A channel is named twice.", "Name each channel once."),
  unknown_media: code(422, "There is no such file in this workspace.", "`GET /v1/media` lists them."),
  duplicate_media: code(422, "A file is named twice.", "Name each file once."),
  text_too_long: code(422, "The text is longer than the network takes."),
  too_many_text_parts: code(422, "The text has more hashtags, mentions, links or cashtags than the network takes."),
  character_not_allowed: code(422, "The network does not take this character in a text."),
  too_many_images: code(422, "The network does not take that many images."),
  too_many_videos: code(422, "The network does not take that many videos."),
  mixed_media_not_allowed: code(422, "The network does not take images and videos in one post."),
  media_required: code(422, "The network does not take a post without a file.", "Attach a file."),
  media_format_not_allowed: code(422, "The network does not take files of this type."),
  media_too_large: code(422, "The file has more bytes than can be taken."),
  media_too_small: code(422, "The file has fewer bytes than the network takes."),
  media_too_long: code(422, "The video is longer than the network takes."),
  media_too_short: code(422, "The video is shorter than the network takes."),
  media_dimensions_not_allowed: code(422, "The network does not take a file of these dimensions."),
  post_type_not_offered: code(422, "The network does not offer this post type."),
  post_type_fixed: code(422, "A post's type cannot be changed once it is set."),
  post_type_media_mismatch: code(422, "The files do not fit the post type."),
  option_required: code(422, "The network needs an option that is missing."),
  invalid_option: code(422, "The network does not take this option or its value."),
  override_for_unknown_channel: code(422, "An override names a channel that is not on the post."),
  draft_not_boolean: code(422, "`draft` must be true or false."),
  publish_at_in_past: code(
    422,
    "`publish_at` is in the past.",
    "Name a later instant, or leave it out to publish now.",
  ),
  publish_at_too_far: code(422, "`publish_at` is more than 366 days ahead."),
  publish_at_invalid: code(422, "`publish_at` is not an instant.", "Write it as `2026-12-01T09:00:00Z`."),
  publish_at_in_dst_gap: code(422, "The clocks skip this local time."),
  media_preview_needs_dry_run: code(422, "`media_preview` is taken on a dry run only.", "Send `dry_run: true`."),
  idempotency_key_invalid: code(422, "The Idempotency-Key is not 1 to 255 visible ASCII characters."),
  idempotency_key_reused: code(
    422,
    "This Idempotency-Key was used for another body.",
    "Use a fresh key for a new post.",
  ),
  unknown_status: code(422, "There is no such status."),
  unreadable_cursor: code(422, "The cursor cannot be read.", "Use `next` of the previous page as it is."),
  too_many_ids: code(422, "At most 50 ids can be asked for at once."),
  timezone_unknown: code(422, "There is no such time zone.", "Use an IANA name, as `Europe/Berlin`."),
  alt_required: code(422, "`alt` is required.", "Send a text, or null to remove it."),
  alt_too_long: code(422, "The alt text is longer than 2,000 characters."),
  connector_request_only: code(
    422,
    "This platform cannot be connected yet.",
    "Record the demand with `POST /v1/connector-requests`.",
  ),
  unknown_platform: code(422, "There is no such platform.", "`GET /v1/platforms` lists them."),
  credentials_invalid: code(422, "The network did not take these credentials."),
  url_not_public: code(422, "The address is not a public one."),
  url_not_https: code(422, "The address is not an https one."),
  url_unreachable: code(422, "The address did not answer with a file."),
  url_expired: code(422, "The address has expired."),
  content_type_not_allowed: code(422, "Files of this type cannot be taken."),
  password_too_short: code(422, "The password has fewer than 8 characters."),
  password_too_common: code(422, "This password is among the first that anybody would try.", "Choose another one."),
  email_invalid: code(422, "This is not an email address."),
  reset_link_invalid: code(422, "The reset link has been used or has expired.", "Ask for a new one."),
  unknown_event: code(422, "There is no such event."),
  invalid_days: code(422, "`days` must be 7 or 30."),
  too_many_webhooks: code(422, "The workspace has as many webhooks as it can have.", "Remove one."),
  event_not_kept: code(409, "What was sent is not kept any more.", "Send a test instead."),
  rate_limited: code(429, "Too many tries.", "Wait for `retry_after` seconds."),
  internal_error: code(500, "Something went wrong on our side."),
  mail_not_configured: code(503, "This deployment cannot send mail."),
  sign_in_not_configured: code(503, "This deployment has no sign-in provider."),
  bucket_not_configured: code(503, "This deployment has no bucket for files.", "Register files by address instead."),
  network_not_configured: code(503, "This deployment has no app credentials for the network."),
  key_not_configured: code(503, "This deployment has no usable sealing key.", "The operator sets `SEAL_KEYS`."),
  network_unavailable: code(503, "The network did not answer.", "Try again in a moment."),
} as const satisfies Record<string, CodeEntry>;

export type RefusalCode = keyof typeof REFUSALS;

/** One broken rule of a post, with all that a program needs to repair it. */
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
  /** Members of the body that only some refusals have (402, 429, and a post that breaks very many rules). */
  extra?: Record<string, string | number | null>;
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
