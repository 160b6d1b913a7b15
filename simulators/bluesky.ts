// Bluesky for a client program: the entryway, the account's server, the AppView, the video service and the directory.
import { Hono } from "hono";
import { avatarUrl } from "./avatar.ts";
import { type Account, Accounts, findResident, residentDid } from "./bluesky/accounts.ts";
import { blobCid } from "./bluesky/ids.ts";
import { AuthorizationServer, OAUTH_CALLS } from "./bluesky/oauth.ts";
import { postView } from "./bluesky/posts.ts";
import { nextNonce, OAuthProblem } from "./bluesky/proofs.ts";
import { blobRef } from "./bluesky/record-rules.ts";
import { mountRepository } from "./bluesky/repository.ts";
import { type Pair, Sessions } from "./bluesky/sessions.ts";
import { VideoService } from "./bluesky/video.ts";
import {
  bearer,
  type Call,
  expectNoBody,
  invalid,
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

export function createSimulator(world: World): Simulator {
  const accounts = new Accounts(world.state);
  const sessions = new Sessions(world.state);
  const calls = new Set<string>(OAUTH_CALLS);
  const app = new Hono<SimulatorEnv>();
  const pds = () => `${world.origin()}/${PLATFORM}`;
  const oauth = new AuthorizationServer(world, {
    namesOf: (did) => [did, accounts.get(did)?.handle ?? ""],
    find: (name) => accounts.find(name)?.did ?? accounts.openResident(name)?.did,
  });
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
    const proven = /^DPoP (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const did =
      (proven === undefined ? undefined : oauth.ownerOf(proven)) ??
      sessions.ownerOf(bearer(c)) ??
      video.ownerOf(c.req.query("jobId") ?? "") ??
      accounts.find(identifier)?.did;
    const account = did === undefined ? undefined : accounts.get(did);
    return account === undefined ? [identifier] : [account.handle, account.did];
  }

  const method: Method = (kind, nsid, act) => {
    calls.add(nsid);
    app[kind](`/xrpc/${nsid}`, async (c) =>
      misbehave(world.faults.take(PLATFORM, nsid, await listAccountNames(c)), c.env, async () => {
        const isProven = c.req.header("dpop") !== undefined;
        const headers: Record<string, string> = isProven ? { "dpop-nonce": nextNonce() } : {};
        try {
          const answer = await act(c);
          for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
          return answer;
        } catch (error) {
          if (!(error instanceof XrpcError) && !(error instanceof OAuthProblem)) throw error;
          if (error instanceof OAuthProblem) headers["www-authenticate"] = `DPoP error="${error.code}"`;
          return Response.json({ error: error.code, message: error.message }, { status: error.status, headers });
        }
      }),
    );
  };

  function signedIn(c: Call, permission: string | null): Account {
    const isProven = /^DPoP /i.test(c.req.header("authorization") ?? "");
    const account = accounts.get(isProven ? oauth.check(c, permission) : sessions.check(bearer(c)));
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
    const { did, handle } = signedIn(c, null);
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
    const { did } = signedIn(c, `rpc:${lxm}?aud=*`);
    return Response.json({ token: sessions.grant(did, aud, lxm, exp === undefined ? undefined : Number(exp)) });
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
    const account = signedIn(c, "blob:*/*");
    const type = c.req.header("content-type");
    if (type === undefined) throw invalid("Request encoding (Content-Type) required but not provided");
    const file = await world.ledger.receive(c.req.raw.body, type);
    if (file.bytes === 0) throw invalid("A request body is expected but none was provided");
    if (file.bytes > BLOB_BYTES_MAX) throw new XrpcError(413, "PayloadTooLarge", "request entity too large");
    account.blobs.set(blobCid(file.sha256), file);
    return Response.json({ blob: blobRef(file) });
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

  mountRepository({ world, accounts, method, signedIn });
  oauth.mount(app);
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
      if (account !== undefined) {
        sessions.expire(account.did);
        oauth.expire(account.did);
      }
      return account !== undefined;
    },
    remove(uri) {
      const [, , did = "", ...path] = uri.split("/");
      accounts.get(did)?.records.delete(path.join("/"));
    },
    reset(name) {
      const did = name === undefined ? undefined : (accounts.find(name)?.did ?? name);
      sessions.forget(did);
      oauth.forget(did);
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
