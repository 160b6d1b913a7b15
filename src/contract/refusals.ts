// The bodies of failures, and the fields that an example of each code adds to the table.
import * as z from "zod";
import { FACTOR_KINDS } from "../domain/factor.ts";
import { ALT_LENGTH_MAX, VIOLATIONS_MAX } from "../domain/limits.ts";
import { PLANS } from "../domain/plan.ts";
import { FILE_SCOPES, MEDIA_KINDS, POST_TYPES } from "../domain/posts/platform-rule.ts";
import { OPTION_FAULTS, UNITS } from "../domain/posts/units.ts";
import {
  type RefusalDetail,
  refuse,
  refuseViolations,
  type Violation as ViolationDetail,
  violation,
} from "../domain/refusal.ts";
import { REFUSAL_CODES, type RefusalCode } from "../domain/refusal-codes.ts";
import { ROLES, SCOPES } from "../domain/roles.ts";
import { PasskeyRequest } from "./passkeys.ts";
import { Post } from "./post-shapes.ts";
import { SAMPLE, SAMPLE_POST } from "./samples.ts";
import { instant } from "./shapes.ts";

const code = z.enum(REFUSAL_CODES);

const field = z.string().meta({ description: "JSON pointer to the invalid field in the request." });

export const Violation = z
  .object({
    code,
    field: field.optional(),
    channel: z.string().optional().meta({ description: "The channel whose rule the post breaks." }),
    platform: z.string().optional(),
    message: z.string(),
    hint: z.string().optional(),
    limit: z.number().optional().meta({ description: "The rule's limit, in `unit`." }),
    actual: z.number().optional().meta({ description: "The post's value, in `unit`." }),
    unit: z.enum(UNITS).optional(),
    over_by: z.number().optional().meta({ description: "`actual` minus `limit`." }),
    at_least: z.boolean().optional().meta({
      description: "true: the value is so far over the limit that counting stopped; `actual` is a lower bound.",
    }),
    post_type: z.enum(POST_TYPES).optional().meta({ description: "The post's type on the channel." }),
    allowed: z
      .array(z.string())
      .optional()
      .meta({ description: "The values that are accepted: content types, post types, or an option's values." }),
    content_type: z.string().optional().meta({ description: "The file's content type." }),
    media_kind: z.enum(MEDIA_KINDS).optional(),
    adaptable: z
      .boolean()
      .optional()
      .meta({ description: 'true: the file would be accepted with `media_fit: "adapt"`.' }),
    characters: z
      .array(z.string())
      .optional()
      .meta({ description: "The characters in the text that are not accepted." }),
    nearest: z
      .array(z.string())
      .optional()
      .meta({ description: "For `publish_at_in_dst_gap`: the nearest local times that exist." }),
    option: z.string().optional().meta({ description: "The network's option that the violation is about." }),
    option_fault: z
      .enum(OPTION_FAULTS)
      .optional()
      .meta({
        description:
          "For `invalid_option`: the option does not exist, its value is invalid, it does not fit the post's type or files " +
          "(`wrong_post`) or another option (`wrong_mode`), or the channel lacks `permission`.",
      }),
    option_needs: z
      .object({
        post_types: z.array(z.enum(POST_TYPES)).optional(),
        media: z.enum(FILE_SCOPES).optional(),
        poll: z.boolean().optional(),
      })
      .optional()
      .meta({ description: "The posts that the option is for." }),
    permission: z
      .string()
      .optional()
      .meta({ description: "The permission that the account's owner did not grant (OAuth scope)." }),
  })
  .meta({ id: "Violation", description: "A rule that the post breaks. Fields that do not apply are absent." });

const Refused = z
  .object({
    error: code.meta({ description: "A stable code for software to act on." }),
    message: z.string().meta({ description: "A human-readable sentence." }),
    hint: z.string().optional().meta({ description: "The suggested next step." }),
    field: field.optional(),
    network_message: z
      .string()
      .optional()
      .meta({ description: "The network's message, verbatim, if the network rejected the request." }),
    request_id: z.string().meta({ description: "The same as `X-Request-Id`. Include it when you ask for help." }),
  })
  .meta({ id: "Error" });

