// Warnings about a post that is accepted anyway. Warnings never block.
import { type ApiRule, isSupportedAt } from "../api-version.ts";
import { formatMicros, toUsd } from "../money.ts";
import { fileRule, type PostTarget, textLimit } from "./post-target.ts";
import { hasLink, publishCost } from "./price.ts";
import type { TextMeter } from "./text-length.ts";
import type { Unit } from "./units.ts";

export const WARNINGS = [
  "possible_duplicate",
  "token_expires_before_publish_at",
  "network_waits",
  "version_ends_before_publish_at",
  "near_text_limit",
  "alt_text_dropped",
  "text_dropped",
  "link_price",
  "repeated_part",
  "identical_repeat",
  "aspect_may_be_refused",
] as const;
type WarningCode = (typeof WARNINGS)[number];

export interface Warning {
  code: WarningCode;
  /** The channel of the warning; absent if it is about the whole post. */
  channel?: string;
  message: string;
  /** The thread part that it is about; absent for the post itself. */
  part?: number;
  /** The earlier thread part with the same text. */
  repeats?: number;
  limit?: number;
  actual?: number;
  unit?: Unit;
  /** ISO instant: until when a network asks to wait, or when access expires. */
  until?: string;
  /** The other post of the workspace. */
  post?: string;
  cost_usd?: number;
}

/** A text is near its limit if it uses more than this share of it. */
const NEAR = 0.95;

/** Warns of thread parts that repeat an earlier part, if the network refuses repeats. */
export function warnOfRepeats(target: PostTarget, threadParts: PostTarget[]): Warning[] {
  const { channel, rule } = target;
  if (rule.refuses_repeats !== true) return [];
  const texts = [target, ...threadParts].map((threadPartTarget) =>
    threadPartTarget.media.length > 0 ? null : threadPartTarget.text.normalize("NFC").trim(),
  );
  return texts.flatMap((text, i) => {
    const first = texts.indexOf(text);
    if (text === null || first === i) return [];
    const message = `Part ${i + 1} has the text of part ${first + 1}, and ${rule.platform} rejects repeats: the thread would stop there.`;
    return [{ code: "repeated_part", channel, message, part: i, repeats: first }];
  });
}

/** `dueAt`: epoch milliseconds. */
export function warnOfVersion({ channel, rule }: PostTarget, api: ApiRule, dueAt: number): Warning[] {
  if (isSupportedAt(api, dueAt)) return [];
  const message = `${rule.platform} may no longer support version ${api.version} of its API when this post is due.`;
  return [{ code: "version_ends_before_publish_at", channel, message }];
}

/**
 * The warnings of a post target, except those about its channel's state. `place`: its position in a thread of `count` parts;
 * absent for the post itself.
 */
export function warnOfTarget(target: PostTarget, meter: TextMeter, place?: { part: number; count: number }): Warning[] {
  const { channel, rule, text, media } = target;
  const warnings: Warning[] = [];
  const partLabel = place === undefined ? "" : ` of part ${place.part + 1} of ${place.count}`;
  const warn = (code: WarningCode, message: string, detail: Partial<Warning>) =>
    warnings.push({ code, channel, message, ...(place === undefined ? {} : { part: place.part }), ...detail });
  const limit = textLimit(target);
  const length = meter.length(text, rule);
  if (limit > 0 && length > limit * NEAR) {
    const message = `The text${partLabel} uses ${length} of ${limit} ${rule.text_unit} on ${rule.platform}.`;
    warn("near_text_limit", message, { limit, actual: length, unit: rule.text_unit });
  }
  const dropped = media.filter((file) => file.alt !== null && !fileRule(target, file)?.max_alt).length;
  if (dropped > 0)
    warn(
      "alt_text_dropped",
      `${rule.platform} accepts no alt text for ${dropped === 1 ? "one of these files" : `${dropped} of these files`}${partLabel}.`,
      { actual: dropped, unit: "files" },
    );
  for (const file of media) {
    const sure = fileRule(target, file)?.min_sure_aspect;
    if (sure === undefined || !file.width || !file.height || file.width / file.height >= sure) continue;
    const shape = `${file.width} × ${file.height} pixels`;
    const message = `${rule.platform} documents images from ${sure} times as wide as high, but usually accepts this one of ${shape}${partLabel}.`;
    const detail = { limit: sure, actual: file.width / file.height, unit: "times as wide as high" } as const;
    warn("aspect_may_be_refused", `${message} If it does not, nothing is published.`, detail);
  }
  if (rule.price_usd !== undefined && hasLink(text, meter)) {
    const micros = publishCost(target, meter) ?? 0;
    const message = `${rule.platform} charges ${formatMicros(micros)} for this post${partLabel}, because its text contains a link.`;
    warn("link_price", message, { cost_usd: toUsd(micros) });
  }
  return warnings;
}
