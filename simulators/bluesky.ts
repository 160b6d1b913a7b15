// Bluesky for a client program: the entryway, the account's server, the AppView, the video service and the directory.
import { Hono } from "hono";
import { avatarUrl } from "./avatar.ts";
import { type Account, Accounts, findResident, residentDid } from "./bluesky/accounts.ts";
import { blobCid, makeTid, recordCid, TID } from "./bluesky/ids.ts";
import { checkGate, checkReply, describeGate, postView, publish } from "./bluesky/posts.ts";
import { blobRef, checkPost, POST } from "./bluesky/record-rules.ts";
import { type Pair, Sessions } from "./bluesky/sessions.ts";
import { VideoService } from "./bluesky/video.ts";
import {
  bearer,
  type Call,
  expectNoBody,
  invalid,
  type Json,
  type Method,
  readBody,
  toObject,
  toText,
  XrpcError,
} from "./bluesky/xrpc.ts";
import { misbehave } from "./faults.ts";
import { hasPersona } from "./personas.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

const PLATFORM = "bluesky";
/** 52,428,800: bsky.network docs, read 2026-11-20. */
const BLOB_BYTES_MAX = 52_428_800;
/** Records about who may reply and quote, under the post's key. */
const GATES = ["app.bsky.feed.threadgate", "app.bsky.feed.postgate"];
type Parts = Partial<Record<"collection" | "rkey" | "record", Json | undefined>>;

export function createSimulator(world: World): Simulator {
  const accounts = new Accounts(world.state);
  const sessions = new Sessions(world.state);
  const calls = new Set<string>();
  const app = new Hono<SimulatorEnv>();
  const pds = () => `${world.origin()}/${PLATFORM}`;
  const video = new VideoService(
    world,
    sessions,
    {
      exists: (did) => accounts.get(did) !== undefined,
      isUnconfirmed: (did) => hasPersona(accounts.get(did)?.handle ?? "", "unconfirmed"),
      addBlob: (did, file) => accounts.get(did)?.blobs.set(blobCid(file.sha256), file),
    },
    () => [`did:web:${new URL(pds()).hostname}`, `did:web:${new URL(pds()).host.replace(":", "%3A")}`],
  );

  const didDoc = (did: string, handle: string) => ({
    id: did,
    alsoKnownAs: [`at://${handle}`],
    service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: pds() }],
  });
  const answerSession = ({ did, handle }: Account, pair: Pair) =>
    Response.json({ did, handle, ...pair, didDoc: didDoc(did, handle), emailConfirmed: true, active: true });

  /** All names of the account that a call concerns, for fault matching. */
  async function listAccountNames(c: Call): Promise<string[]> {
    const body = c.req.path.endsWith(".createSession") ? toObject(await c.req.json().catch(() => null)) : {};
    const query = c.req.query("repo") ?? c.req.query("did") ?? c.req.query("actor") ?? "";
    const identifier = toText(body.identifier) || query;
    const did =
      sessions.ownerOf(bearer(c)) ?? video.ownerOf(c.req.query("jobId") ?? "") ?? accounts.find(identifier)?.did;
    const account = did === undefined ? undefined : accounts.get(did);
    return account === undefined ? [identifier] : [account.handle, account.did];
  }

  const method: Method = (kind, nsid, act) => {
    calls.add(nsid);
    app[kind](`/xrpc/${nsid}`, async (c) =>
      misbehave(world.faults.take(PLATFORM, nsid, await listAccountNames(c)), c.env, async () => {
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
    const { identifier, password } = await readBody(c);
    if (typeof identifier !== "string" || typeof password !== "string")
      throw invalid("Input must have the properties identifier and password");
    const account = accounts.find(identifier) ?? accounts.firstSignIn(identifier.toLowerCase(), password);
    if (account?.password !== password)
      throw new XrpcError(401, "AuthenticationRequired", "Invalid identifier or password");
    return answerSession(account, sessions.open(account.did));
  });

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
    const did = accounts.find(handle)?.did ?? residentDid(handle);
    if (did === undefined) throw invalid("Unable to resolve handle");
    return Response.json({ did });
  });

  // Only the fields that clients of an account need: docs.bsky.app, app.bsky.actor.getProfile, read 2026-11-20.
  method("get", "app.bsky.actor.getProfile", (c) => {
    const account = accounts.find(c.req.query("actor") ?? "");
    if (account === undefined) throw invalid("Profile not found");
    const { did, handle } = account;
    return Response.json({ did, handle, avatar: avatarUrl("cdn.bsky.app", handle) });
  });

  // Only the fields that a list of accounts needs: atproto lexicons/app/bsky/actor/searchActorsTypeahead.json, read 2026-11-27.
  method("get", "app.bsky.actor.searchActorsTypeahead", (c) => {
    const { q = "", limit = "10" } = c.req.query();
    const actors = accounts.search(q).slice(0, Number(limit));
    return Response.json({ actors: actors.map(({ did, handle, name }) => ({ did, handle, displayName: name })) });
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
    const body = await readBody(c);
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
    const account = signedIn(c);
    const { repo, writes } = await readBody(c);
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
    const account = signedIn(c);
    const { repo, collection, rkey } = await readBody(c);
    if (accounts.find(toText(repo)) !== account)
      throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
    account.records.delete(`${toText(collection)}/${toText(rkey)}`);
    const entry = world.ledger.find(PLATFORM, `at://${account.did}/${toText(collection)}/${toText(rkey)}`);
    if (entry !== undefined) entry.deleted = true;
    return Response.json({});
  });

  method("get", "app.bsky.feed.getPosts", (c) => {
    const uris = c.req.queries("uris") ?? [];
    if (uris.length > 25) throw invalid("Error: uris must not have more than 25 elements");
    // A missing post is silently left out.
    const posts = uris.flatMap((uri) => {
      const [, , did = "", ...path] = uri.split("/");
      const record = accounts.get(did)?.records.get(path.join("/"));
      if (record === undefined) return [];
      const gate = accounts.get(did)?.records.get(`app.bsky.feed.postgate/${path[1]}`)?.value;
      return [
        postView(
          uri,
          did,
          { handle: accounts.get(did)?.handle, canBeQuoted: gate?.embeddingRules === undefined },
          record,
        ),
      ];
    });
    return Response.json({ posts });
  });

  video.mount(method);
  app.all("/xrpc/*", (c) => c.json({ error: "MethodNotImplemented", message: "Method Not Implemented" }, 501));
  // An account that has not signed in yet exists here too, so the directory knows every DID.
  app.get("/:did{did:.+}", (c) => {
    const did = c.req.param("did");
    const handle = accounts.get(did)?.handle ?? findResident(did);
    return c.json(didDoc(did, handle ?? "handle.invalid"));
  });

  return {
    platform: PLATFORM,
    app,
    expireToken(name) {
      const account = accounts.find(name);
      if (account !== undefined) sessions.expire(account.did);
      return account !== undefined;
    },
    remove(uri) {
      const [, , did = "", ...path] = uri.split("/");
      accounts.get(did)?.records.delete(path.join("/"));
    },
    reset(name) {
      const did = name === undefined ? undefined : (accounts.find(name)?.did ?? name);
      sessions.forget(did);
      video.forget(did);
      accounts.forget(did);
    },
    calls,
    publishCalls: { default: "com.atproto.repo.putRecord" },
    demo: {
      handle: "crier.bsky.social",
      credentials: { identifier: "crier.bsky.social", app_password: "demo-demo-demo-demo" },
    },
  };
}
