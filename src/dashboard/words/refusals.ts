// The sentence for each refusal code. The API's `message` and `hint` are written for programs and are never shown.
import type { Code, RefusalBody } from "../../client/calls.ts";
import { count, formatBytes, formatNumber } from "./counts.ts";

type Sentence = string | ((body: RefusalBody) => string);

const AGAIN = "Try again in a moment.";
const NOT_SET_UP = "Ask the person who runs this Crier to set it up.";
const UNEXPECTED = "Something went wrong with this page. Reload it and try again.";

const LIMITS: Record<string, (body: Pick<RefusalBody, "allowed" | "budget_of">) => string> = {
  posts_per_month: ({ allowed = 0 }) =>
    `Your plan includes ${count(allowed, "post")} a month, and you have used them all.`,
  workspaces: ({ allowed = 0 }) => `Your plan includes ${count(allowed, "workspace")}.`,
  channels: ({ allowed = 0 }) =>
    `Your plan includes ${count(allowed, "channel")}. Disconnect one, or upgrade your plan.`,
  drafts: ({ allowed = 0 }) => `Your plan includes ${count(allowed, "draft")}. Delete some, or upgrade your plan.`,
  draft_bytes: () => "Your drafts have used up their storage. Delete some, or upgrade your plan.",
  media_bytes: ({ allowed = 0 }) =>
    `Your plan includes ${formatBytes(allowed)} of media. Delete some files, or upgrade your plan.`,
  budget: ({ allowed = 0, budget_of: owner }) =>
    `This post would exceed ${owner === "key" ? "this key's" : "the workspace's"} monthly budget of $${formatNumber(allowed, 2)}.`,
};

