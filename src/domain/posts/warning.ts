// Warnings about a post that is accepted anyway. Warnings never block.
import { type ApiRule, isSupportedAt } from "../api-version.ts";
import { formatMicros } from "../money.ts";
import { fileRule, type PostTarget, textLimit } from "./post-target.ts";
import { hasLink, publishCost } from "./price.ts";
import type { TextMeter } from "./text-length.ts";

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
  "aspect_may_be_refused",
] as const;
type WarningCode = (typeof WARNINGS)[number];

export interface Warning {
  code: WarningCode;
  /** The channel of the warning; absent if it is about the whole post. */
  channel?: string;
  message: string;
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
    return [{ code: "repeated_part", channel, message }];
  });
}

/** `dueAt`: epoch milliseconds. */
export function warnOfVersion({ channel, rule }: PostTarget, api: ApiRule, dueAt: number): Warning[] {
  if (isSupportedAt(api, dueAt)) return [];
  const message = `${rule.platform} may no longer support version ${api.version} of its API when this post is due.`;
  return [{ code: "version_ends_before_publish_at", channel, message }];
}

/** The warnings of a post target, except those about its channel's state. `part`: its place in a thread. */
export function warnOfTarget(target: PostTarget, meter: TextMeter, partLabel = ""): Warning[] {
  const { channel, rule, text, media } = target;
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string) => warnings.push({ code, channel, message });
  const limit = textLimit(target);
  const length = meter.length(text, rule);
  if (limit > 0 && length > limit * NEAR)
    warn("near_text_limit", `The text${partLabel} uses ${length} of ${limit} ${rule.text_unit} on ${rule.platform}.`);
  const dropped = media.filter((file) => file.alt !== null && !fileRule(target, file)?.max_alt).length;
  if (dropped > 0)
    warn(
      "alt_text_dropped",
      `${rule.platform} accepts no alt text for ${dropped === 1 ? "one of these files" : `${dropped} of these files`}${partLabel}.`,
    );
  for (const file of media) {
    const sure = fileRule(target, file)?.min_sure_aspect;
    if (sure === undefined || !file.width || !file.height || file.width / file.height >= sure) continue;
    const shape = `${file.width} × ${file.height} pixels`;
    const message = `${rule.platform} documents images from ${sure} times as wide as high, but usually accepts this one of ${shape}${partLabel}.`;
    warn("aspect_may_be_refused", `${message} If it does not, nothing is published.`);
  }
  if (rule.price_usd !== undefined && hasLink(text, meter))
    warn(
      "link_price",
      `${rule.platform} charges ${formatMicros(publishCost(target, meter) ?? 0)} for this post${partLabel}, because its text contains a link.`,
    );
  return warnings;
}
