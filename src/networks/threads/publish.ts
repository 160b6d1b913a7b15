// Publishes posts by way of containers: developers.facebook.com/documentation/threads, posts, read 2026-11-20. A container is
// prepared, and then published once. The state of the container says whether it was published.
import type { PrepareOutcome } from "../../domain/delivery/outcome.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { Poll } from "../../domain/posts/poll.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { replyTo } from "../shared/meta/comment.ts";
import type { ContainerKey, Fields, Plan } from "../shared/meta/container.ts";
import { prepareContainers, quotaUsedUp } from "../shared/meta/container-prepare.ts";
import { knownId, publishContainer, reconcileContainer } from "../shared/meta/container-publish.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";
import { LOCATION_SCOPE, type Options, rule } from "./rule.ts";

function fileFields(file: MediaFile): Fields {
  const address = file.kind === "video" ? { video_url: file.url } : { image_url: file.url };
  return { media_type: file.kind === "video" ? "VIDEO" : "IMAGE", ...address, alt_text: file.alt ?? undefined };
}

/** Fields that the first post of a thread sets for the whole thread. */
const ofFirst = ({ topic_tag, reply_control, location_id }: Options): Fields => ({
  topic_tag,
  reply_control,
  location_id,
});

const toAttachment = ({ options }: Poll): string =>
  JSON.stringify(Object.fromEntries(options.map((option, i) => [`option_${"abcd"[i]}`, option])));

/** `replyTo`: the id of the previous thread part. */
function buildPlan({ text, media, options, poll }: Publication<Options>, replyTo: string | undefined): Plan {
  const common = {
    text: text === "" ? undefined : text,
    ...(replyTo === undefined ? ofFirst(options) : { reply_to_id: replyTo }),
    // For a carousel, this field blurs all of its files.
    is_spoiler_media: options.spoiler && media.length > 0 ? "true" : undefined,
  };
  const link_attachment = replyTo === undefined ? options.link_attachment : undefined;
  const reply = replyTo === undefined ? {} : { replyTo };
  const [only, ...otherFiles] = media;
  if (only === undefined)
    return {
      ...reply,
      files: [],
      whole: () => ({ media_type: "TEXT", ...common, link_attachment, poll_attachment: poll && toAttachment(poll) }),
    };
  if (otherFiles.length === 0) return { ...reply, files: [], whole: () => ({ ...fileFields(only), ...common }) };
  return {
    ...reply,
    files: media.map((file) => ({ ...fileFields(file), is_carousel_item: "true" })),
    whole: (ids) => ({ media_type: "CAROUSEL", children: ids.join(","), ...common }),
  };
}

function refusedOption(post: Publication<Options>): PrepareOutcome | null {
  const [misfit] = misfitOptions({ ...post, rule, options: namesOfSet(post.options) });
  return misfit === undefined ? null : { is: "rejected", error: "content_refused", detail: misfit.message };
}

export async function prepare(
  post: Publication<Options, ContainerKey>,
  context: ConnectorContext<MetaCredential>,
  publishKey: ContainerKey | null,
  save: (publishKey: ContainerKey) => Promise<void>,
): Promise<PrepareOutcome> {
  const { replyTo } = post;
  const refused = replyTo === undefined ? refusedOption(post) : null;
  if (refused !== null) return refused;
  const parent = replyTo === undefined ? undefined : await knownId(containers, replyTo.parent, context);
  if (parent === null)
    return {
      is: "retryable",
      error: "network_unavailable",
      detail: "the network has not returned the id of the post to reply to",
    };
  if (typeof parent === "object") return parent;
  const plan = buildPlan(post, parent);
  const outcome = await prepareContainers({ network: containers, plan, post, context, save }, publishKey);
  // An account without this permission can still publish posts without a location.
  return outcome.is === "rejected" && outcome.error === "permission_missing" && post.options.location_id !== undefined
    ? { ...outcome, detail: `\`location_id\` needs the permission ${LOCATION_SCOPE}` }
    : outcome;
}

export const publish = (
  _post: Publication<Options>,
  publishKey: ContainerKey,
  context: ConnectorContext<MetaCredential>,
) => publishContainer(containers, publishKey, context);

export const reconcile = (publishKey: ContainerKey, context: ConnectorContext<MetaCredential>) =>
  reconcileContainer(containers, publishKey, context);

export const firstComment = replyTo(containers);

export const foresee = (_post: Publication<Options>, context: ConnectorContext<MetaCredential>) =>
  quotaUsedUp({ network: containers, context });