const SENTENCES: Record<Code, Sentence> = {
  unauthorized: "You were signed out. Sign in to continue.",
  key_revoked: "You were signed out. Sign in to continue.",
  session_expired: "You were signed out. Sign in to continue.",
  invalid_credentials: "Wrong email or password.",
  factor_required: "Confirm that it's you to continue.",
  factor_invalid: "That code is wrong or was already used. Wait for the next one, or use a recovery code.",
  plan_limit: (body) => LIMITS[body.limit ?? ""]?.(body) ?? "Your plan doesn't include this.",
  not_a_member: "You're not a member of this workspace.",
  not_an_operator: "Only an operator of this deployment can do this.",
  key_not_allowed: "Sign in to do this.",
  role_missing: "Your role doesn't allow this. Ask an owner of the workspace.",
  scope_missing: "Your role doesn't allow this. Ask an owner of the workspace.",
  sign_up_closed: "You need an invitation to sign up. Ask an owner of a workspace.",
  email_not_verified: "Confirm your email address first. The link is in your inbox.",
  factor_missing: "This requires a second factor on your account. Set one up under Settings, Security.",
  four_eyes: "You changed this post last, so someone else has to approve it.",
  csrf_refused: UNEXPECTED,
  not_found: "This no longer exists, or you don't have access to it.",
  option_has_no_lookup: "This list isn't available.",
  method_not_allowed: UNEXPECTED,
  post_not_editable: "This post can no longer be changed.",
  repeat_restored:
    "Data was restored, so later posts of this series may already be out. Check them, then schedule this one.",
  repeat_stopped: "This post doesn't repeat anymore. Create a new post that repeats.",
  repeat_invalid: "Check how this post repeats.",
  no_free_slot: "There's no free slot in the next year. Add one under Slots, or pick a time.",
  post_not_waiting: "This post isn't waiting for approval anymore.",
  edit_conflict: "Someone else changed this post at the same time. Try again.",
  post_finished: "This post has already been published.",
  post_not_cancellable:
    "This post is already on its way, so it can't be cancelled. You can take it down once it's live.",
  upload_not_open: "This upload is over. Upload the file again.",
  media_in_use: "This file is used by a scheduled or published post, or is the logo of a client page.",
  channel_needs_reconnect: "This channel has lost access. Reconnect it under Channels.",
  channel_not_connected: "This channel isn't connected yet. Connect it under Channels, or save a draft.",
  email_taken: "There's already an account with this email. Sign in instead.",
  already_member: "This person is already a member.",
  owner_stays: "A workspace needs an owner. Make someone else an owner first.",
  factor_guards_more:
    "This person is also in a workspace that you don't own. Ask an owner of all their workspaces to reset their factor.",
  already_owned: "This workspace already has an owner.",
  last_workspace: "This is your last workspace. Create another one first, or erase your account.",
  delivery_not_retryable: "This can't be sent again right now.",
  post_changed: "Someone else changed this post. Check it again, then repeat your change.",
  delivery_not_live: "This post isn't live there.",
  edit_pending: "The last edit isn't confirmed yet. Try again in a few minutes.",
  edit_refused: "The network didn't change the text. Edit it there.",
  takedown_refused: "The network didn't take the post down. Delete it there.",
  body_too_large: "That's too much at once. Shorten it and try again.",
  malformed_json: "This line can't be read as JSON.",
  malformed_file: "This file can't be read. Save it as UTF-8, with column names in the first row.",
  too_many_rows: "A file can have up to 500 posts. Split it and import the files one by one.",
  unknown_field: "Crier doesn't know this field. Check its spelling.",
  invalid_field: "This value isn't valid.",
  missing_field: "This field is required.",
  workspace_required: UNEXPECTED,
  text_required: "Write something, or add a photo or video.",
  channels_required: "Choose at least one channel.",
  unknown_channel: "This channel doesn't exist. It may have been removed.",
  duplicate_channel: "This channel is listed twice.",
  unknown_media: "This file is no longer available. Upload it again.",
  media_not_uploaded: "This file hasn't finished uploading. Upload it again.",
  chunks_incomplete: "Parts of this file didn't arrive. Upload it again.",
  unknown_chunk: "This file couldn't be uploaded. Try again.",
  duplicate_media: "This file is added twice. Remove one.",
  text_too_long: "This text is too long.",
  too_many_text_parts: "This text has too many hashtags, mentions or links.",
  character_not_allowed: "This text has characters that the network doesn't accept.",
  too_many_images: "There are too many images.",
  too_many_videos: "There are too many videos.",
  mixed_media_not_allowed: "Images and videos can't be in the same post here.",
  media_required: "Add a photo or video.",
  media_format_not_allowed: "This file type isn't supported here.",
  media_too_large: "This file is too large.",
  media_too_small: "This file is too small.",
  media_too_long: "This video is too long.",
  media_too_short: "This video is too short.",
  media_dimensions_not_allowed: "This file has the wrong dimensions.",
  post_type_not_offered: "This post type isn't available here.",
  post_type_fixed: "The type of this post can't be changed anymore.",
  post_type_media_mismatch: "These files don't fit this type of post.",
  thread_not_offered: "Threads aren't available here.",
  document_not_offered: "Documents aren't accepted here.",
  poll_not_offered: "This poll isn't possible here.",
  edit_not_offered: "This network does not let apps change the text of this post.",
  takedown_not_offered: "Posts can only be deleted on the network itself.",
  option_required: "Fill in the required options.",
  invalid_option: "One of the options isn't valid.",
  override_for_unknown_channel: "This post has settings for a channel that isn't selected.",
  draft_not_boolean: "Write true or false.",
  publish_at_in_past: "That time has passed. Pick a later one.",
  publish_at_too_far: "That's more than a year ahead. Pick an earlier time.",
  publish_at_invalid: "That isn't a valid date and time.",
  publish_at_in_dst_gap: "That time is skipped by daylight saving time. Pick another one.",
  media_preview_needs_dry_run: UNEXPECTED,
  idempotency_key_invalid: UNEXPECTED,
  idempotency_key_reused: UNEXPECTED,
  unknown_status: "This filter isn't valid. Clear it and try again.",
  unreadable_cursor: UNEXPECTED,
  too_many_ids: "That's too many at once. Select fewer.",
  timezone_unknown: "Choose a time zone from the list.",
  alt_required: "Write an alt text.",
  alt_too_long: "This alt text is too long.",
  connector_request_only: "This network isn't supported yet.",
  unknown_platform: "This network isn't supported.",
  credentials_invalid: "The network didn't accept these details. Check them and try again.",
  feed_unreadable: "There is no RSS or Atom feed at this address.",
  url_not_public: "This address isn't public.",
  url_not_https: "The address must start with https://.",
  url_unreachable: "No file could be loaded from this address.",
  url_expired: "This address has expired.",
  content_type_not_allowed: "This file type isn't supported.",
  password_too_short: "Use at least 8 characters.",
  password_too_common: "That password is too common. Choose another one.",
  email_invalid: "That isn't a valid email address.",
  reset_link_invalid: "This link has expired or was already used. Request a new one.",
  verify_link_invalid: "This link has expired, or is for another account.",
  current_password_wrong: "That isn't your current password.",
  unknown_event: "This filter isn't valid. Clear it and try again.",
  invalid_range: "Choose a start date before the end date.",
  too_many_portals: "This workspace has the maximum number of portals. Remove one first.",
  invalid_days: "Choose 7 or 30 days.",
  too_many_invitations: "There are too many open invitations. Withdraw one first.",
  too_many_keys: "This workspace has the maximum number of keys. Revoke one first.",
  too_many_factors: "You have the maximum number of second factors. Remove one first.",
  too_many_entries: "This workspace has the maximum number of these. Delete one first.",
  too_many_webhooks: "This workspace has the maximum number of webhooks. Remove one first.",
  event_not_kept: "This event is no longer stored. Send a test instead.",
  rate_limited: ({ retry_after: seconds }) =>
    seconds === undefined
      ? `That was too fast. ${AGAIN}`
      : `That was too fast. Try again in ${count(seconds, "second")}.`,
  internal_error: `Something went wrong on our side. ${AGAIN}`,
  mail_not_configured: `Email isn't set up here. ${NOT_SET_UP}`,
  sign_in_not_configured: `This way to sign in isn't set up here. ${NOT_SET_UP}`,
  images_not_configured: `Images can't be adapted here. ${NOT_SET_UP}`,
  images_unavailable: `Images can't be adapted right now. ${AGAIN}`,
  bucket_not_configured: `Uploads aren't set up here. ${NOT_SET_UP}`,
  network_not_configured: `This network isn't set up here. ${NOT_SET_UP}`,
  key_not_configured: `Accounts can't be connected here yet. ${NOT_SET_UP}`,
  database_unavailable: `Crier is busy. ${AGAIN}`,
  too_large_to_store: "This post is too long to save. Shorten it, its thread or its versions for single channels.",
  too_much_for_free_plan: "That's too much at once. Try it with fewer posts or files.",
  daily_limit_reached: "Crier has reached its limit for today. Try again tomorrow.",
  service_busy: `Crier is busy. ${AGAIN}`,
  workspace_moving: "This workspace is being moved and can't be changed right now. Try again in a few minutes.",
  service_misconfigured: "Crier isn't set up correctly. Tell the person who runs it.",
  network_unavailable: `The network didn't answer. ${AGAIN}`,
};

/** The sentence for a refusal. */
export function describeRefusal(body: RefusalBody): string {
  const sentence = Object.hasOwn(SENTENCES, body.error) ? SENTENCES[body.error] : `That didn't work. ${AGAIN}`;
  return typeof sentence === "string" ? sentence : sentence(body);
}

const BY_CODE = new Map(Object.entries(SENTENCES));
/** The sentence for a stored code, which may be of another version of the service. */
export function describeStoredCode(code: string): string {
  const sentence = BY_CODE.get(code);
  return typeof sentence === "string" ? sentence : "It didn't fit the rules any more.";
}

/** The sentence for a code without further facts. */
export const describeCode = (code: Code): string => describeRefusal({ error: code, message: "", request_id: "" });
