// The network must be asked before every post for the account's current permissions.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { OptionProblem, PostShape } from "../../domain/posts/option-problem.ts";
import type { ConnectorContext, Foreseen, Publication } from "../network.ts";
import type { Answer } from "../shared/http-call.ts";
import { call, readData } from "./api.ts";
import { harmless } from "./errors.ts";
import { type Credential, isDraft, type Options, rule } from "./rule.ts";

export const Creator = z.object({
  creator_username: z.string().min(1),
  privacy_level_options: z.array(z.string()),
  comment_disabled: z.boolean().default(false),
  duet_disabled: z.boolean().default(false),
  stitch_disabled: z.boolean().default(false),
  max_video_post_duration_sec: z.number().optional(),
});
export type Creator = z.output<typeof Creator>;

export function queryCreator(context: Parameters<typeof call>[0]): Promise<Answer> {
  return call(context, "post/publish/creator_info/query/", {});
}

/** The account's current permissions, or why it may not post. The answer is sometimes a refusal with status 200. */
export async function askCreator(
  context: ConnectorContext<Credential>,
): Promise<Creator | Retryable | Rejected | Unauthorized> {
  const answer = await queryCreator(context);
  return readData(answer, Creator) ?? harmless(answer, context.io.now());
}

/** The account that is stored with a prepared post. A draft has no account, because Crier does not ask TikTok before a draft. */
export const madeFor = (creator: Creator | null) =>
  creator === null ? { username: null, draft: true as const } : { username: creator.creator_username };

/** Options that do not fit each other or the files. A post without files is judged once it has some. */
export function checkOptions(options: Options, { media }: PostShape): OptionProblem[] {
  const { photo_cover_index: cover = 0, brand_content, privacy_level } = options;
  const isBeyond = media.length > 0 && cover >= media.length;
  // developers.tiktok.com/doc/content-sharing-guidelines, read 2026-11-20.
  const isHidden = brand_content === true && privacy_level === "SELF_ONLY";
  return [
    ...(isBeyond
      ? [{ path: ["photo_cover_index"], message: `There are only ${media.length} photos, counted from 0.` }]
      : []),
    ...(isHidden ? [{ path: ["brand_content"], message: "A paid partnership cannot be `SELF_ONLY`." }] : []),
  ];
}

/**
 * Why this account cannot publish this post, as far as that is known before anything is sent; null if no reason is known.
 * `creator` is null for a draft.
 */
export function judge({ postType, media, options }: Publication<Options>, creator: Creator | null): Rejected | null {
  const content = (detail: string): Rejected => ({ is: "rejected", error: "content_refused", detail });
  const [file] = media;
  const isVideo = file?.kind === "video";
  const misfits = misfitOptions({ rule, postType, media, options: namesOfSet(options) });
  if (misfits.length > 0) return content(misfits.map(({ message }) => message).join(" "));
  const [problem] = checkOptions(options, { postType, media });
  if (problem !== undefined) return content(`${problem.path.join(".")}: ${problem.message}`);
  const { privacy_level } = options;
  if (creator === null) return null;
  if (privacy_level === undefined || !creator.privacy_level_options.includes(privacy_level)) {
    const offered = creator.privacy_level_options.join(", ");
    return content(`privacy_level: this account cannot post ${privacy_level ?? "without one"}; it can post ${offered}`);
  }
  const limit = creator.max_video_post_duration_sec;
  if (isVideo && limit !== undefined && file.seconds !== null && file.seconds > limit) {
    const detail = `file 1 (${file.id}) lasts ${Math.round(file.seconds)} s; this account may post ${limit} s`;
    return { is: "rejected", error: "media_refused", detail };
  }
  return null;
}

/** Asks TikTok about the account before a post's time: its posts of the day, and its permissions. */
export async function foresee(post: Publication<Options>, context: ConnectorContext<Credential>): Promise<Foreseen> {
  if (isDraft(post.options)) return judge(post, null);
  const creator = await askCreator(context);
  return "is" in creator ? creator : judge(post, creator);
}
