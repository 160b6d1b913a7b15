// For networks that can post in more than one way, such as directly or as a draft: checks the permission that the chosen way
// needs, and warns of a text that it drops.

import type { PostMode } from "../../domain/posts/post-mode.ts";
import type { Warning } from "../../domain/posts/warning.ts";
import { type Violation, violation } from "../../domain/refusal.ts";
import type { Network } from "../../networks/network.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import { pointer, READING } from "../refuse-issues.ts";
import { type ChannelTarget, getNetworkOptions } from "./targets.ts";

type Override = Record<string, unknown> | undefined;

/** The chosen way; undefined if the network has only one, or if the options are invalid, which another check reports. */
function readMode({ modeOf, options }: Network, override: Override): PostMode | undefined {
  const { data } = options.safeParse(getNetworkOptions(override), READING);
  return data === undefined ? undefined : modeOf?.(data);
}

/** Refuses a post that needs a permission which the account's owner did not grant. */
export function checkMode(network: Network, channel: ChannelRow | undefined, override: Override): Violation[] {
  const mode = readMode(network, override);
  if (channel === undefined || mode === undefined) return [];
  const { permission, option } = mode;
  if (!(channel.missingPermissions ?? []).includes(permission)) return [];
  return [
    violation("invalid_option", {
      field: `/overrides${pointer([channel.id, option])}`,
      channel: channel.id,
      platform: network.rule.platform,
      message: `The channel was connected without the permission \`${permission}\`, which this \`${option}\` needs.`,
      hint: `Set another \`${option}\`, or connect the channel again and grant \`${permission}\`.`,
      option,
      option_fault: "permission_missing",
      permission,
    }),
  ];
}

/** Warns of a text that the chosen way drops. */
export function warnOfDroppedText(network: Network, target: ChannelTarget, override: Override): Warning[] {
  const mode = readMode(network, override);
  const [file] = target.media;
  if (mode === undefined || file === undefined || target.text === "" || mode.takesTextWith(file.kind)) return [];
  const { channel, rule } = target;
  const message = `${rule.platform} takes no text with this \`${mode.option}\` and ${file.kind}: the account's owner has to paste it into the draft.`;
  return [{ code: "text_dropped", channel, message }];
}