export const PostRefused = Refused.extend({
  violations: z
    .array(Violation)
    .optional()
    .meta({ description: `All broken rules, at most ${VIOLATIONS_MAX}. The first one is repeated above.` }),
  more_violations: z.int().optional().meta({ description: "Number of violations not listed." }),
}).meta({ id: "PostRefused" });

export const PlanLimitReached = Refused.extend({
  limit: z
    .enum([...Object.keys(PLANS.free), "budget"])
    .meta({ description: "The limit that was reached. `budget`: of the workspace or of the key, in US dollars." }),
  plan: z.string(),
  used: z.number(),
  allowed: z.number(),
  budget_of: z.enum(["workspace", "key"]).optional().meta({ description: "The owner of the budget." }),
  resets_at: instant.nullable().meta({ description: "When the count resets. Null if it never resets." }),
}).meta({ id: "PlanLimitReached" });

export const RateLimited = Refused.extend({
  retry_after: z.int().meta({ description: "Seconds, as in `Retry-After`." }),
}).meta({ id: "RateLimited" });

const PostChanged = Refused.extend({
  current: Post.meta({ description: "The current post." }),
}).meta({ id: "PostChanged" });

export const Unauthorized = Refused.extend({
  challenge: z
    .string()
    .optional()
    .meta({ description: "For `factor_required`: the challenge to send together with the factor." }),
  expires_at: instant.optional().meta({ description: "For `factor_required`: when the challenge expires." }),
  methods: z
    .array(z.enum([...FACTOR_KINDS, "recovery_code"]))
    .optional()
    .meta({ description: "For `factor_required`: the accepted factors." }),
  passkey: PasskeyRequest.nullable()
    .optional()
    .meta({ description: "For `factor_required`: the passkey request for the browser. Null if there is no passkey." }),
}).meta({ id: "Unauthorized" });

const Forbidden = Refused.extend({
  role: z.enum(ROLES).optional().meta({ description: "For `role_missing`: the lowest role that allows the call." }),
  scope: z.enum(SCOPES).optional().meta({ description: "For `scope_missing`: a scope that allows the call." }),
}).meta({ id: "Forbidden" });

/** The schema of a refusal's body. `ofPost`: the operation validates a whole post. */
export function getBodySchema(status: number, ofPost: boolean): z.ZodType {
  if (status === 401) return Unauthorized;
  if (status === 402) return PlanLimitReached;
  if (status === 403) return Forbidden;
  if (status === 412) return PostChanged;
  if (status === 429) return RateLimited;
  return status === 422 && ofPost ? PostRefused : Refused;
}

const pinned = { channel: SAMPLE.channel, platform: SAMPLE.platform };

