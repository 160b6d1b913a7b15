// Bluesky as a program sees it: the entryway, the account's server, the AppView, the video service and the directory.
import { Hono } from "hono";
import { blobCid, didOf, makeTid, recordCid, TID } from "./bluesky/ids.ts";
import { blobRef, type CheckedPost, checkPost, POST } from "./bluesky/record-rules.ts";
import { type Pair, Sessions } from "./bluesky/sessions.ts";
import { VideoService } from "./bluesky/video.ts";
import {
  bearer,
  bodyOf,
  type Call,
  expectNoBody,
  invalid,
  type JsonObject,
  type Method,
  objectOf,
  textOf,
  XrpcError,
} from "./bluesky/xrpc.ts";
import { misbehave } from "./faults.ts";
import type { ReceivedFile, Shown } from "./ledger.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const PLATFORM = "bluesky";
/** 52,428,800: bsky.network docs, read 2026-11-20. */
const BLOB_BYTES_MAX = 52_428_800;
/** Who replies and who quotes, beside a post under its key. */
const GATES = ["app.bsky.feed.threadgate", "app.bsky.feed.postgate"];
/** Accounts that can be mentioned though nobody signed in. */
const RESIDENTS = ["alice.bsky.social", "bob.bsky.social"];

interface StoredRecord {
  value: JsonObject;
  cid: string;
}
interface Account {
  did: string;
  handle: string;
  password: string;
  blobs: Map<string, ReceivedFile>;
  /** By collection and key. */
  records: Map<string, StoredRecord>;
}

