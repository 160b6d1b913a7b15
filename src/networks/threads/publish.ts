// How a post becomes containers: developers.facebook.com/documentation/threads, posts, read 2026-11-20. A container is
// made ready, then published once; asked for its state, it tells whether it was.
import type { PrepareOutcome } from "../../domain/delivery/outcome.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { ConnectorContext, MediaFile, Publication } from "../network.ts";
import { replyTo } from "../shared/meta/comment.ts";
import type { ContainerHandle, Fields, Plan } from "../shared/meta/container.ts";
import { prepareContainers } from "../shared/meta/container-prepare.ts";
import { publishContainer, reconcileContainer } from "../shared/meta/container-publish.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";
import { LOCATION_SCOPE } from "./auth.ts";
import { type Options, rule } from "./rule.ts";

function fileFields(file: MediaFile): Fields {
  const address = file.kind === "video" ? { video_url: file.url } : { image_url: file.url };
  return { media_type: file.kind === "video" ? "VIDEO" : "IMAGE", ...address, alt_text: file.alt ?? undefined };
}

function planOf({ text, media, options }: Publication<Options>): Plan {
  const { topic_tag, reply_control, location_id, link_attachment } = options;
  const common = {
    text: text === "" ? undefined : text,
    topic_tag,
    reply_control,
    location_id,
    // On a carousel it blurs all files.
    is_spoiler_media: options.spoiler ? "true" : undefined,
  };
  const [only, ...others] = media;
  if (only === undefined) return { files: [], whole: () => ({ media_type: "TEXT", ...common, link_attachment }) };
  if (others.length === 0) return { files: [], whole: () => ({ ...fileFields(only), ...common }) };
  return {
    files: media.map((file) => ({ ...fileFields(file), is_carousel_item: "true" })),
    whole: (ids) => ({ media_type: "CAROUSEL", children: ids.join(","), ...common }),
  };
}

function refusedOption(post: Publication<Options>): PrepareOutcome | null {
  const [misfit] = misfitOptions({ ...post, rule, options: namesOfSet(post.options) });
  return misfit === undefined ? null : { is: "rejected", error: "content_refused", detail: misfit.message };
}

export async function prepare(
  post: Publication<Options>,
  context: ConnectorContext<MetaCredential>,
  handle: ContainerHandle | null,
  save: (handle: ContainerHandle) => Promise<void>,
): Promise<PrepareOutcome> {
  const refused = refusedOption(post);
  if (refused !== null) return refused;
  const outcome = await prepareContainers({ network: containers, plan: planOf(post), post, context, save }, handle);
  // A grant may lack it: without a location the same account publishes all the same.
  return outcome.is === "rejected" && outcome.error === "permission_missing" && post.options.location_id !== undefined
    ? { ...outcome, detail: `\`location_id\` needs the permission ${LOCATION_SCOPE}: ${outcome.detail}` }
    : outcome;
}

export const publish = (
  _post: Publication<Options>,
  handle: ContainerHandle,
  context: ConnectorContext<MetaCredential>,
) => publishContainer(containers, handle, context);

export const reconcile = (handle: ContainerHandle, context: ConnectorContext<MetaCredential>) =>
  reconcileContainer(containers, handle, context);

export const firstComment = replyTo(containers);
