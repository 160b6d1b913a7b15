// The tools that write, show and decide on posts.
import { DryRun, Post } from "../contract/post-shapes.ts";
import type { JsonObject } from "../domain/json.ts";
import { REASON_LENGTH_MAX } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { entityTag } from "../operations/if-match.ts";
import { certify, IDEMPOTENCY_KEY, keyOf, postOf, redeem } from "./checked-post.ts";
import { type Definition, reads, type Translated } from "./tool.ts";
import type { Schema } from "./tool-schema.ts";

/** Reads and edits stay inside the service; publishing reaches the outside world. */
const publishes = { openWorldHint: true, idempotentHint: false };

const REV: Schema = {
  type: "integer",
  minimum: 1,
  description: "`rev` of the post as you know it; one that others have changed since is refused with `current`.",
};

/** Edits the post at the revision that the client has seen, if the client names one. */
async function ofRevision({ rev, ...args }: JsonObject): Promise<Translated> {
  if (rev === undefined || rev === null) return { args, idempotencyKey: null };
  if (typeof rev !== "number" || !Number.isSafeInteger(rev) || rev < 1) {
    throw refuse("invalid_field", { field: "/rev", message: "`rev` is not the revision of a post." });
  }
  return { args, idempotencyKey: null, ifMatch: entityTag(rev) };
}

/** The fields that a decision changes; `get_post` has the rest. Every session pays for each schema. */
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
    title: "Check a post",
    description:
      "Makes every check that `queue_post` makes, with the same refusals, and writes nothing. Answers with exactly what each " +
      "channel would publish and a `check_token` for `queue_post`. Use it first: show the user the texts, the channels " +
      "and the time, and queue the post when they agree. `media_preview` judges files before they are uploaded; such a " +
      "check has no token, and neither has one that names a file which has not been uploaded.",
    operation: "posts.create",
    hints: reads,
    fixed: { dry_run: true },
    without: ["draft"],
    required: ["channels"],
    result: DryRun,
    gives: {
      check_token: {
        anyOf: [{ type: "string" }, { type: "null" }],
        description: "Give it to `queue_post` with the same arguments: what goes out is then exactly what was checked.",
      },
      check_token_expires_at: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
    },
    answer: certify,
  },
  {
    name: "queue_post",
    title: "Publish a post, now or later",
    description:
      "Publishes to every channel of `channels`: at `publish_at`, or at once without it. This reaches the public. Before you " +
      "call it, show the user what will be posted, where and when, as `check_post` answers it, and pass its " +
      "`check_token`: then nothing but what they saw can go out, and a repeat of the call cannot post twice. Without a " +
      "token the post is checked all the same; then pass an `idempotency_key`. A post that breaks a rule is refused with " +
      "all `violations`, each with its field, limit and excess: repair those and call again. Then follow with `get_post`.",
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
    title: "Save a draft",
    description:
      "Saves a post without sending it: channels may still be missing. It costs nothing of the plan. Edit it with " +
      "`update_post`; `draft: false` there publishes it.",
    operation: "posts.create",
    ability: "draft",
    hints: { idempotentHint: false },
    fixed: { draft: true },
    without: ["dry_run", "media_preview"],
    takes: { idempotency_key: IDEMPOTENCY_KEY },
    result: Post,
    translate: async (args) => ({ args: postOf(args), idempotencyKey: keyOf(args) }),
  },
  {
    name: "update_post",
    title: "Edit a post",
    description:
      "Changes a draft or a post that has not started publishing. What you leave out stays; a list or map that you send " +
      "replaces the whole of the old one. `draft: false` releases a draft to be published (show the user first what " +
      "will go out), `draft: true` takes a scheduled post back.",
    operation: "posts.update",
    hints: { destructiveHint: true, openWorldHint: true },
    takes: { rev: REV },
    translate: ofRevision,
  },
  {
    name: "cancel_post",
    title: "Cancel a post or discard a draft",
    description:
      "Cancels what has not been sent yet; a draft is deleted. What is being sent ends and says truthfully how. A post that " +
      "has finished cannot be cancelled: `take_down` removes what is live.",
    operation: "posts.remove",
    hints: { destructiveHint: true },
    takes: { rev: REV },
    translate: ofRevision,
    result: CHANGED,
    always: ["id", "discarded"],
    gives: { discarded: { type: "boolean", description: "true: it was a draft, and it is gone." } },
    answer: async (body, { id }) =>
      body === undefined ? { id, discarded: true } : { ...Object(body), discarded: false },
  },
  {
    name: "take_down",
    title: "Take a published post down",
    description:
      "Deletes one live delivery at its network (rules with `takedown: true`); the other channels keep theirs. It cannot be " +
      "undone: ask the user first. `takedown: pending` in the answer: the network has not said yet, follow with `get_post`.",
    operation: "posts.take-down",
    hints: { destructiveHint: true, openWorldHint: true },
  },
  {
    name: "get_post",
    title: "Read a post",
    description:
      "One post with a delivery per channel: `status`, `url` once live, and `error`, `action` and `hint` if it failed. " +
      "Never repost after `outcome_unknown` before the user has checked the network: it may be published.",
    operation: "posts.get",
    hints: reads,
  },
  {
    name: "list_posts",
    title: "List posts",
    description: "Recent posts with their deliveries, newest first; drafts only with `status: draft`.",
    operation: "posts.list",
    hints: reads,
    without: ["from", "to", "channel", "platform", "label", "media", "author", "q", "order"],
  },
  {
    name: "find_posts",
    title: "Find posts",
    description:
      "Posts by time, channel, platform, label and words, all those that are given: `order: due` with `from` and " +
      "`to` is a calendar.",
    operation: "posts.list",
    hints: reads,
    without: ["media", "author"],
  },
  {
    name: "review_post",
    title: "Approve or decline a post that waits",
    description:
      "Decides on a post that is `awaiting_approval`. Only on the user's word: first show them each channel's text, files and time " +
      "from `get_post`, and pass its `rev` and `content_tag`. `approve` schedules exactly that, for the public; past its time it " +
      "takes a `publish_at` (null: now). `decline` takes a `reason` and makes it a draft.",
    operation: "posts.approve",
    alternative: "posts.decline",
    hints: publishes,
    takes: {
      decision: { type: "string", enum: ["approve", "decline"] },
      reason: {
        type: "string",
        maxLength: REASON_LENGTH_MAX,
        description: "Why it is declined, for its writer.",
      },
    },
    required: ["decision"],
    result: CHANGED,
    translate: decide,
  },
];
