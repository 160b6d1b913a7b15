// Resolves the channels that an imported row names to their ids.
import { isObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { CHANNELS_PER_POST_MAX } from "../../../domain/limits.ts";
import { type Violation, violation } from "../../../domain/refusal.ts";
import { pointer } from "../../refuse-issues.ts";
import { indexChannelNames, type NamedChannel } from "../channel-names.ts";
import type { ImportFile } from "./row.ts";

/** Characters of a name that a refusal repeats. */
const SHOWN_MAX = 100;
/** Channels that a refusal lists. */
const LISTED_MAX = 5;

/**
 * Resolves a reference to a channel in an import file. `name`: the name that the file itself has for the reference, or
 * else the reference. `ids`: the matching channels.
 */
export type ChannelNames = (reference: string) => { name: string; ids: readonly string[] };

/**
 * Indexes a workspace's channels by their ids, handles and platforms, and by the names that the file itself gives them.
 */
export function indexChannels(
  channels: readonly NamedChannel[],
  namesInFile: ImportFile["channelNames"],
): ChannelNames {
  const ids = new Set(channels.map(({ id }) => id));
  const anywhere = indexChannelNames(channels);
  const byPlatform = new Map(
    [...Map.groupBy(channels, ({ platform }) => platform)].map(([platform, rows]) => [
      platform,
      indexChannelNames(rows),
    ]),
  );
  return (reference) => {
    const name = namesInFile.get(reference) ?? reference;
    if (ids.has(reference)) return { name, ids: [reference] };
    // A handle, a platform, or `platform:handle`.
    const [, platform, handle = name] = /^([a-z]+):(.+)$/.exec(name) ?? [];
    const find = platform === undefined ? anywhere : byPlatform.get(platform);
    return { name, ids: (find?.(handle) ?? []).map(({ id }) => id) };
  };
}

/** The body with channel ids in place of names, and the violations of the unresolved names. */
export function resolveChannels(
  { channels, overrides, ...body }: JsonObject,
  names: ChannelNames,
): { body: JsonObject; unknown: Violation[] } {
  const unknown: Violation[] = [];
  const findId = (reference: string, field: string): string | null => {
    const { name, ids } = names(reference);
    if (ids.length === 1) return ids[0] ?? null;
    unknown.push(unknownChannel(reference, name, ids, field));
    return null;
  };
  // A list longer than a post may have is refused as it is, without a violation for each name.
  const isFew = (value: object) => Object.keys(value).length <= CHANNELS_PER_POST_MAX;
  const namedChannels =
    Array.isArray(channels) && isFew(channels)
      ? channels.flatMap((reference, i): Json[] => {
          if (typeof reference !== "string") return [reference];
          const id = findId(reference, `/channels/${i}`);
          return id === null ? [] : [id];
        })
      : channels;
  const namedOverrides =
    isObject(overrides) && isFew(overrides) ? withIdsOfOverrides(overrides, findId, unknown) : overrides;
  const whole: JsonObject = {
    ...body,
    ...(namedChannels === undefined ? {} : { channels: namedChannels }),
    ...(namedOverrides === undefined ? {} : { overrides: namedOverrides }),
  };
  return { body: whole, unknown };
}

function withIdsOfOverrides(
  overrides: JsonObject,
  findId: (reference: string, field: string) => string | null,
  violations: Violation[],
): JsonObject {
  const overridesById = new Map<string, Json>();
  for (const [reference, override] of Object.entries(overrides)) {
    const field = `/overrides${pointer([reference])}`;
    const id = findId(reference, field);
    if (id === null) continue;
    if (overridesById.has(id)) violations.push(violation("duplicate_channel", { field, channel: id }));
    overridesById.set(id, override);
  }
  return Object.fromEntries(overridesById);
}

function unknownChannel(reference: string, name: string, ids: readonly string[], field: string): Violation {
  const message = `Not found: no channel \`${name.slice(0, SHOWN_MAX)}\` in this workspace.`;
  const listed = ids.slice(0, LISTED_MAX).join(", ");
  return violation("unknown_channel", {
    field,
    channel: reference.slice(0, SHOWN_MAX),
    message,
    ...(ids.length === 0 ? {} : { hint: `It is the name of ${ids.length} channels: ${listed}.` }),
  });
}
