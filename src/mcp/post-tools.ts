// The tools that write, show and decide on posts.
import { DryRun, Post } from "../contract/post-shapes.ts";
import type { JsonObject } from "../domain/json.ts";
import { REASON_LENGTH_MAX } from "../domain/limits.ts";
import { isFinished } from "../domain/posts/post.ts";
import { refuse } from "../domain/refusal.ts";
import { entityTag } from "../operations/if-match.ts";
import { certify, getPostArguments, IDEMPOTENCY_KEY, readIdempotencyKey, redeem } from "./checked-post.ts";
import { FIELDS_ARGUMENT, listRows } from "./post-rows.ts";
import { type Definition, reads, type Translated } from "./tool.ts";
import type { Schema } from "./tool-schema.ts";

/** Reads and edits stay inside the service; publishing reaches the outside world. */
const publishes = { openWorldHint: true, idempotentHint: false };

const REV: Schema = {
  type: "integer",
  minimum: 1,
  description: "The post's `rev` as last read. If it has changed since, the call is rejected with `current`.",
};

/** Edits the post at the revision that the client has seen, if the client names one. */
async function ofRevision({ rev, ...args }: JsonObject): Promise<Translated> {
  if (rev === undefined || rev === null) return { args, idempotencyKey: null };
  if (typeof rev !== "number" || !Number.isSafeInteger(rev) || rev < 1) {
    throw refuse("invalid_field", { field: "/rev", message: "`rev` is not the revision of a post." });
  }
  return { args, idempotencyKey: null, ifMatch: entityTag(rev) };
}

/** Cancels a post, or only stops its repeat. */
async function cancelOrStop({ repeat_only: isRepeatOnly, ...args }: JsonObject): Promise<Translated> {
  if (isRepeatOnly === undefined || isRepeatOnly === false) return ofRevision(args);
  if (isRepeatOnly !== true)
    throw refuse("invalid_field", { field: "/repeat_only", message: "`repeat_only` is not a boolean." });
  return { args: { id: args.id ?? null }, idempotencyKey: null, operation: "posts.stop-repeat" };
}

/** The longest that a call waits for a post, in seconds. */
const WAIT_MAX_S = 30;
/** How many posts a list has unless the call says otherwise. */
const ROWS_DEFAULT = 20;

/** What can be done to a delivery: the operation, and the argument that goes with it alone. */
const ACTS = {
  retry: { operation: "posts.retry-delivery", argument: "confirm_not_published" },
  edit: { operation: "posts.edit-live-text", argument: "text" },
  take_down: { operation: "posts.take-down", argument: null },
} as const;

async function actOnDelivery({ do: act, ...args }: JsonObject): Promise<Translated> {
  if (act === undefined) throw refuse("missing_field", { field: "/do", message: "`do` is missing." });
  if (act !== "retry" && act !== "edit" && act !== "take_down") {
    throw refuse("invalid_field", { field: "/do", message: "`do` is `retry`, `edit` or `take_down`." });
  }
  const { operation, argument } = ACTS[act];
  for (const [name, other] of Object.entries(ACTS)) {
    if (other.argument === null || other.argument === argument || args[other.argument] === undefined) continue;
    const message = `\`${other.argument}\` belongs to \`do: ${name}\`.`;
    throw refuse("invalid_field", { field: `/${other.argument}`, message });
  }
  return { args, idempotencyKey: null, operation };
}

/**
 * The fields that a decision changes; `get_post` has the others. The result is short, because every schema takes room in each
 * session's context.
 */
const CHANGED = Post.pick({ id: true, status: true, rev: true, publish_at: true, deliveries: true, approval: true });

/** A decision on the revision that the user has seen. */
async function decide({ decision, ...args }: JsonObject): Promise<Translated> {
  if (decision === undefined) throw refuse("missing_field", { field: "/decision", message: "`decision` is missing." });
  if (decision !== "approve" && decision !== "decline") {
    throw refuse("invalid_field", { field: "/decision", message: "`decision` is `approve` or `decline`." });
  }
  if (args.rev === undefined) throw refuse("missing_field", { field: "/rev", message: "`rev` is missing." });
  return { args, idempotencyKey: null, ...(decision === "decline" ? { operation: "posts.decline" } : {}) };
}

