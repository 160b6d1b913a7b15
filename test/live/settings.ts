// What a live check is told by the environment: the account, the app as the operator's settings name it, and what to post with.
import * as z from "zod";
import type { Json } from "../../src/domain/json.ts";
import type { Network } from "../../src/networks/network.ts";

export type Environment = Record<string, string | undefined>;

/** What a person has to set, in words. */
export class NotSet extends Error {
  override name = "NotSet";
}

const InputSchema = z.object({
  properties: z.record(z.string(), z.object({ type: z.string().optional(), description: z.string().optional() })),
  required: z.array(z.string()).default([]),
});
const nameOf = (network: Network, field: string) => `${network.rule.platform.toUpperCase()}_${field.toUpperCase()}`;

/** The variables from which the account's credentials are read, by the field of the credentials. */
export function inputVariables(network: Network): { field: string; name: string; needed: boolean }[] {
  const { properties, required } = InputSchema.parse(z.toJSONSchema(network.connectInput));
  return Object.keys(properties)
    .filter((field) => properties[field]?.type !== "array")
    .map((field) => ({ field, name: nameOf(network, field), needed: required.includes(field) }));
}

/** What is handed to `connect`; null: nothing of it is set. Throws `NotSet`. */
export function readInput(network: Network, env: Environment): Json {
  const variables = inputVariables(network);
  const given = variables.filter(({ name }) => env[name]);
  if (given.length === 0) return null;
  const missing = variables.filter(({ name, needed }) => needed && !env[name]).map(({ name }) => name);
  if (missing.length > 0) throw new NotSet(`${missing.join(" and ")} missing`);
  return Object.fromEntries(given.map(({ field, name }) => [field, env[name] ?? ""]));
}

/** Posted with as few readers as the network lets us have, and with nothing that asks somebody else's server. */
const QUIET: Record<string, Record<string, Json>> = {
  bluesky: { link_card: "off" },
  pinterest: { title: "A check, soon gone", link: "https://example.com/" },
  telegram: { silent: true },
  tiktok: { privacy_level: "SELF_ONLY" },
  youtube: { title: "A check, soon gone", made_for_kids: false, privacy: "private", notify_subscribers: false },
};

/** The options of the posts: our own, and over them `<PLATFORM>_OPTIONS`. Throws `NotSet`. */
export function readOptions(network: Network, env: Environment): Record<string, Json> {
  const name = nameOf(network, "options");
  try {
    const given = z.record(z.string(), z.json()).parse(JSON.parse(env[name] || "{}"));
    return { ...QUIET[network.rule.platform], ...given };
  } catch {
    throw new NotSet(`${name} is no JSON object of options`);
  }
}

/** Less than this is no secret, and too common to look for. */
const SECRET_LENGTH_MIN = 6;

/**
 * A text without what must not be read: each secret, as it is or as addresses write it. `open`: values that anybody may know,
 * though they are kept beside secrets.
 */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  const longestFirst = [...new Set(secrets)]
    .filter((one) => one.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  return longestFirst.reduce(
    (shown, secret) => shown.replaceAll(secret, "***").replaceAll(encodeURIComponent(secret), "***"),
    text,
  );
}

/** The texts in what a connector keeps of an account, but for those that are part of `open`. */
export function secretsIn(credential: Json, open: readonly (string | null)[]): string[] {
  if (typeof credential === "string") {
    const isOpen = URL.canParse(credential) || open.some((one) => one?.includes(credential));
    return isOpen ? [] : [credential];
  }
  if (typeof credential !== "object" || credential === null) return [];
  return Object.values(credential).flatMap((one) => secretsIn(one, open));
}