const DETAILS: Partial<Record<RefusalCode, RefusalDetail & Partial<ViolationDetail>>> = {
  plan_limit: {
    message: `The plan free allows ${PLANS.free.posts_per_month} of posts_per_month; ${PLANS.free.posts_per_month} are in use.`,
    extra: {
      limit: "posts_per_month",
      plan: "free",
      used: PLANS.free.posts_per_month,
      allowed: PLANS.free.posts_per_month,
      resets_at: "2026-12-01T00:00:00.000Z",
    },
  },
  factor_required: {
    extra: {
      challenge: `factor_${"example".repeat(6)}0`,
      expires_at: SAMPLE.created,
      methods: ["totp", "recovery_code"],
      passkey: null,
    },
  },
  role_missing: {
    message: "Only an owner may invite members, change their roles, remove them, end anybody's applications.",
    extra: { role: "owner" },
  },
  scope_missing: {
    message: "This key may not delete files: that takes the scope `manage`.",
    extra: { scope: "manage" },
  },
  already_member: { field: "/email" },
  post_changed: { field: "If-Match", extra: { current: { ...SAMPLE_POST, rev: 2 } } },
  rate_limited: { extra: { retry_after: 30 } },
  unknown_field: { field: "/publishAt", message: "Unknown field `publishAt`." },
  invalid_field: { field: "/name", message: "`/name`: Invalid input: expected string, received number." },
  missing_field: { field: "/email", message: "`/email` is required." },
  channel_not_connected: { field: "/channels" },
  channel_needs_reconnect: { field: "/channels" },
  text_required: { field: "/text" },
  channels_required: { field: "/channels" },
  unknown_channel: { field: "/channels/1", channel: SAMPLE.otherChannel },
  duplicate_channel: { field: "/channels/1", channel: SAMPLE.channel },
  unknown_media: { field: "/media/0" },
  media_not_uploaded: { field: "/media/0" },
  duplicate_media: { field: "/media/1" },
  text_too_long: { field: "/text", ...pinned, limit: 300, actual: 312, unit: "graphemes", over_by: 12 },
  too_many_text_parts: { field: "/text", ...pinned, limit: 30, actual: 34, unit: "hashtags", over_by: 4 },
  character_not_allowed: { field: "/text", ...pinned, characters: ["<"] },
  too_many_images: { field: "/media", ...pinned, limit: 4, actual: 6, unit: "images", over_by: 2 },
  too_many_videos: { field: "/media", ...pinned, limit: 1, actual: 2, unit: "videos", over_by: 1 },
  mixed_media_not_allowed: { field: "/media", ...pinned },
  media_required: { field: "/media", ...pinned, limit: 1, actual: 0, unit: "files" },
  media_format_not_allowed: {
    field: "/media/0",
    ...pinned,
    content_type: "image/png",
    allowed: ["image/jpeg"],
    adaptable: true,
  },
  media_too_large: {
    field: "/media/0",
    ...pinned,
    limit: 2_000_000,
    actual: 2_400_000,
    unit: "bytes",
    over_by: 400_000,
  },
  media_too_long: { field: "/media/0", ...pinned, limit: 180, actual: 200, unit: "seconds", over_by: 20 },
  media_too_small: { field: "/media/0", ...pinned, limit: 1_024, actual: 620, unit: "bytes" },
  media_too_short: { field: "/media/0", ...pinned, limit: 3, actual: 1.5, unit: "seconds" },
  media_dimensions_not_allowed: { field: "/media/0", ...pinned },
  post_type_not_offered: { field: "/post_type", ...pinned, allowed: ["feed", "carousel"] },
  post_type_fixed: { field: "/post_type" },
  post_type_media_mismatch: { field: "/media", ...pinned },
  option_required: { field: `/overrides/${SAMPLE.channel}/title`, ...pinned, option: "title" },
  invalid_option: {
    field: `/overrides/${SAMPLE.channel}/colour`,
    ...pinned,
    option: "colour",
    option_fault: "unknown",
  },
  override_for_unknown_channel: { field: `/overrides/${SAMPLE.otherChannel}`, channel: SAMPLE.otherChannel },
  draft_not_boolean: { field: "/draft" },
  publish_at_in_past: { field: "/publish_at" },
  publish_at_too_far: { field: "/publish_at" },
  publish_at_invalid: { field: "/publish_at" },
  publish_at_in_dst_gap: { field: "/publish_at" },
  repeat_invalid: { field: "/repeat/interval" },
  media_preview_needs_dry_run: { field: "/media_preview" },
  idempotency_key_invalid: { field: "Idempotency-Key" },
  idempotency_key_reused: { field: "Idempotency-Key" },
  unknown_status: { field: "/status" },
  unreadable_cursor: { field: "/cursor" },
  too_many_ids: { field: "/ids" },
  timezone_unknown: { field: "/timezone" },
  alt_required: { field: "/alt" },
  alt_too_long: {
    field: "/alt",
    message: `The alt text is longer than ${ALT_LENGTH_MAX.toLocaleString("en")} characters.`,
  },
  connector_request_only: { field: "/platform" },
  unknown_platform: { field: "/platform" },
  network_not_configured: { field: "/platform" },
  credentials_invalid: { field: "/credentials/access_token" },
  url_not_public: { field: "/url" },
  url_not_https: { field: "/url" },
  url_unreachable: { field: "/url" },
  url_expired: { field: "/url" },
  content_type_not_allowed: { field: "/content_type" },
  password_too_short: { field: "/password" },
  password_too_common: { field: "/password" },
  email_invalid: { field: "/email" },
  reset_link_invalid: { field: "/token" },
  verify_link_invalid: { field: "/token" },
  current_password_wrong: { field: "/current" },
};

/** An example of a refusal with this code. `ofPost`: as one of a post's violations. */
export function buildRefusalExample(code: RefusalCode, ofPost: boolean): Record<string, unknown> {
  const detail = DETAILS[code] ?? {};
  const refusal = ofPost ? refuseViolations([violation(code, detail)]) : refuse(code, detail);
  return refusal.body(SAMPLE.request);
}
