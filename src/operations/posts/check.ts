// Judges the whole of a post by what was read of it. Writes nothing: a dry run and the real call stop here alike.
import type { Context } from "../../context.ts";
import { whyUnusable } from "../../domain/channel.ts";
import { checkPublishAt, readInstant } from "../../domain/instant.ts";
import { altText, expiredFile } from "../../domain/media/types.ts";
import { planOf } from "../../domain/plan.ts";
import { checkTarget } from "../../domain/posts/check-post.ts";
import { namesOfSet } from "../../domain/posts/option-fit.ts";
import type { MediaFacts, PostTarget } from "../../domain/posts/post-target.ts";
import { createTextMeter, type TextMeter } from "../../domain/posts/text-length.ts";
import { type Warning, warnOfTarget } from "../../domain/posts/warning.ts";
import { refuse, refuseViolations, type Violation, violation } from "../../domain/refusal.ts";
import { networkOf } from "../../networks/index.ts";
import type { Network } from "../../networks/network.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import type { Inspection, MediaRow } from "../../store/media/media.ts";
import { channelFacts } from "../channels/view.ts";
import { describe, pointer, READING } from "../refuse-issues.ts";
import { withChannelIds } from "./channel-names.ts";
import { checkUploads, contentTag, inspectUploads } from "./inspect.ts";
import { type CheckMaterial, mediaNamed, type PostBody } from "./read-for-check.ts";

/** A post that may be published as it is. */
export interface CheckedPost {
  workspace: WorkspaceRow;
  targets: (PostTarget & { network: Network; lane: number })[];
  /** The post's own files and those of its overrides, each once. */
  mediaUsed: string[];
  /** Epoch milliseconds; null: now, or for a draft on release. */
  publishAt: number | null;
  now: number;
  month: string;
  postsUsed: number;
  warnings: Warning[];
  /** Has counted the texts of the targets. */
  meter: TextMeter;
  /** What was learnt of files that nobody had looked at. */
  inspections: Inspection[];
  /** See `contentTag`. */
  content: string | null;
}
/**
 * Judges a post. Throws all violations at once (422), or a channel that cannot publish (409). `judgeTime`: false for a time
 * that was accepted before and stays.
 */
export async function checkPost(
  ctx: Context,
  body: PostBody,
  found: CheckMaterial,
  { judgeTime = true }: { judgeTime?: boolean } = {},
): Promise<CheckedPost> {
  const { workspace, now, month } = found;
  if (workspace === undefined) throw refuse("unauthorized");

  const channels = new Map(found.channels.map((row) => [row.id, row]));
  const uploads = await inspectUploads(ctx, found.media);
  const media = new Map(uploads.rows.map((row) => [row.id, row]));
  const read = body.publish_at == null ? null : readInstant(body.publish_at, workspace.timezone, "/publish_at");
  const publishAt = typeof read === "number" ? read : null;
  const violations: Violation[] = [
    ...checkReferences(body, channels, media),
    ...checkUploads(body, uploads),
    ...(typeof read === "number" ? [judgeTime ? checkPublishAt(read, now, "/publish_at") : null] : [read]).filter(
      (broken) => broken !== null,
    ),
  ];
  const targets = (body.channels ?? []).flatMap((id) => {
    const channel = channels.get(id);
    const network = channel && networkOf(channel.platform);
    return channel && network ? [{ ...targetOf(body, channel, network, media), network, lane: channel.lane }] : [];
  });
  const meter = createTextMeter();
  for (const target of targets) {
    const broken = [
      ...checkTarget(target, meter).map((one) => placed(one, target)),
      ...checkEmpty(body, target),
      ...checkOptions(target.network, target.channel, body.overrides?.[target.channel]),
    ];
    violations.push(...(body.draft === true ? broken.filter(({ code }) => !MAY_COME_LATER.has(code)) : broken));
  }
  if (violations.length > 0) throw refuseViolations(await withChannelIds(ctx, workspace.id, violations));
  if (body.draft !== true) {
    for (const channel of channels.values()) refuseUnusable(channel, now);
  }
  return {
    workspace,
    targets,
    mediaUsed: mediaNamed(body),
    publishAt,
    now,
    month,
    postsUsed: found.postsUsed,
    warnings: [
      ...warnOfDuplicate(found.recent, body),
      ...targets.flatMap((target) => [
        ...warnOfToken(target, channels.get(target.channel), publishAt ?? now),
        ...warnOfTarget(target, meter),
      ]),
    ],
    meter,
    inspections: uploads.found,
    content: await contentTag(uploads.rows),
  };
}

/** Posts that the month may hold; null = no limit. */
export function postsAllowed(checked: CheckedPost): number | null {
  return planOf(checked.workspace.plan).posts_per_month;
}

