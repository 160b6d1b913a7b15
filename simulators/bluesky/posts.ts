// The posts: their reply rules, their ledger entries, and as the AppView shows them.
import type { Shown } from "../ledger.ts";
import type { World } from "../simulator.ts";
import type { Account, Accounts, StoredRecord } from "./accounts.ts";
import { type CheckedPost, POST } from "./record-rules.ts";
import { invalid, type JsonObject, toObject, toText } from "./xrpc.ts";

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
      ...(post.captions && { captions: post.captions }),
      ...(parent === "" ? {} : { reply_to: parent }),
    },
    shown: { marks: toMarks(post), card: post.card },
  });
}

export function postView(uri: string, did: string, handle: string | undefined, { cid, value }: StoredRecord): object {
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
    indexedAt: toText(value.createdAt),
  };
}

/** Converts byte ranges into positions in the text. */
function toMarks({ text, ranges }: CheckedPost): Shown["marks"] {
  const bytes = new TextEncoder().encode(text);
  const toTextPosition = (byte: number) => new TextDecoder().decode(bytes.slice(0, byte)).length;
  return ranges.map(({ byteStart, byteEnd }) => ({ start: toTextPosition(byteStart), end: toTextPosition(byteEnd) }));
}
