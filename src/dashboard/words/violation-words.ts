// The shape of the words for a broken rule: its sentence, and the buttons that solve it.
import type { Refusal } from "../../client/errors.ts";
import { networkName } from "../../domain/network-name.ts";
import { namePostType } from "./post-types.ts";

export type Violation = NonNullable<Refusal["body"]["violations"]>[number];

/** A button beside a problem. `label` is its text; `field` is the JSON pointer of a file in the request. */
export type Fix = { label: string } & (
  | { kind: "edit_for" | "clear_text" | "reconnect" | "first_part_only" | "without_poll"; channel: string }
  | { kind: "choose" | "remove_option"; channel: string; option: string }
  | { kind: "crop"; field: string; ratio: number }
  | { kind: "replace_file" | "edit_alt_text"; field: string }
  /** `field` names all files. */
  | { kind: "add_file"; field: string }
  /** `count`: how many to remove if the pointer names all files. */
  | { kind: "remove_file"; field: string; count: number }
  | { kind: "post_type"; type: string }
  | { kind: "adapt" | "pick_time" | "choose_channels" }
);

export interface Words {
  text: string;
  fixes: Fix[];
}

/** Facts that a violation does not repeat. */
export interface ViolationContext {
  /** The post types that the channel's network offers. */
  postTypes?: readonly string[];
}

export type Describe = (violation: Violation, context: ViolationContext) => Words;

export const nameNetwork = ({ platform }: Pick<Violation, "platform">): string =>
  platform === undefined ? "This network" : networkName(platform);

/** "an Instagram post", "a Facebook story" */
export function nameTarget({ platform, post_type: type = "feed" }: Violation): string {
  if (platform === undefined) return "this network";
  const words = `${networkName(platform)} ${namePostType(type)}`;
  return `${/^[AEIOX]/.test(words) ? "an" : "a"} ${words}`;
}