/** What a draft may still lack; it is judged again when it is released. */
const MAY_COME_LATER: ReadonlySet<string> = new Set([
  "text_required",
  "media_required",
  "post_type_media_mismatch",
  "option_required",
]);
function checkReferences(body: PostBody, channels: Map<string, ChannelRow>, media: Map<string, MediaRow>): Violation[] {
  const broken: Violation[] = [];
  const { channels: named = [], media: files = [], overrides = {}, media_preview: preview } = body;
  if (body.draft !== true && named.length === 0) broken.push(violation("channels_required", { field: "/channels" }));
  named.forEach((id, i) => {
    const field = `/channels/${i}`;
    if (named.indexOf(id) < i) broken.push(violation("duplicate_channel", { field, channel: id }));
    else if (!channels.has(id)) broken.push(violation("unknown_channel", { field, channel: id }));
  });
  const checkFiles = (ids: string[], at: string) =>
    ids.forEach((id, i) => {
      const field = `${at}/${i}`;
      if (ids.indexOf(id) < i) broken.push(violation("duplicate_media", { field }));
      else if (!media.has(id)) broken.push(violation("unknown_media", { field }));
      else if (media.get(id)?.state === "expired") broken.push(expiredFile(field, media.get(id)?.expiresAt));
    });
  checkFiles(files, "/media");
  for (const [id, override] of Object.entries(overrides)) {
    const field = `/overrides${pointer([id])}`;
    if (!named.includes(id)) broken.push(violation("override_for_unknown_channel", { field, channel: id }));
    checkFiles(override.media ?? [], `${field}/media`);
  }
  if (preview !== undefined && body.dry_run !== true) {
    broken.push(violation("media_preview_needs_dry_run", { field: "/media_preview" }));
  }
  const empty = (text: string | undefined) => (text ?? "").trim() === "";
  const hasFile = files.length > 0 || (preview ?? []).length > 0;
  const complete =
    named.length > 0 && named.every((id) => !empty(overrides[id]?.text) || (overrides[id]?.media ?? []).length > 0);
  if (body.draft !== true && empty(body.text) && !hasFile && !complete) {
    broken.push(violation("text_required", { field: "/text" }));
  }
  return broken;
}

/** A channel whose own text and files leave nothing to publish there. A post that is empty as a whole is said once. */
function checkEmpty(body: PostBody, target: PostTarget): Violation[] {
  if (target.text.trim() !== "" || target.media.length > 0) return [];
  const { text = "", media = [], media_preview: preview = [] } = body;
  if (text.trim() === "" && media.length + preview.length === 0) return [];
  const { channel, textField: field } = target;
  return [violation("text_required", { field, channel, platform: target.rule.platform })];
}

/** A target of a post, with the JSON pointer of each of its files. */
interface ChannelTarget extends PostTarget {
  files: string[];
}

/** What one channel would publish: the post's text and files, or the channel's own. */
function targetOf(body: PostBody, channel: ChannelRow, network: Network, media: Map<string, MediaRow>): ChannelTarget {
  const override = body.overrides?.[channel.id];
  const at = `/overrides${pointer([channel.id])}`;
  const mediaField = override?.media === undefined ? "/media" : `${at}/media`;
  const stored = (override?.media ?? body.media ?? []).flatMap((id, i) => {
    const row = media.get(id);
    return row === undefined ? [] : [{ facts: facts(row), field: `${mediaField}/${i}` }];
  });
  const previewed = (override?.media === undefined ? (body.media_preview ?? []) : []).map((file, i) => ({
    facts: previewFacts(file),
    field: `/media_preview/${i}`,
  }));
  const all = [...stored, ...previewed];
  return {
    channel: channel.id,
    rule: network.rule,
    text: override?.text ?? body.text ?? "",
    textField: override?.text === undefined ? "/text" : `${at}/text`,
    media: all.map((file) => file.facts),
    mediaField: stored.length === 0 && previewed.length > 0 ? "/media_preview" : mediaField,
    postType: body.post_type ?? null,
    optionsField: at,
    options: namesOfSet(optionsOf(override)),
    files: all.map(({ field }) => field),
  };
}

/** A violation of the n-th file that a post target has points at where that file stands in the body. */
function placed(broken: Violation, { files, mediaField }: ChannelTarget): Violation {
  const at = `${mediaField}/`;
  const field = broken.field?.startsWith(at) ? files[Number(broken.field.slice(at.length))] : undefined;
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

/** What is left of an override without its text and files is for the network. */
function optionsOf(override: Record<string, unknown> = {}): Record<string, unknown> {
  const { text: _text, media: _media, ...options } = override;
  return options;
}

function facts(row: MediaRow): MediaFacts {
  const { kind, contentType, bytes, width, height, durationMs, alt } = row;
  return { kind, contentType, bytes, width, height, alt, seconds: durationMs === null ? null : durationMs / 1000 };
}

function checkOptions(network: Network, channel: string, override?: Record<string, unknown>): Violation[] {
  const { platform } = network.rule;
  const issues = network.options.safeParse(optionsOf(override), READING).error?.issues ?? [];
  const known = "`GET /v1/platforms` shows the platform's `options`.";
  return issues.flatMap(describe).map(({ code, path, message, hint = known }) => {
    const field = `/overrides${pointer([channel, ...path])}`;
    return violation(code === "missing_field" ? "option_required" : "invalid_option", {
      field,
      channel,
      platform,
      message,
      hint,
    });
  });
}

/** Throws a 409 when a channel cannot publish. */
export function refuseUnusable(channel: ChannelRow, now: number): void {
  const reason = whyUnusable(channelFacts(channel), now);
  if (reason === null) return;
  const { id, handle, platform } = channel;
  throw refuse(reason, {
    field: "/channels",
    message:
      reason === "channel_not_connected"
        ? `${handle} on ${platform} (${id}) has no credential yet.`
        : `${handle} on ${platform} (${id}) needs to be connected again.`,
  });
}

function warnOfToken(target: PostTarget, channel: ChannelRow | undefined, dueAt: number): Warning[] {
  if (channel?.tokenExpiresAt == null || channel.tokenExpiresAt > dueAt) return [];
  const message = `The token of ${channel.handle} expires before this post is due.`;
  return [{ code: "token_expires_before_publish_at", channel: target.channel, message }];
}

function warnOfDuplicate(recent: { id: string; media: string[]; channels: string[] }[], body: PostBody): Warning[] {
  const duplicate = recent.find(
    ({ media, channels }) =>
      JSON.stringify(media) === JSON.stringify(body.media ?? []) &&
      channels.some((channel) => body.channels?.includes(channel)),
  );
  if (duplicate === undefined) return [];
  return [{ code: "possible_duplicate", message: `${duplicate.id} has the same text and files and shares a channel.` }];
}
