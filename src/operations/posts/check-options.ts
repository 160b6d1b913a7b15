// Checks a channel's own options by the schema of its network, and against the post's files.
import { effectivePostType } from "../../domain/posts/post-target.ts";
import { listForeignOptions } from "../../domain/posts/tier.ts";
import type { OptionFault } from "../../domain/posts/units.ts";
import { type Violation, violation } from "../../domain/refusal.ts";
import type { Network } from "../../networks/network.ts";
import { describe, pointer, READING } from "../refuse-issues.ts";
import { type ChannelTarget, getNetworkOptions } from "./targets.ts";

export function checkOptions(
  network: Network,
  target: ChannelTarget & { threadParts?: readonly unknown[] },
  override: Record<string, unknown> | undefined,
  now: number,
): Violation[] {
  const { channel, media, tier } = target;
  const { platform, tiers } = network.rule;
  const fieldAt = (path: PropertyKey[]) => `/overrides${pointer([channel, ...path])}`;
  const foreign = listForeignOptions(tiers, tier)
    .filter((name) => target.options.includes(name))
    .map((name) =>
      violation("invalid_option", {
        field: fieldAt([name]),
        channel,
        platform,
        message: `\`${name}\` is not available to this account on ${platform}, because of its \`tier\`.`,
        hint: "Omit it. The platform's `tiers` say which accounts have it.",
        option: name,
        option_fault: "permission_missing",
      }),
    );
  const { data, error } = network.options.safeParse(getNetworkOptions(override), READING);
  if (error === undefined) {
    const post = { postType: effectivePostType(target), media, parts: target.threadParts?.length ?? 0 };
    const option_fault: OptionFault = "wrong_post";
    const misfits = (network.checkOptions?.(data, post, now) ?? []).map(({ path, message }) =>
      violation("invalid_option", {
        field: fieldAt(path),
        channel,
        platform,
        message,
        hint: "Change the option, or the post's files.",
        option: String(path[0]),
        option_fault,
      }),
    );
    return [...foreign, ...misfits];
  }
  const defaultHint = "`GET /v1/platforms` shows the platform's `options`.";
  const invalid = error.issues
    .flatMap(describe)
    .map(({ code, path, hint = defaultHint, option_fault: fault, ...detail }) => {
      const words = { ...detail, hint, field: fieldAt(path), channel, platform, option: String(path[0]) };
      if (code === "missing_field") return violation("option_required", words);
      const option_fault = fault ?? (code === "unknown_field" ? "unknown" : "invalid_value");
      return violation("invalid_option", { ...words, option_fault });
    });
  return [...foreign, ...invalid];
}
