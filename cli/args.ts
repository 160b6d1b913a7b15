// `--set CHANNEL.OPTION=VALUE`: overrides for one channel, with values of the type in the network's schema.
import type { Channel } from "./channel.ts";
import { findChannel } from "./channels.ts";
import { usage } from "./failure.ts";
import { member, type Rule } from "./rules.ts";

type Override = { text?: string; [option: string]: unknown };

export interface Setting {
  channel: string;
  option: string;
  value: string;
}

/** The name of a channel may contain dots; the name of an option never does. */
export function readSetting(text: string): Setting {
  const equals = text.indexOf("=");
  const dot = text.lastIndexOf(".", equals === -1 ? undefined : equals);
  if (equals === -1 || dot < 1 || dot === equals - 1) {
    throw usage(
      `--set ${text} does not have the form CHANNEL.OPTION=VALUE.`,
      "for example --set '@you.link=https://example.com'",
    );
  }
  return { channel: text.slice(0, dot), option: text.slice(dot + 1, equals), value: text.slice(equals + 1) };
}

/** How to read the options that have the same form on all networks. */
const COMMON_OPTIONS = new Map<string, (name: string, value: string) => unknown>([
  ["text", (_, value) => value],
  ["publish_at", (_, value) => value],
  ["media", (_, value) => value.split(",")],
  ["thread", (name, value) => (value === "none" ? [] : readJson(name, value))],
  ["poll", (name, value) => (value === "none" ? null : readJson(name, value))],
]);

/** Whether the option needs a network's rule to be read. */
export const isOfNetwork = (option: string): boolean => !COMMON_OPTIONS.has(option);

/**
 * The overrides of a post, by channel id. Options that the network's schema does not contain are sent unchanged, and the
 * service refuses them.
 */
export function buildOverrides(
  settings: Setting[],
  channels: Channel[],
  rules: Pick<Rule, "platform" | "options">[],
): Record<string, Override> {
  const overrides: Record<string, Override> = {};
  for (const { channel: channelName, option, value } of settings) {
    const channel = findChannel(channelName, channels);
    const rule = rules.find(({ platform }) => platform === channel.platform);
    const override = overrides[channel.id] ?? {};
    overrides[channel.id] = override;
    const name = `--set ${channelName}.${option}`;
    const readCommon = COMMON_OPTIONS.get(option);
    const typed =
      readCommon === undefined ? typedValue(name, value, findOptionSchema(rule, option)) : readCommon(name, value);
    const old = override[option];
    // If a list option is repeated, its values are appended.
    if (option in override && !(Array.isArray(old) && Array.isArray(typed))) throw usage(`${name} is given twice.`);
    override[option] = Array.isArray(old) && Array.isArray(typed) ? [...old, ...typed] : typed;
  }
  return overrides;
}

/** The JSON Schema of one option; undefined if the schema has no such option. */
function findOptionSchema(rule: Pick<Rule, "options"> | undefined, option: string): unknown {
  return member(member(rule?.options, "properties"), option);
}

function typedValue(name: string, value: string, schema: unknown): unknown {
  const types = listTypes(schema);
  if (types.has("string") || types.size === 0) return value;
  if (types.has("boolean")) {
    if (value === "true" || value === "false") return value === "true";
    throw usage(`${name} must be true or false, not ${value}.`);
  }
  if (types.has("integer") || types.has("number")) {
    if (value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
    throw usage(`${name} must be a number, not ${value}.`);
  }
  if (types.has("array") && !value.trim().startsWith("[")) return [typedValue(name, value, member(schema, "items"))];
  return readJson(name, value);
}

function readJson(name: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw usage(`${name} must be valid JSON, not ${value}`);
  }
}

function listTypes(schema: unknown): Set<string> {
  const type = member(schema, "type");
  const kinds = ["anyOf", "oneOf"].flatMap((key) => {
    const alternatives = member(schema, key);
    return Array.isArray(alternatives) ? alternatives.flatMap((alternative) => [...listTypes(alternative)]) : [];
  });
  return new Set([...kinds, ...[type].flat().filter((typeName): typeName is string => typeof typeName === "string")]);
}
