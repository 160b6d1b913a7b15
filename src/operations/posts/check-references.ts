// Checks the ids that a post names, and that it has something to publish.
import { expiredFile } from "../../domain/media/types.ts";
import { NEXT_SLOT } from "../../domain/next-slot.ts";
import { type Violation, violation } from "../../domain/refusal.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { pointer } from "../refuse-issues.ts";
import { buildFilePointer, mediaLists, type PostBody } from "./read-for-check.ts";

export function* checkReferences(
  body: PostBody,
  channels: Map<string, ChannelRow>,
  media: Map<string, MediaRow>,
): Generator<Violation, void> {
  const { channels: channelIds = [], media: files = [], overrides = {}, media_preview: preview } = body;
  if (channelIds.length === 0 && (body.draft !== true || body.publish_at === NEXT_SLOT)) {
    const ofSlot = body.draft === true ? { message: "Which slot is the next one depends on the post's channels." } : {};
    yield violation("channels_required", { field: "/channels", ...ofSlot });
  }
  const namedIds = new Set<string>();
  for (const [i, id] of channelIds.entries()) {
    const field = `/channels/${i}`;
    if (namedIds.has(id)) yield violation("duplicate_channel", { field, channel: id });
    else if (!channels.has(id)) yield violation("unknown_channel", { field, channel: id });
    namedIds.add(id);
  }
  for (const list of mediaLists(body)) {
    const listed = new Set<string>();
    for (const [i, id] of list.ids.entries()) {
      const field = buildFilePointer(list, i);
      if (listed.has(id)) yield violation("duplicate_media", { field });
      else if (!media.has(id)) yield violation("unknown_media", { field });
      else if (media.get(id)?.state === "expired") yield expiredFile(field, media.get(id)?.expiresAt);
      listed.add(id);
    }
  }
  for (const id of Object.keys(overrides)) {
    if (namedIds.has(id)) continue;
    yield violation("override_for_unknown_channel", { field: `/overrides${pointer([id])}`, channel: id });
  }
  if (preview !== undefined && body.dry_run !== true) {
    yield violation("media_preview_needs_dry_run", { field: "/media_preview" });
  }
  const empty = (text: string | undefined) => (text ?? "").trim() === "";
  const hasFile = files.length > 0 || (preview ?? []).length > 0;
  const complete =
    channelIds.length > 0 &&
    channelIds.every((id) => !empty(overrides[id]?.text) || (overrides[id]?.media ?? []).length > 0);
  if (body.draft !== true && empty(body.text) && !hasFile && !body.poll && !complete) {
    yield violation("text_required", { field: "/text" });
  }
}
