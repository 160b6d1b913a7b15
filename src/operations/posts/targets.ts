// Builds what each channel of a post would publish: texts, files and options, with their positions in the body.

import { altText } from "../../domain/media/types.ts";
import { findCaptions } from "../../domain/posts/captions.ts";
import { countEntries, namesOfSet } from "../../domain/posts/option-fit.ts";
import { findLongText, getOutgoingText } from "../../domain/posts/outgoing-text.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import type { Poll } from "../../domain/posts/poll.ts";
import type { MediaFacts, PostTarget } from "../../domain/posts/post-target.ts";
import { findThumbnail } from "../../domain/posts/thumbnail.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import type { Violation } from "../../domain/refusal.ts";
import type { Network } from "../../networks/network.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { pointer } from "../refuse-issues.ts";
import type { PostBody } from "./read-for-check.ts";

/**
 * A target of a post, with the JSON pointer of each of its files, and each file's row (null: it does not exist yet).
 */
export interface ChannelTarget extends PostTarget {
  files: string[];
  rows: (MediaRow | null)[];
  thumbnailRow: MediaRow | null;
  /** The account's tier; null: none is known. */
  tier: string | null;
}

/** The files of a list that exist in the library, each with its position in the body. */
const storedFiles = (ids: readonly string[], field: string, media: Map<string, MediaRow>) =>
  ids.flatMap((id, i) => {
    const row = media.get(id);
    return row === undefined ? [] : [{ facts: facts(row), field: `${field}/${i}`, row }];
  });

/** Builds the target of one channel from the post's text and files, or the channel's own. */
export function buildTarget(
  body: PostBody,
  channel: ChannelRow,
  network: Network,
  media: Map<string, MediaRow>,
): ChannelTarget {
  const override = body.overrides?.[channel.id];
  const overridePath = `/overrides${pointer([channel.id])}`;
  const mediaField = override?.media === undefined ? "/media" : `${overridePath}/media`;
  const stored = storedFiles(override?.media ?? body.media ?? [], mediaField, media);
  const previewed = (override?.media === undefined ? (body.media_preview ?? []) : []).map((file, i) => ({
    facts: previewFacts(file),
    field: `/media_preview/${i}`,
    row: null,
  }));
  const allFiles = [...stored, ...previewed];
  const thumbnail = media.get(findThumbnail(override) ?? "");
  const poll = (override?.poll === undefined ? body.poll : override.poll) ?? null;
  const rule = applyTier(network.rule, channel.tier);
  const options = getNetworkOptions(override);
  return {
    channel: channel.id,
    tier: channel.tier,
    rule,
    ...buildText(body, override, { rule, overridePath, poll }),
    media: allFiles.map((file) => file.facts),
    mediaField: stored.length === 0 && previewed.length > 0 ? "/media_preview" : mediaField,
    ...(thumbnail && { thumbnail: facts(thumbnail) }),
    captions: findCaptions(override).flatMap(({ file }, position) => {
      const row = media.get(file);
      return row === undefined ? [] : [{ position, facts: facts(row) }];
    }),
    poll,
    pollField: override?.poll === undefined ? "/poll" : `${overridePath}/poll`,
    postType: body.post_type ?? null,
    optionsField: overridePath,
    options: namesOfSet(options),
    entries: countEntries(options),
    files: allFiles.map(({ field }) => field),
    rows: allFiles.map(({ row }) => row),
    thumbnailRow: thumbnail ?? null,
  };
}

type Override = NonNullable<PostBody["overrides"]>[string] | undefined;

/** The text that goes out on a channel, and where it was written. */
function buildText(
  body: PostBody,
  override: Override,
  { rule, overridePath, poll }: { rule: PlatformRule; overridePath: string; poll: Poll | null },
) {
  const options = getNetworkOptions(override);
  const text = getOutgoingText({ text: override?.text ?? body.text ?? "", options, poll }, rule);
  if (findLongText(rule.long_text, options) !== null)
    return { text, textField: `${overridePath}/${rule.long_text?.option}`, isLongText: true as const };
  return { text, textField: override?.text === undefined ? "/text" : `${overridePath}/text` };
}

/** Points a violation of a target's n-th file at that file's position in the body. */
export function placed(broken: Violation, { files, mediaField }: ChannelTarget): Violation {
  const prefix = `${mediaField}/`;
  const field = broken.field?.startsWith(prefix) ? files[Number(broken.field.slice(prefix.length))] : undefined;
  return field === undefined ? broken : { ...broken, field };
}

function previewFacts(file: NonNullable<PostBody["media_preview"]>[number]): MediaFacts {
  const { kind, type, bytes, width, height, seconds, alt } = file;
  return {
    kind,
    contentType: type ?? null,
    bytes: bytes ?? null,
    width: width ?? null,
    height: height ?? null,
    seconds: seconds ?? null,
    alt: altText(alt),
  };
}

/** The network's own options: an override without its text, files, thread, poll and time. */
export function getNetworkOptions(override: Record<string, unknown> = {}): Record<string, unknown> {
  const { text: _text, media: _media, thread: _thread, poll: _poll, publish_at: _publishAt, ...options } = override;
  return options;
}

function facts(row: MediaRow): MediaFacts {
  const { kind, contentType, bytes, width, height, durationMs, alt } = row;
  return { kind, contentType, bytes, width, height, alt, seconds: durationMs === null ? null : durationMs / 1000 };
}

/** The position of a channel's thread in the body. */
export const threadField = (body: PostBody, channel: string): string =>
  body.overrides?.[channel]?.thread === undefined ? "/thread" : `/overrides${pointer([channel])}/thread`;

/** The thread parts after the first of a channel's target: each is a plain post with its own text and files. */
export function buildThreadPartTargets(
  body: PostBody,
  target: ChannelTarget,
  media: Map<string, MediaRow>,
): ChannelTarget[] {
  const threadPath = threadField(body, target.channel);
  const thread = body.overrides?.[target.channel]?.thread ?? body.thread ?? [];
  const { thumbnail: _, poll: _poll, captions: _captions, isLongText: _isLongText, ...whole } = target;
  return thread.map(({ text, media: ids = [] }, i) => {
    const mediaField = `${threadPath}/${i}/media`;
    const stored = storedFiles(ids, mediaField, media);
    return {
      ...whole,
      text,
      textField: `${threadPath}/${i}/text`,
      media: stored.map((file) => file.facts),
      files: stored.map(({ field }) => field),
      rows: stored.map(({ row }) => row),
      thumbnailRow: null,
      mediaField,
      postType: null,
      options: [],
      entries: {},
    };
  });
}
