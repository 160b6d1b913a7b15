// How a post becomes containers: developers.facebook.com/documentation/instagram-platform, content publishing and the
// reference of ig-user/media, read 2026-11-20. A container is prepared, and then published once. The state of the container
// says whether it was published.
import type { PrepareOutcome, Rejected } from "../../domain/delivery/outcome.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { OptionProblem, PostShape } from "../../domain/posts/option-problem.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { commentUnder } from "../shared/meta/comment.ts";
import type { ContainerKey, Fields, Plan } from "../shared/meta/container.ts";
import { prepareContainers, quotaUsedUp } from "../shared/meta/container-prepare.ts";
import { publishContainer, reconcileContainer } from "../shared/meta/container-publish.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";
import { type Options, rule } from "./rule.ts";

type Post = Publication<Options>;

const buildUrlField = (file: MediaFile): Fields =>
  file.kind === "video" ? { video_url: file.url } : { image_url: file.url };

/** Images have alt text, alone or in a carousel; reels and stories have none. */
const imageFields = (file: MediaFile): Fields => ({ ...buildUrlField(file), alt_text: file.alt ?? undefined });

/** The people tagged on a file. Positions are only for images and stories: ig-user/media, `user_tags`, read 2026-11-27. */
function tagFields({ options }: Post, file: MediaFile): Fields {
  const tags = (options.user_tags ?? [])
    .filter((tag) => tag.file === file.position)
    .map(({ username, x, y }) => ({ username, x, y }));
  return { user_tags: tags.length === 0 ? undefined : JSON.stringify(tags) };
}

const isStory = ({ postType }: Post) => postType === "story";
/** A single video is always published as a reel. */
const isReel = (post: Post) => !isStory(post) && post.media.length === 1 && post.media[0]?.kind === "video";

const GRADUATION = { manual: "MANUAL", performance: "SS_PERFORMANCE" };

function reelFields({ options, thumbnail }: Post): Fields {
  const { share_to_feed, thumb_offset_ms: thumb, trial_reel: trial } = options;
  return {
    media_type: "REELS",
    share_to_feed: String(share_to_feed),
    cover_url: thumbnail?.url,
    audio_name: options.audio_name,
    thumb_offset: thumb === undefined ? undefined : String(thumb),
    trial_params: trial === undefined ? undefined : JSON.stringify({ graduation_strategy: GRADUATION[trial] }),
  };
}

function buildPlan(post: Post): Plan {
  const { text, media, options } = post;
  const [first, ...otherFiles] = media;
  const common: Fields = {
    caption: text === "" ? undefined : text,
    location_id: options.location_id,
    collaborators: options.collaborators === undefined ? undefined : JSON.stringify(options.collaborators),
    // A member of the post, never of a carousel's item.
    is_ai_generated: options.ai_generated ? "true" : undefined,
    is_paid_partnership: options.paid_partnership ? "true" : undefined,
    branded_content_sponsor_ids: options.sponsors === undefined ? undefined : JSON.stringify(options.sponsors),
  };
  if (first === undefined) throw new Error("a post on Instagram has a file");
  if (isStory(post))
    return {
      files: [],
      whole: () => ({ media_type: "STORIES", ...buildUrlField(first), ...tagFields(post, first), ...common }),
    };
  if (otherFiles.length > 0) {
    return {
      files: media.map((file) => ({
        ...(file.kind === "video" ? { media_type: "VIDEO", ...buildUrlField(file) } : imageFields(file)),
        ...tagFields(post, file),
        is_carousel_item: "true",
      })),
      whole: (ids) => ({ media_type: "CAROUSEL", children: ids.join(","), ...common }),
    };
  }
  const ofFirst = { ...buildUrlField(first), ...tagFields(post, first) };
  if (isReel(post)) return { files: [], whole: () => ({ ...reelFields(post), ...ofFirst, ...common }) };
  return { files: [], whole: () => ({ ...imageFields(first), ...ofFirst, ...common }) };
}

/** Tags that do not fit their file. Tags on a post without files are judged once it has some. */
export function checkOptions({ user_tags: tags = [] }: Options, { postType, media }: PostShape): OptionProblem[] {
  if (media.length === 0) return [];
  return tags.flatMap(({ x, y, file }, i): OptionProblem[] => {
    const refuse = (member: string, message: string) => [{ path: ["user_tags", i, member], message }];
    const kind = media[file]?.kind;
    if (kind === undefined) return refuse("file", `There are only ${media.length} files, counted from 0.`);
    const hasPosition = x !== undefined && y !== undefined;
    const isStory = postType === "story";
    if (kind === "video" && media.length > 1)
      return refuse("file", "Instagram tags nobody on a video among several files.");
    if (kind === "video" && !isStory && (x !== undefined || y !== undefined))
      return refuse(x === undefined ? "y" : "x", "A tag on a reel has no position.");
    const isBare = isStory && x === undefined && y === undefined;
    if (hasPosition || isBare || (kind === "video" && !isStory)) return [];
    return refuse(x === undefined ? "x" : "y", "A tag on an image needs `x` and `y`.");
  });
}

/**
 * Refuses an option that does not fit the post. The rule decides, except for `share_to_feed`: its value `true` fits every post,
 * and the rule cannot express this.
 */
function refusedOption(post: Post): Rejected | null {
  const refused = (detail: string): Rejected => ({ is: "rejected", error: "content_refused", detail });
  if (!post.options.share_to_feed && !isReel(post)) return refused("`share_to_feed` can only be used with a reel");
  const [misfit] = misfitOptions({ ...post, rule, options: namesOfSet(post.options) });
  if (misfit !== undefined) return refused(misfit.message);
  const [problem] = checkOptions(post.options, post);
  return problem === undefined ? null : refused(`${problem.path.join(".")}: ${problem.message}`);
}

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<MetaCredential>,
  publishKey: ContainerKey | null,
  save: (publishKey: ContainerKey) => Promise<void>,
): Promise<PrepareOutcome> {
  return (
    refusedOption(post) ??
    prepareContainers({ network: containers, plan: buildPlan(post), post, context, save }, publishKey)
  );
}

export const publish = (
  _post: Publication<Options>,
  publishKey: ContainerKey,
  context: ConnectorContext<MetaCredential>,
) => publishContainer(containers, publishKey, context);

export const reconcile = (publishKey: ContainerKey, context: ConnectorContext<MetaCredential>) =>
  reconcileContainer(containers, publishKey, context);

export const firstComment = commentUnder(containers);

export const foresee = (_post: Publication<Options>, context: ConnectorContext<MetaCredential>) =>
  quotaUsedUp({ network: containers, context });
