// The settings that a live check reads from the environment: the account, the app as in the operator's settings, and the options of
// posts.
import * as z from "zod";
import type { Json } from "../../src/domain/json.ts";
import type { Network } from "../../src/networks/network.ts";

export type Environment = Record<string, string | undefined>;

/** An error that a person can fix. Its message says how. */
export class InputError extends Error {
  override name = "InputError";
}

const InputSchema = z.object({
  properties: z.record(z.string(), z.object({ type: z.string().optional(), description: z.string().optional() })),
  required: z.array(z.string()).default([]),
});
const getVariableName = (network: Network, field: string) =>
  `${network.rule.platform.toUpperCase()}_${field.toUpperCase()}`;

/** The variables from which the account's credentials are read, by the field of the credentials. */
export function inputVariables(network: Network): { field: string; name: string; isRequired: boolean }[] {
  const { properties, required } = InputSchema.parse(z.toJSONSchema(network.connectInput));
  return Object.keys(properties)
    .filter((field) => properties[field]?.type !== "array")
    .map((field) => ({ field, name: getVariableName(network, field), isRequired: required.includes(field) }));
}

/** The input of `connect`; null: none of its variables is set. Throws `InputError`. */
export function readInput(network: Network, env: Environment): Json {
  const variables = inputVariables(network);
  const setVariables = variables.filter(({ name }) => env[name]);
  if (setVariables.length === 0) return null;
  const missing = variables.filter(({ name, isRequired }) => isRequired && !env[name]).map(({ name }) => name);
  if (missing.length > 0) throw new InputError(`${missing.join(" and ")} missing`);
  return Object.fromEntries(setVariables.map(({ field, name }) => [field, env[name] ?? ""]));
}

/** Options with which a post has as few readers as the network allows, and causes no call to another server. */
const QUIET: Record<string, Record<string, Json>> = {
  bluesky: { link_card: "off" },
  pinterest: { title: "A check, soon deleted", link: "https://example.com/" },
  telegram: { silent: true },
  tiktok: { privacy_level: "SELF_ONLY" },
  youtube: { title: "A check, soon deleted", made_for_kids: false, privacy: "private", notify_subscribers: false },
};

/** The options of the posts: the defaults above, overridden by `<PLATFORM>_OPTIONS`. Throws `InputError`. */
export function readOptions(network: Network, env: Environment): Record<string, Json> {
  const name = getVariableName(network, "options");
  try {
    const ownOptions = z.record(z.string(), z.json()).parse(JSON.parse(env[name] || "{}"));
    return { ...QUIET[network.rule.platform], ...ownOptions };
  } catch {
    throw new InputError(`${name} is not a JSON object of options`);
  }
}

/** Shorter values are not secret, and too common to be replaced. */
const SECRET_LENGTH_MIN = 6;

/** A text in which each secret is replaced, both as it is and as it is encoded in URLs. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  const longestFirst = [...new Set(secrets)]
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  return longestFirst.reduce(
    (result, secret) => result.replaceAll(secret, "***").replaceAll(encodeURIComponent(secret), "***"),
    text,
  );
}

/** The texts of a credential, except addresses and those that are part of a value in `open`, which anybody may know. */
export function secretsIn(credential: Json, open: readonly (string | null)[]): string[] {
  if (typeof credential === "string") {
    const isOpen = URL.canParse(credential) || open.some((openValue) => openValue?.includes(credential));
    return isOpen ? [] : [credential];
  }
  if (typeof credential !== "object" || credential === null) return [];
  return Object.values(credential).flatMap((value) => secretsIn(value, open));
}
