// The records of an account: written, read and deleted as on the account's own server.
import type { World } from "../simulator.ts";
import type { Account, Accounts } from "./accounts.ts";
import { makeTid, recordCid, TID } from "./ids.ts";
import { checkGate, checkReply, describeGate, publish } from "./posts.ts";
import { checkPost, POST } from "./record-rules.ts";
import { type Call, invalid, type Json, type Method, readBody, toObject, toText, XrpcError } from "./xrpc.ts";

const PLATFORM = "bluesky";
/** Records about who may reply and quote, under the post's key. */
const GATES = ["app.bsky.feed.threadgate", "app.bsky.feed.postgate"];
type Parts = Partial<Record<"collection" | "rkey" | "record", Json | undefined>>;

interface Server {
  world: World;
  accounts: Accounts;
  method: Method;
  /** The account of a call, if its sign-in covers `permission`. */
  signedIn(c: Call, permission: string | null): Account;
}

export function mountRepository({ world, accounts, method, signedIn }: Server): void {
  /** The account, key and record of a write, checked as the server checks them. */
  async function readWrite(c: Call) {
    const body = await readBody(c);
    const account = signedIn(c, `repo:${toText(body.collection)}`);
    checkOwner(account, body.repo);
    return { ...checkWrite(account, body), swapRecord: body.swapRecord };
  }
  function checkOwner(account: Account, repo: Json | undefined): void {
    const owner = accounts.find(toText(repo));
    if (owner === undefined) throw invalid(`Could not find repo: ${toText(repo)}`);
    if (owner !== account) throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
  }
  function checkWrite(account: Account, { collection, rkey, record }: Parts) {
    const nsid = toText(collection);
    if (nsid !== POST && !GATES.includes(nsid)) throw invalid(`Lexicon not found: lex:${nsid}`);
    const key = rkey === undefined ? makeTid() : toText(rkey);
    if (!TID.test(key)) throw invalid("Invalid record key");
    const value = toObject(record);
    const post = nsid === POST ? checkPost(value, account.blobs) : null;
    if (value.reply !== undefined) checkReply(toObject(value.reply), accounts);
    if (post === null) checkGate(value, nsid, key);
    const uri = `at://${account.did}/${nsid}/${key}`;
    return { account, nsid, key, value, post, uri, path: `${nsid}/${key}`, cid: recordCid(value) };
  }
  type Write = ReturnType<typeof checkWrite>;

  function write({ account, path, key, value, cid, uri, post }: Write): Response {
    const isNew = !account.records.has(path);
    account.records.set(path, { value, cid });
    const entry = world.ledger.find(PLATFORM, uri);
    if (post !== null && isNew) publish(world, account, key, uri, value, post);
    // The apps continue to show the first version.
    else if (entry !== undefined) entry.detail.overwritten = true;
    if (post === null) world.ledger.append(PLATFORM, toText(value.post), "notes", describeGate(value));
    return Response.json({ uri, cid, commit: { cid: recordCid(uri), rev: makeTid() }, validationStatus: "valid" });
  }

  method("post", "com.atproto.repo.putRecord", async (c) => {
    const recordWrite = await readWrite(c);
    const present = recordWrite.account.records.get(recordWrite.path);
    const { uri, cid, swapRecord } = recordWrite;
    if (present?.cid === cid) return Response.json({ uri, cid, validationStatus: "valid" });
    if (swapRecord !== undefined && swapRecord !== (present?.cid ?? null))
      throw new XrpcError(400, "InvalidSwap", `Record was at ${present?.cid ?? "null"}`);
    return write(recordWrite);
  });
  method("post", "com.atproto.repo.createRecord", async (c) => {
    const recordWrite = await readWrite(c);
    // The repository tree rejects an existing key, and the server reports that as an internal error.
    if (recordWrite.account.records.has(recordWrite.path))
      throw new XrpcError(500, "InternalServerError", "Internal Server Error");
    return write(recordWrite);
  });
  /** All records or none. A key that is in use fails the commit, which the server reports as an internal error. */
  method("post", "com.atproto.repo.applyWrites", async (c) => {
    const { repo, writes } = await readBody(c);
    const account = signedIn(c, `repo:${POST}`);
    checkOwner(account, repo);
    const list = Array.isArray(writes) ? writes.map((entry) => toObject(entry)) : [];
    if (list.length === 0 || list.some(({ $type }) => $type !== "com.atproto.repo.applyWrites#create"))
      throw invalid("Input/writes must be creations here");
    const checked = list.map(({ collection, rkey, value }) => checkWrite(account, { collection, rkey, record: value }));
    if (checked.some(({ path }) => account.records.has(path)))
      throw new XrpcError(500, "InternalServerError", "Internal Server Error");
    for (const entry of checked) write(entry);
    const results = checked.map(({ uri, cid }) => ({
      $type: "com.atproto.repo.applyWrites#createResult",
      ...{ uri, cid, validationStatus: "valid" },
    }));
    return Response.json({ commit: { cid: recordCid(checked[0]?.uri ?? ""), rev: makeTid() }, results });
  });
  method("get", "com.atproto.repo.getRecord", (c) => {
    const { repo = "", collection = "", rkey = "" } = c.req.query();
    const account = accounts.find(repo);
    if (account === undefined) throw invalid(`Could not find repo: ${repo}`);
    const uri = `at://${account.did}/${collection}/${rkey}`;
    const record = account.records.get(`${collection}/${rkey}`);
    if (record === undefined) throw new XrpcError(400, "RecordNotFound", `Could not locate record: ${uri}`);
    return Response.json({ uri, cid: record.cid, value: record.value });
  });
  method("post", "com.atproto.repo.deleteRecord", async (c) => {
    const { repo, collection, rkey } = await readBody(c);
    const account = signedIn(c, `repo:${toText(collection)}`);
    if (accounts.find(toText(repo)) !== account)
      throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
    account.records.delete(`${toText(collection)}/${toText(rkey)}`);
    const entry = world.ledger.find(PLATFORM, `at://${account.did}/${toText(collection)}/${toText(rkey)}`);
    if (entry !== undefined) entry.deleted = true;
    return Response.json({});
  });
}
