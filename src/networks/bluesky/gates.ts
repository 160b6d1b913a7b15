// Who may reply to a post and quote it: app.bsky.feed.threadgate and app.bsky.feed.postgate, records under the key of the post
// (lexicons of bluesky-social/atproto, read 2026-11-27). They are written in one commit with the post, so that it is never public
// without them.
import type { Rejected, Retryable } from "../../domain/delivery/outcome.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { ConnectorContext } from "../network.ts";
import { mentionLookup } from "./api.ts";
import type { Credential } from "./credential.ts";
import { LIST_ADDRESS, type Options, REPLY_WORDS } from "./rule.ts";

const THREADGATE = "app.bsky.feed.threadgate";
const POSTGATE = "app.bsky.feed.postgate";
const RULES: Record<Exclude<(typeof REPLY_WORDS)[number], "nobody">, string> = {
  mentioned: `${THREADGATE}#mentionRule`,
  following: `${THREADGATE}#followingRule`,
  followers: `${THREADGATE}#followerRule`,
};
export interface Gate {
  collection: string;
  record: JsonObject;
}

/** The gates that the options ask for, for the post at `uri`. */
export async function buildGates(
  { reply_rules: rules, quote_rules: quotes }: Pick<Options, "reply_rules" | "quote_rules">,
  uri: string,
  context: ConnectorContext<Credential>,
): Promise<Gate[] | Rejected | Retryable> {
  const common = { post: uri, createdAt: new Date(context.io.now()).toISOString() };
  const gates: Gate[] = [];
  if (rules !== undefined) {
    const allow: JsonObject[] = [];
    for (const rule of rules) {
      const entry = await toRule(rule, context);
      if (entry !== null && "is" in entry) return entry;
      if (entry !== null) allow.push(entry);
    }
    gates.push({ collection: THREADGATE, record: { $type: THREADGATE, ...common, allow } });
  }
  if (quotes === "nobody") {
    const embeddingRules = [{ $type: `${POSTGATE}#disableRule` }];
    gates.push({ collection: POSTGATE, record: { $type: POSTGATE, ...common, embeddingRules } });
  }
  return gates;
}

/** A rule in the form of the record; null for `nobody`, which is the empty list. */
async function toRule(
  rule: string,
  context: ConnectorContext<Credential>,
): Promise<{ $type: string; list?: string } | Rejected | Retryable | null> {
  const word = REPLY_WORDS.find((known) => known === rule);
  if (word === "nobody") return null;
  if (word !== undefined) return { $type: RULES[word] };
  const [, ofApp, ofNetwork, rkey = ""] = LIST_ADDRESS.exec(rule) ?? [];
  const did = await findDid(ofApp ?? ofNetwork ?? "", context);
  if (typeof did === "object") return did;
  return { $type: `${THREADGATE}#listRule`, list: `at://${did}/app.bsky.graph.list/${rkey}` };
}

/** The DID of an account that an address names by its handle or DID. */
export async function findDid(
  name: string,
  context: ConnectorContext<Credential>,
): Promise<string | Rejected | Retryable> {
  if (name.startsWith("did:")) return name;
  const did = await mentionLookup(context)(name);
  if (did === "wait")
    return { is: "retryable", error: "network_unavailable", detail: `@${name} could not be looked up` };
  return did ?? { is: "rejected", error: "content_refused", detail: `Bluesky does not know @${name}` };
}