export const POST_TOOLS: readonly Definition[] = [
  {
    name: "check_post",
    isBrief: true,
    title: "Check a post",
    description:
      "Runs every check of `queue_post`, with the same refusals, and writes nothing. Returns exactly the content that each " +
      "channel would publish, and a `check_token` for `queue_post`. Use it first: show the user the texts, the channels " +
      "and the time, and queue the post when they agree. `media_preview` checks files before they are uploaded. Such a " +
      "check returns no token, nor does one with a file that has not been uploaded.",
    operation: "posts.create",
    hints: reads,
    fixed: { dry_run: true },
    without: ["draft"],
    required: ["channels"],
    result: DryRun,
    gives: {
      check_token: {
        anyOf: [{ type: "string" }, { type: "null" }],
        description: "Pass it to `queue_post` with the same arguments to publish exactly the post that was checked.",
      },
      check_token_expires_at: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
    },
    answer: certify,
  },
  {
    name: "queue_post",
    title: "Publish a post now or later",
    description:
      "Publishes to every channel in `channels`, at `publish_at` or at once without it. The post is public. Before you " +
      "call it, show the user the content, channels and time from `check_post`, and pass its " +
      "`check_token`: then only the content they saw can be published, and a repeated call cannot post twice. Without a " +
      "token the post is still checked; then pass an `idempotency_key`. A post that breaks a rule is rejected with " +
      "all `violations`, each with its field, limit and excess: fix those and call again. Then follow with `get_post`.",
    operation: "posts.create",
    hints: publishes,
    fixed: { draft: false },
    without: ["dry_run", "media_preview"],
    required: ["channels"],
    takes: {
      check_token: { type: "string", description: "From `check_post` with the same arguments." },
      idempotency_key: IDEMPOTENCY_KEY,
    },
    result: Post,
    translate: redeem,
  },
  {
    name: "draft_post",
    isBrief: true,
    title: "Save a draft",
    description:
      "Saves a post without publishing it. Channels may still be missing. It does not count toward the plan. Edit it with " +
      "`update_post`; `draft: false` there publishes it.",
    operation: "posts.create",
    ability: "draft",
    hints: { idempotentHint: false },
    fixed: { draft: true },
    without: ["dry_run", "media_preview"],
    takes: { idempotency_key: IDEMPOTENCY_KEY },
    result: Post,
    translate: async (args) => ({ args: getPostArguments(args), idempotencyKey: readIdempotencyKey(args) }),
  },
  {
    name: "update_post",
    isBrief: true,
    title: "Edit a post",
    description:
      "Changes a draft or a post that has not started publishing. Omitted fields keep their values; a list or map " +
      "replaces the old one entirely. `draft: false` releases a draft to be published (first show the user the post that " +
      "will be published), `draft: true` makes a scheduled post a draft.",
    operation: "posts.update",
    hints: { destructiveHint: true, openWorldHint: true },
    takes: { rev: REV },
    translate: ofRevision,
  },
  {
    name: "cancel_post",
    title: "Cancel a post or discard a draft",
    description:
      "Cancels deliveries that have not been sent; a draft is deleted. Deliveries being sent finish and report their outcome. A post that " +
      "has finished cannot be cancelled: `change_delivery` takes live deliveries down. `repeat_only: true` only stops its series.",
    operation: "posts.remove",
    alternatives: ["posts.stop-repeat"],
    hints: { destructiveHint: true },
    takes: { rev: REV, repeat_only: { type: "boolean" } },
    translate: cancelOrStop,
    result: CHANGED,
    always: ["id", "discarded"],
    gives: { discarded: { type: "boolean", description: "true: the post was a draft and was deleted." } },
    answer: async (body, { id }) =>
      body === undefined ? { id, discarded: true } : { ...Object(body), discarded: false },
  },
  {
    name: "change_delivery",
    title: "Retry, edit or take down a delivery",
    description:
      "Acts on one channel's delivery of a post. Ask the user first. `retry` sends a failed one again; after `outcome_unknown` only once the user has " +
      "looked on the network and it is not there, with `confirm_not_published: true`. `edit` gives a live one another `text` (rules with " +
      "`edit`). `take_down` deletes a live one at its network " +
      "(rules with `takedown: true`) and cannot be undone; `takedown: pending` means the network has not confirmed yet.",
    operation: "posts.take-down",
    alternatives: ["posts.retry-delivery", "posts.edit-live-text"],
    hints: { destructiveHint: true, openWorldHint: true },
    takes: {
      do: { type: "string", enum: Object.keys(ACTS) },
      confirm_not_published: { type: "boolean" },
      text: { type: "string" },
    },
    required: ["do"],
    translate: actOnDelivery,
  },
  {
    name: "get_post",
    title: "Read a post",
    description:
      "Returns a post with a delivery per channel: `status`, `url` once live, and `error`, `action` and `hint` if it failed. " +
      "Never repost after `outcome_unknown` until the user has checked the network: it may be published. `wait_seconds` waits for the end.",
    operation: "posts.get",
    hints: reads,
    takes: { wait_seconds: { type: "integer", minimum: 0, maximum: WAIT_MAX_S } },
    translate: async ({ wait_seconds: wait = 0, ...args }) => {
      if (typeof wait !== "number" || !Number.isInteger(wait) || wait < 0 || wait > WAIT_MAX_S) {
        throw refuse("invalid_field", {
          field: "/wait_seconds",
          message: `\`wait_seconds\` is not a whole number from 0 to ${WAIT_MAX_S}.`,
        });
      }
      return { args, idempotencyKey: null };
    },
    wait: {
      atMostMs: ({ wait_seconds: wait = 0 }) => Number(wait) * 1_000,
      isOver: (body) => isFinished(Object(body).status),
    },
  },
  {
    name: "list_posts",
    title: "Find and list posts",
    description:
      "Lists posts in short rows, newest first, by time, channel, platform, label and words; all must match. Drafts only with `status: draft`. " +
      "`order: due` with `from` and `to` gives a calendar. `get_post` has a post whole.",
    operation: "posts.list",
    hints: reads,
    without: ["media", "author"],
    takes: { fields: FIELDS_ARGUMENT },
    translate: async ({ fields: _, ...args }) => ({ args: { limit: ROWS_DEFAULT, ...args }, idempotencyKey: null }),
    answer: async (body, args) => listRows(body, args),
    rows: "posts",
  },
  {
    name: "review_post",
    title: "Approve or decline a post",
    description:
      "Decides on a post that is `awaiting_approval`. Only if the user says so: first show them each channel's text, files and time " +
      "from `get_post`, and pass its `rev` and `content_tag`. `approve` schedules exactly that for the public; if its time has passed, it " +
      "takes a `publish_at` (null: now). `decline` takes a `reason` and makes it a draft.",
    operation: "posts.approve",
    alternatives: ["posts.decline"],
    hints: publishes,
    takes: {
      decision: { type: "string", enum: ["approve", "decline"] },
      reason: {
        type: "string",
        maxLength: REASON_LENGTH_MAX,
        description: "Reason for declining, for the post's author.",
      },
    },
    required: ["decision"],
    result: CHANGED,
    translate: decide,
  },
];
