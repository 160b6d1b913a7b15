// Decides how a post is published from its type, its file and its options.
import type { Rejected } from "../../domain/delivery/outcome.ts";
import { checkFile } from "../../domain/posts/check-file.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { OptionProblem, PostShape } from "../../domain/posts/option-problem.ts";
import type { PostTarget } from "../../domain/posts/post-target.ts";
import type { Publication } from "../network.ts";
import { type Options, rule, type VideoKind } from "./rule.ts";

type PostKind = "feed" | "photo_story" | VideoKind;

/** The fields of a post in the feed that a video does not have. */
const WITHOUT_VIDEO = ["backdated_at", "place", "targeting"] as const;

/** Options that a video does not take, and a time that is not in the past. */
export function checkOptions(options: Options, { media }: PostShape, now: number): OptionProblem[] {
  const isVideo = media.some(({ kind }) => kind === "video");
  const { backdated_at: backdated } = options;
  const isLater = backdated !== undefined && Date.parse(backdated) >= now;
  return [
    ...WITHOUT_VIDEO.filter((name) => isVideo && options[name] !== undefined).map((name) => ({
      path: [name],
      message: `\`${name}\` cannot be used with a video on ${rule.platform}.`,
    })),
    ...(isLater ? [{ path: ["backdated_at"], message: "`backdated_at` must be in the past." }] : []),
  ];
}

export function classifyPost(post: Publication<Options>, now: number): PostKind | Rejected {
  const [misfit] = misfitOptions({ ...post, rule, options: namesOfSet(post.options) });
  if (misfit !== undefined) return { is: "rejected", error: "content_refused", detail: misfit.message };
  const [problem] = checkOptions(post.options, post, now);
  if (problem !== undefined) return { is: "rejected", error: "content_refused", detail: problem.message };
  const [file] = post.media;
  const isVideo = file?.kind === "video";
  if (post.postType === "reel") return "reel";
  if (post.postType === "story") return isVideo ? "story" : "photo_story";
  return isVideo ? inFeed(post) : "feed";
}

/**
 * The network may keep an upright video that is sent as a plain one as the draft of a reel (postiz-app, pull request 1740),
 * so a video that fits a reel is sent as a reel. A video that is not known to fit is sent as the plain video it was posted
 * as.
 */
function inFeed(post: Publication<Options>): "reel" | "video" | Rejected {
  const { video_as = "auto" } = post.options;
  if (video_as === "feed") return "video";
  const [misfit] = reelMisfits(post);
  if (video_as === "reel") {
    return misfit === undefined ? "reel" : { is: "rejected", error: "media_refused", detail: misfit.message };
  }
  const isMeasured = post.media.every(
    ({ width, height, seconds }) => width !== null && height !== null && seconds !== null,
  );
  return isMeasured && misfit === undefined ? "reel" : "video";
}

/** The known properties of the file that do not fit a reel. */
function reelMisfits({ text, media }: Publication<Options>) {
  const target: PostTarget = {
    channel: "",
    rule,
    text,
    textField: "/text",
    media,
    mediaField: "/media",
    postType: "reel",
    optionsField: "/options",
    options: [],
  };
  return [...checkFile(target, 0)];
}
