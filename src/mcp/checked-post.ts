// Creates a post only once: under a key, or under the token of its check, which also requires the checked content.
import { isoInstant } from "../domain/instant.ts";
import type { JsonObject } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { CHECK_LIFE_MS } from "./check-token.ts";
import type { AnswerContext, ToolContext, Translated } from "./tool.ts";
import type { Schema } from "./tool-schema.ts";

export const IDEMPOTENCY_KEY: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  pattern: "^[\\x21-\\x7e]+$",
  description:
    "Your own key for this post. A repeated call with the same key returns the same post instead of " +
    "creating a second one, so repeat it after any failure with an unknown result. Not together with a `check_token`, " +
    "which does the same.",
};

/** The arguments that describe the post, without those that concern the call. */
export function getPostArguments({ idempotency_key: _key, check_token: _token, ...post }: JsonObject): JsonObject {
  return post;
}

export const readIdempotencyKey = ({ idempotency_key: key }: JsonObject): string | null => {
  if (key === undefined || key === null) return null;
  if (typeof key !== "string") throw refuse("idempotency_key_invalid", { field: "/idempotency_key" });
  return key;
};

/** A post with a token must be exactly the checked one. A token is valid for one post. */
export async function redeem(args: JsonObject, { tokens, now }: ToolContext): Promise<Translated> {
  const post = getPostArguments(args);
  const key = readIdempotencyKey(args);
  const { check_token: token } = args;
  if (token === undefined || token === null) return { args: post, idempotencyKey: key };
  if (key !== null) {
    throw refuse("invalid_field", {
      field: "/idempotency_key",
      message: "A `check_token` already is the key of its post. With another key, it could be posted twice.",
      hint: "Omit `idempotency_key`.",
    });
  }
  const verdict = typeof token === "string" ? await tokens.read(token, post, now) : { is: "different" as const };
  if (verdict.is === "good") {
    return { args: post, idempotencyKey: `check:${verdict.nonce}`, content: verdict.content };
  }
  throw refuse("invalid_field", {
    field: "/check_token",
    message:
      verdict.is === "expired"
        ? `This check is older than ${CHECK_LIFE_MS / MINUTE_MS} minutes.`
        : "This is not the post that was checked: an argument differs, or the token is from another connection.",
    hint:
      verdict.is === "expired"
        ? "If an earlier call may have succeeded, check with `list_posts` first. Otherwise call `check_post` again."
        : "Call `check_post` with exactly these arguments, or send the arguments that you checked.",
  });
}

/** A file that is not uploaded yet is not part of the content, so the check of such a post issues no token. */
export async function certify(body: unknown, args: JsonObject, { tokens, now, content = null }: AnswerContext) {
  const isComplete = args.media_preview === undefined && content !== null;
  const minted = isComplete ? await tokens.mint(getPostArguments(args), content, now) : null;
  return {
    ...Object(body),
    check_token: minted?.token ?? null,
    check_token_expires_at: minted === null ? null : isoInstant(minted.expiresAt),
  };
}
