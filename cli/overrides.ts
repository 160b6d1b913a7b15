// The overrides and times that `crier post` and `crier edit` read in the workspace's time zone.
import type { Client } from "./api/client.ts";
import { buildOverrides, isOfNetwork, readSetting } from "./args.ts";
import type { Channel } from "./channel.ts";
import { usage } from "./failure.ts";
import { oneLine } from "./output/terminal.ts";
import { readTime, TIME_FORMS } from "./output/time.ts";
import type { Rule } from "./rules.ts";

/** Whether one of the `--set` values is an option of a network, whose type only its rule knows. */
export const needsRules = (typed: readonly string[]): boolean =>
  typed.some((text) => isOfNetwork(readSetting(text).option));

/** The workspace's time zone; "UTC" without a call if nothing typed is a time. */
export async function readTimezone(client: Client, typed: readonly string[], hasTime: boolean): Promise<string> {
  if (!hasTime && !typed.some((text) => readSetting(text).option === "publish_at")) return "UTC";
  return (await client.call("workspaces.current")).body.timezone;
}

interface Known {
  channels: Channel[];
  rules: Pick<Rule, "platform" | "options">[];
  timezone: string;
  /** The service's time in epoch milliseconds. */
  now: number;
}

/** The overrides that the values of `--set` mean, by channel id; undefined without any. Throws a usage failure. */
export function readOverrides(typed: readonly string[], { channels, rules, timezone, now }: Known) {
  if (typed.length === 0) return undefined;
  const settings = typed.map(readSetting).map((setting) => {
    if (setting.option !== "publish_at") return setting;
    const flag = `--set ${setting.channel}.publish_at`;
    return { ...setting, value: readPublishAt(setting.value, { now, timezone, flag }) };
  });
  return buildOverrides(settings, channels, rules);
}

/** The `publish_at` that was typed for a flag. Throws a usage failure that names the forms of times. */
export function readPublishAt(typed: string, { now, timezone, flag }: { now: number; timezone: string; flag: string }) {
  const time = readTime(typed, now, timezone);
  if (time === null) throw usage(`${flag} '${oneLine(typed)}' is not a valid time.`, `for example ${TIME_FORMS}`);
  return time;
}
