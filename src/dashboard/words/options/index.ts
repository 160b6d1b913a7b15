// The labels of every option of every network.
import { capitalize } from "../post-types.ts";
import { BLUESKY } from "./bluesky.ts";
import { FACEBOOK } from "./facebook.ts";
import { INSTAGRAM } from "./instagram.ts";
import { LINKEDIN } from "./linkedin.ts";
import type { NetworkOptions, OptionWords } from "./option-words.ts";
import { PINTEREST } from "./pinterest.ts";
import { TELEGRAM } from "./telegram.ts";
import { THREADS } from "./threads.ts";
import { TIKTOK } from "./tiktok.ts";
import { X } from "./x.ts";
import { YOUTUBE } from "./youtube.ts";

const NETWORKS: ReadonlyMap<string, NetworkOptions> = new Map([
  ["bluesky", BLUESKY],
  ["facebook", FACEBOOK],
  ["instagram", INSTAGRAM],
  ["linkedin", LINKEDIN],
  ["pinterest", PINTEREST],
  ["telegram", TELEGRAM],
  ["threads", THREADS],
  ["tiktok", TIKTOK],
  ["x", X],
  ["youtube", YOUTUBE],
]);

const NO_OPTIONS: NetworkOptions = {};
/** The labels of a network's options, in the order in which to show them. */
export const listOptions = (platform: string): NetworkOptions => NETWORKS.get(platform) ?? NO_OPTIONS;

/** The labels of an option; undefined for an option that this page does not know. */
export const findOption = (platform: string, option: string): OptionWords | undefined =>
  new Map(Object.entries(listOptions(platform))).get(option);

/** The label of an option, also of one that this page does not know. */
export const labelOption = (platform: string, option: string): string =>
  findOption(platform, option)?.label ?? capitalize(option.replaceAll("_", " "));

/** A value of an option as text, for lists of facts. */
export function describeValue(platform: string, option: string, value: unknown): string {
  const words = findOption(platform, option);
  if (value === null) return words?.none ?? "None";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") {
    if (words?.shows === "seconds") return `${value / 1_000} seconds`;
    return String(words?.shows === "position" ? value + 1 : value);
  }
  if (Array.isArray(value)) return value.map((entry) => describeValue(platform, option, entry)).join(", ");
  if (typeof value === "object") return Object.values(value).map(String).join(", ");
  return words?.values?.[String(value)] ?? String(value);
}
