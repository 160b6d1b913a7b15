// Publishes posts by way of containers: developers.facebook.com/documentation/threads, posts, read 2026-11-20. A container is
// prepared, and then published once. The state of the container says whether it was published.
import type { PrepareOutcome } from "../../domain/delivery/outcome.ts";
import { DAY_MS } from "../../domain/limits.ts";
import { misfitOptions, namesOfSet } from "../../domain/posts/option-fit.ts";
import type { Poll } from "../../domain/posts/poll.ts";
import type { MediaFile } from "../media-file.ts";
import type { ConnectorContext, Publication } from "../network.ts";
import { replyTo } from "../shared/meta/comment.ts";
import { ContainerKey, type Fields, type Plan, requireReady } from "../shared/meta/container.ts";
import { prepareContainers, quotaUsedUp } from "../shared/meta/container-prepare.ts";
import { knownId, publishContainer, reconcileContainer } from "../shared/meta/container-publish.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";
import { findQuoted } from "./quote.ts";
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

/**
 * Where the phrases of the text are hidden. No page says in which unit a range is counted; these are characters (code points), like
 * the limit of the text.
 */
function toSpoilers(text: string, phrases: readonly string[] = []): string | undefined {
  const entities = phrases.flatMap((phrase) => {
    const start = text.indexOf(phrase);
    if (start < 0) return [];
    const count = (part: string) => [...part].length;
    return [{ entity_type: "SPOILER", offset: count(text.slice(0, start)), length: count(phrase) }];
  });
  return entities.length === 0 ? undefined : JSON.stringify(entities);
}

/** Fields of the post itself, which its replies do not have. */
const ofPost = (text: string, options: Options, quoted: string | undefined): Fields => ({
  ...ofFirst(options),
  text_entities: toSpoilers(text, options.text_spoilers),
  quote_post_id: quoted,
  enable_reply_approvals: options.reply_approval ? "true" : undefined,
});

/** Fields of the post itself if it has no files. */
const ofTextPost = ({ link_attachment, text_attachment, gif, ghost }: Options): Fields => ({
  link_attachment,
  text_attachment: text_attachment && JSON.stringify({ plaintext: text_attachment }),
  gif_attachment: gif && JSON.stringify({ gif_id: gif, provider: "GIPHY" }),
  is_ghost_post: ghost ? "true" : undefined,
});

interface Related {
  /** The id of the previous thread part. */
  replyTo: string | undefined;
  /** The id of the quoted post. */
  quoted: string | undefined;
}

function buildPlan({ text, media, options, poll }: Publication<Options>, { replyTo, quoted }: Related): Plan {
  const common = {
    text: text === "" ? undefined : text,
    ...(replyTo === undefined ? ofPost(text, options, quoted) : { reply_to_id: replyTo }),
    // For a carousel, this field blurs all of its files.
    is_spoiler_media: options.spoiler && media.length > 0 ? "true" : undefined,
  };
  const attachments = replyTo === undefined ? ofTextPost(options) : {};
  const reply = replyTo === undefined ? {} : { replyTo };
  const [only, ...otherFiles] = media;
  if (only === undefined)
    return {
      ...reply,
      files: [],
      whole: () => ({ media_type: "TEXT", ...common, ...attachments, poll_attachment: poll && toAttachment(poll) }),
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

/** How long a ghost post is on the profile: create-posts/ghost-posts, from memory. */
const GHOST_LIFE_MS = DAY_MS;

/** Notes in the key of a ghost post when it ends, because no recheck can tell its end from a removal. */
function withEnd(outcome: PrepareOutcome, { ghost }: Options): PrepareOutcome {
  if (outcome.is !== "prepared" || !ghost) return outcome;
  const publishKey = requireReady(ContainerKey.parse(outcome.publishKey));
  return { ...outcome, publishKey: { ...publishKey, ends_at: publishKey.at + GHOST_LIFE_MS } };
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
  const { quote } = post.options;
  const quoted = quote === undefined || replyTo !== undefined ? undefined : await findQuoted(quote, context);
  if (typeof quoted === "object") return quoted;
  const plan = buildPlan(post, { replyTo: parent, quoted });
  const outcome = withEnd(
    await prepareContainers({ network: containers, plan, post, context, save }, publishKey),
    post.options,
  );
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
