// The posts: their reply rules, their ledger entries, and as the AppView shows them.
import type { Shown } from "../ledger.ts";
import type { World } from "../simulator.ts";
import type { Account, Accounts, StoredRecord } from "./accounts.ts";
import { type CheckedPost, POST } from "./record-rules.ts";
import { invalid, type JsonObject, toObject, toText } from "./xrpc.ts";

const THREADGATE = "app.bsky.feed.threadgate";

/** Stricter than the server, which accepts a reply to anything. A reply to a missing post would appear below no post. */
export function checkReply(reply: JsonObject, accounts: Accounts): void {
  for (const end of ["root", "parent"]) {
    const { uri, cid } = toObject(reply[end]);
    const [, , did = "", ...path] = toText(uri).split("/");
    if (accounts.get(did)?.records.get(path.join("/"))?.cid !== toText(cid))
      throw invalid(`Invalid ${POST} record: no such post at $.record.reply.${end}`);
  }
}

/** Records a new record as a published post. */
export function publish(
  world: World,
  account: Account,
  rkey: string,
  uri: string,
  value: JsonObject,
  post: CheckedPost,
): void {
  const { facets = [], embed = null, langs = null, createdAt = null, reply } = value;
  const parent = toText(toObject(toObject(reply ?? null).parent ?? null).uri);
  world.ledger.accept({
    platform: "bluesky",
    account: account.handle,
    id: uri,
    text: post.text,
    media: post.files.map(({ file, alt }) => ({ ...file, alt })),
    token: rkey,
    url: `https://bsky.app/profile/${account.did}/post/${rkey}`,
    detail: {
      ...{ facets, embed, langs, createdAt, record: value },
      notes: describeQuote(toObject(embed)),
      ...(post.captions && { captions: post.captions }),
      ...(parent === "" ? {} : { reply_to: parent }),
    },
    shown: { marks: toMarks(post), card: post.card },
  });
}

export function postView(
  uri: string,
  did: string,
  { handle, canBeQuoted }: { handle: string | undefined; canBeQuoted: boolean },
  { cid, value }: StoredRecord,
): object {
  const likes = [...cid].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 97, 7);
  return {
    uri,
    cid,
    author: { did, handle: handle ?? "handle.invalid" },
    record: value,
    replyCount: likes % 5,
    repostCount: likes % 11,
    likeCount: likes,
    quoteCount: likes % 3,
    bookmarkCount: likes % 7,
    viewer: canBeQuoted ? {} : { embeddingDisabled: true },
    indexedAt: toText(value.createdAt),
  };
}

/** Converts byte ranges into positions in the text. */
function toMarks({ text, ranges }: CheckedPost): Shown["marks"] {
  const bytes = new TextEncoder().encode(text);
  const toTextPosition = (byte: number) => new TextDecoder().decode(bytes.slice(0, byte)).length;
  return ranges.map(({ byteStart, byteEnd }) => ({ start: toTextPosition(byteStart), end: toTextPosition(byteEnd) }));
}

/** A sentence about the quoted post. */
function describeQuote(embed: JsonObject): string[] {
  const inside = embed.$type === "app.bsky.embed.recordWithMedia" ? toObject(embed.record) : embed;
  return inside.$type === "app.bsky.embed.record" ? [`Quotes ${toText(toObject(inside.record).uri)}`] : [];
}

/** Sentences about who may reply to a post and quote it. */
export function describeGate(gate: JsonObject): string {
  if (gate.$type !== THREADGATE)
    return Array.isArray(gate.embeddingRules) ? "Quotes are turned off" : "Anyone can quote";
  const rules = Array.isArray(gate.allow) ? gate.allow.map((rule) => toObject(rule)) : null;
  if (rules === null) return "Anyone can reply";
  const names = rules.map(({ $type, list }) => toText(list) || (toText($type).split("#")[1] ?? ""));
  return names.length === 0 ? "Nobody can reply" : `Replies: ${names.join(", ")}`;
}

const RULES = ["mentionRule", "followingRule", "followerRule", "listRule"];

/** Throws for a gate that the server would refuse: lexicons threadgate and postgate, read 2026-11-27. */
export function checkGate(gate: JsonObject, nsid: string, key: string): void {
  function refuse(message: string, path: string): never {
    throw invalid(`Invalid ${nsid} record: ${message} at $.record.${path}`);
  }
  if (gate.$type !== nsid) refuse(`invalid type (expected "${nsid}")`, "$type");
  if (!toText(gate.post).endsWith(`/${POST}/${key}`)) refuse("invalid post", "post");
  if (Number.isNaN(Date.parse(toText(gate.createdAt)))) refuse("invalid datetime", "createdAt");
  const { allow = [], embeddingRules = [] } = gate;
  if (!Array.isArray(allow) || allow.length > 5) refuse("array too big (maximum 5)", "allow");
  if (!Array.isArray(embeddingRules) || embeddingRules.length > 5)
    refuse("array too big (maximum 5)", "embeddingRules");
  for (const rule of allow.map((entry) => toObject(entry))) {
    const name = toText(rule.$type).replace(`${THREADGATE}#`, "");
    if (!RULES.includes(name)) refuse("unknown rule", "allow.$type");
    if (name === "listRule" && !/^at:\/\/did:[^/]+\/app\.bsky\.graph\.list\/.+$/.test(toText(rule.list)))
      refuse("invalid at-uri", "allow.list");
  }
}