export function createSimulator(world: World): Simulator {
  /** By DID. */
  const accounts = world.state.map<string, Account>("bluesky.accounts");
  const sessions = new Sessions(world.state);
  const calls = new Set<string>();
  const app = new Hono<SimulatorEnv>();
  const pds = () => `${world.origin()}/${PLATFORM}`;
  const video = new VideoService(
    world,
    sessions,
    {
      exists: (did) => accounts.has(did),
      addBlob: (did, file) => accounts.get(did)?.blobs.set(blobCid(file.sha256), file),
    },
    () => [`did:web:${new URL(pds()).hostname}`, `did:web:${new URL(pds()).host.replace(":", "%3A")}`],
  );

  const find = (name: string) =>
    accounts.get(name) ?? [...accounts.values()].find(({ handle }) => handle === name.toLowerCase());
  const didDoc = (did: string, handle: string) => ({
    id: did,
    alsoKnownAs: [`at://${handle}`],
    service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: pds() }],
  });
  const answerSession = ({ did, handle }: Account, pair: Pair) =>
    Response.json({ did, handle, ...pair, didDoc: didDoc(did, handle), emailConfirmed: true, active: true });

  /** All names of the account that a call is about, for the faults. */
  async function namesOf(c: Call): Promise<string[]> {
    const body = c.req.path.endsWith(".createSession") ? objectOf(await c.req.json().catch(() => null)) : {};
    const query = c.req.query("repo") ?? c.req.query("did") ?? "";
    const named = textOf(body.identifier) || query;
    const did = sessions.ownerOf(bearer(c)) ?? video.ownerOf(c.req.query("jobId") ?? "") ?? find(named)?.did;
    const account = did === undefined ? undefined : accounts.get(did);
    return account === undefined ? [named] : [account.handle, account.did];
  }

  const method: Method = (kind, nsid, act) => {
    calls.add(nsid);
    app[kind](`/xrpc/${nsid}`, async (c) =>
      misbehave(world.faults.take(PLATFORM, nsid, await namesOf(c)), c.env, async () => {
        try {
          return await act(c);
        } catch (error) {
          if (!(error instanceof XrpcError)) throw error;
          return Response.json({ error: error.code, message: error.message }, { status: error.status });
        }
      }),
    );
  };

  function signedIn(c: Call): Account {
    const account = accounts.get(sessions.check(bearer(c)));
    if (account === undefined) throw new XrpcError(403, "AccountNotFound", "Account not found");
    return account;
  }

  method("post", "com.atproto.server.createSession", async (c) => {
    const { identifier, password } = await bodyOf(c);
    if (typeof identifier !== "string" || typeof password !== "string")
      throw invalid("Input must have the properties identifier and password");
    const account = find(identifier) ?? firstSignIn(identifier.toLowerCase(), password);
    if (account?.password !== password)
      throw new XrpcError(401, "AuthenticationRequired", "Invalid identifier or password");
    return answerSession(account, sessions.open(account.did));
  });

  /** The first sign-in of a handle with a well-formed app password makes the account. */
  function firstSignIn(handle: string, password: string): Account | undefined {
    if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(handle)) return undefined;
    if (!/^([a-z0-9]{4}-){3}[a-z0-9]{4}$/.test(password)) return undefined;
    const account: Account = { did: didOf(handle), handle, password, blobs: new Map(), records: new Map() };
    accounts.set(account.did, account);
    return account;
  }

  method("post", "com.atproto.server.refreshSession", async (c) => {
    await expectNoBody(c);
    const { did, pair } = sessions.renew(bearer(c));
    const account = accounts.get(did);
    if (account === undefined) throw new XrpcError(403, "AccountNotFound", "Account not found");
    return answerSession(account, pair);
  });
  method("get", "com.atproto.server.getSession", (c) => {
    const { did, handle } = signedIn(c);
    return Response.json({ did, handle, didDoc: didDoc(did, handle), emailConfirmed: true, active: true });
  });
  method("post", "com.atproto.server.deleteSession", async (c) => {
    await expectNoBody(c);
    sessions.close(bearer(c));
    return new Response(null, { status: 200 });
  });
  method("get", "com.atproto.server.describeServer", () => {
    const did = `did:web:${new URL(pds()).hostname}`;
    return Response.json({ did, availableUserDomains: [".bsky.social"], blobUploadLimit: BLOB_BYTES_MAX });
  });
  method("get", "com.atproto.server.getServiceAuth", (c) => {
    const { aud = "", lxm = "", exp } = c.req.query();
    return Response.json({
      token: sessions.grant(signedIn(c).did, aud, lxm, exp === undefined ? undefined : Number(exp)),
    });
  });
  method("get", "com.atproto.identity.resolveHandle", (c) => {
    const handle = (c.req.query("handle") ?? "").toLowerCase();
    const did = find(handle)?.did ?? (RESIDENTS.includes(handle) ? didOf(handle) : undefined);
    if (did === undefined) throw invalid("Unable to resolve handle");
    return Response.json({ did });
  });

  method("post", "com.atproto.repo.uploadBlob", async (c) => {
    const account = signedIn(c);
    const type = c.req.header("content-type");
    if (type === undefined) throw invalid("Request encoding (Content-Type) required but not provided");
    const file = await world.ledger.receive(c.req.raw.body, type);
    if (file.bytes === 0) throw invalid("A request body is expected but none was provided");
    if (file.bytes > BLOB_BYTES_MAX) throw new XrpcError(413, "PayloadTooLarge", "request entity too large");
    account.blobs.set(blobCid(file.sha256), file);
    return Response.json({ blob: blobRef(file) });
  });

  /** The account, key and record of a write, checked as the server checks them. */
  async function readWrite(c: Call) {
    const account = signedIn(c);
    const { repo, collection, rkey, record, swapRecord } = await bodyOf(c);
    const owner = find(textOf(repo));
    if (owner === undefined) throw invalid(`Could not find repo: ${textOf(repo)}`);
    if (owner !== account) throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
    const nsid = textOf(collection);
    if (nsid !== POST && !GATES.includes(nsid)) throw invalid(`Lexicon not found: lex:${nsid}`);
    const key = rkey === undefined ? makeTid() : textOf(rkey);
    if (!TID.test(key)) throw invalid("Invalid record key");
    const value = objectOf(record);
    const post = nsid === POST ? checkPost(value, account.blobs) : null;
    if (value.reply !== undefined) checkReply(objectOf(value.reply));
    if (post === null && (value.$type !== nsid || textOf(value.post ?? value.createdAt) === ""))
      throw invalid(`Invalid ${nsid} record`);
    const uri = `at://${account.did}/${nsid}/${key}`;
    return { account, nsid, key, value, post, swapRecord, uri, path: `${nsid}/${key}`, cid: recordCid(value) };
  }
  /** Stricter than the server, which takes a reply to anything: one to nothing would be shown under no post. */
  function checkReply(reply: JsonObject): void {
    for (const end of ["root", "parent"]) {
      const { uri, cid } = objectOf(reply[end]);
      const [, , did = "", ...path] = textOf(uri).split("/");
      if (accounts.get(did)?.records.get(path.join("/"))?.cid !== textOf(cid))
        throw invalid(`Invalid ${POST} record: no such post at $.record.reply.${end}`);
    }
  }

  type Write = Awaited<ReturnType<typeof readWrite>>;

  function write({ account, path, key, value, cid, uri, post }: Write): Response {
    const isNew = !account.records.has(path);
    account.records.set(path, { value, cid });
    const entry = world.ledger.find(PLATFORM, uri);
    if (post !== null && isNew) publish(account, key, uri, value, post);
    // The apps go on showing the first version.
    else if (entry !== undefined) entry.detail.overwritten = true;
    return Response.json({ uri, cid, commit: { cid: recordCid(uri), rev: makeTid() }, validationStatus: "valid" });
  }

  method("post", "com.atproto.repo.putRecord", async (c) => {
    const wanted = await readWrite(c);
    const present = wanted.account.records.get(wanted.path);
    const { uri, cid, swapRecord } = wanted;
    if (present?.cid === cid) return Response.json({ uri, cid, validationStatus: "valid" });
    if (swapRecord !== undefined && swapRecord !== (present?.cid ?? null))
      throw new XrpcError(400, "InvalidSwap", `Record was at ${present?.cid ?? "null"}`);
    return write(wanted);
  });
  method("post", "com.atproto.repo.createRecord", async (c) => {
    const wanted = await readWrite(c);
    // The tree refuses a key that it has, and the server calls that an internal error.
    if (wanted.account.records.has(wanted.path))
      throw new XrpcError(500, "InternalServerError", "Internal Server Error");
    return write(wanted);
  });
  method("get", "com.atproto.repo.getRecord", (c) => {
    const { repo = "", collection = "", rkey = "" } = c.req.query();
    const account = find(repo);
    if (account === undefined) throw invalid(`Could not find repo: ${repo}`);
    const uri = `at://${account.did}/${collection}/${rkey}`;
    const record = account.records.get(`${collection}/${rkey}`);
    if (record === undefined) throw new XrpcError(400, "RecordNotFound", `Could not locate record: ${uri}`);
    return Response.json({ uri, cid: record.cid, value: record.value });
  });
  method("post", "com.atproto.repo.deleteRecord", async (c) => {
    const account = signedIn(c);
    const { repo, collection, rkey } = await bodyOf(c);
    if (find(textOf(repo)) !== account) throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
    account.records.delete(`${textOf(collection)}/${textOf(rkey)}`);
    const entry = world.ledger.find(PLATFORM, `at://${account.did}/${textOf(collection)}/${textOf(rkey)}`);
    if (entry !== undefined) entry.deleted = true;
    return Response.json({});
  });

  method("get", "app.bsky.feed.getPosts", (c) => {
    const uris = c.req.queries("uris") ?? [];
    if (uris.length > 25) throw invalid("Error: uris must not have more than 25 elements");
    // A post that is gone is left out, with no word about it.
    const posts = uris.flatMap((uri) => {
      const [, , did = "", ...path] = uri.split("/");
      const record = accounts.get(did)?.records.get(path.join("/"));
      return record === undefined ? [] : [postView(uri, did, record)];
    });
    return Response.json({ posts });
  });

  function postView(uri: string, did: string, { cid, value }: StoredRecord): object {
    const likes = [...cid].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 97, 7);
    return {
      uri,
      cid,
      author: { did, handle: accounts.get(did)?.handle ?? "handle.invalid" },
      record: value,
      replyCount: likes % 5,
      repostCount: likes % 11,
      likeCount: likes,
      quoteCount: likes % 3,
      bookmarkCount: likes % 7,
      indexedAt: textOf(value.createdAt),
    };
  }

  video.mount(method);
  app.all("/xrpc/*", (c) => c.json({ error: "MethodNotImplemented", message: "Method Not Implemented" }, 501));
  // Whoever has not signed in yet lives here too, so the directory knows every DID.
  app.get("/:did{did:.+}", (c) => {
    const did = c.req.param("did");
    const handle = accounts.get(did)?.handle ?? RESIDENTS.find((resident) => didOf(resident) === did);
    return c.json(didDoc(did, handle ?? "handle.invalid"));
  });

  function publish(account: Account, rkey: string, uri: string, value: JsonObject, post: CheckedPost): void {
    const { facets = [], embed = null, langs = null, createdAt = null, reply } = value;
    const parent = textOf(objectOf(objectOf(reply ?? null).parent ?? null).uri);
    world.ledger.accept({
      platform: PLATFORM,
      account: account.handle,
      id: uri,
      text: post.text,
      media: post.files.map(({ file, alt }) => ({ ...file, alt })),
      token: rkey,
      url: `https://bsky.app/profile/${account.did}/post/${rkey}`,
      detail: { facets, embed, langs, createdAt, record: value, ...(parent === "" ? {} : { reply_to: parent }) },
      shown: { marks: marksOf(post), card: post.card },
    });
  }

  return {
    platform: PLATFORM,
    app,
    expireToken(name) {
      const account = find(name);
      if (account !== undefined) sessions.expire(account.did);
      return account !== undefined;
    },
    remove(uri) {
      const [, , did = "", ...path] = uri.split("/");
      accounts.get(did)?.records.delete(path.join("/"));
    },
    reset(name) {
      const did = name === undefined ? undefined : (find(name)?.did ?? name);
      sessions.forget(did);
      video.forget(did);
      if (did === undefined) accounts.clear();
      else accounts.delete(did);
    },
    calls,
    publishCalls: { default: "com.atproto.repo.putRecord" },
    demo: {
      handle: "crier.bsky.social",
      credentials: { identifier: "crier.bsky.social", app_password: "demo-demo-demo-demo" },
    },
  };
}

/** Byte ranges as positions in the text. */
function marksOf({ text, ranges }: CheckedPost): Shown["marks"] {
  const bytes = new TextEncoder().encode(text);
  const at = (byte: number) => new TextDecoder().decode(bytes.slice(0, byte)).length;
  return ranges.map(({ byteStart, byteEnd }) => ({ start: at(byteStart), end: at(byteEnd) }));
}
