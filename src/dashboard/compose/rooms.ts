// How much of each network's room a text fills: estimated while it is typed, exact once the service has answered.
import { findLongText } from "../../domain/posts/outgoing-text.ts";
import { measurePart } from "../../domain/posts/split-text.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import type { Channel, Rule } from "../types.ts";
import type { Draft } from "./draft.ts";
import type { Judgement } from "./judge.ts";
import { findLimit, type Measured, measure } from "./measure.ts";

export interface FilledRoom extends Measured {
  limit: number;
}

interface RoomFacts {
  draft: Draft;
  findRule(platform: string): Rule | undefined;
  /** The service's answer to this very draft; null: it has not answered yet. */
  judgement: Judgement | null;
}

/** The room that a channel's text fills; null: not known. */
export function findRoom(channel: Channel, { draft, findRule, judgement }: RoomFacts): FilledRoom | null {
  const platformRule = findRule(channel.platform);
  if (platformRule === undefined) return null;
  const rule = applyTier(platformRule, channel.tier);
  const own = draft.overrides[channel.id];
  const longText = findLongText(rule.long_text, own);
  const text = longText ?? own?.text ?? draft.text;
  const delivery = judgement?.deliveries.find((answered) => answered.channel === channel.id);
  const tooLong = judgement?.violations.find(
    ({ code, channel: id, field = "" }) =>
      code === "text_too_long" && id === channel.id && !field.startsWith("/thread"),
  );
  const ownLimit = longText === null ? undefined : rule.long_text?.limit;
  const written = ownLimit ?? findLimit(rule, draft.postType, (own?.media ?? draft.media).length > 0);
  const limit = delivery?.text_limit ?? tooLong?.limit ?? written;
  const estimate = measure(text, rule, limit);
  if (delivery !== undefined) return { length: delivery.text_length, limit, cut: null };
  if (tooLong?.actual !== undefined) return { length: tooLong.actual, limit, cut: estimate?.cut ?? null };
  return estimate === null ? null : { ...estimate, limit };
}

/** The room of the network that has the least left for this text; null: not known. */
export function findLeastRoom(
  text: string,
  channels: readonly Channel[],
  findRule: (platform: string) => Rule | undefined,
  tag: (text: string, channel: Channel) => string = (plain) => plain,
): FilledRoom | null {
  let least: FilledRoom | null = null;
  for (const channel of channels) {
    const platformRule = findRule(channel.platform);
    if (platformRule === undefined) continue;
    const rule = applyTier(platformRule, channel.tier);
    const limit = findLimit(rule, null, false);
    const measured = measurePart(text, { ...rule, text_limit: limit, tag: (part) => tag(part, channel) });
    if (measured === null) continue;
    if (least === null || measured.length / limit > least.length / least.limit) least = { ...measured, limit };
  }
  return least;
}

/** The first place at which one of the texts becomes too long. */
export function findFirstCut(rooms: readonly (FilledRoom | null)[]): number | null {
  const cuts = rooms.flatMap((room) => (room === null || room.cut === null ? [] : [room.cut]));
  return cuts.length === 0 ? null : Math.min(...cuts);
}
