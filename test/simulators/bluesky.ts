// Bluesky as a program sees it: the entryway, the account's server, the AppView, the video service and the directory.
import { createHash, randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { misbehave } from "./faults.ts";
import type { LedgerMedia } from "./ledger.ts";
import type { Simulator, SimulatorEnv, World } from "./simulator.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const PLATFORM = "bluesky";
/** 52,428,800: bsky.network docs, read 2026-11-20. */
const BLOB_BYTES_MAX = 52_428_800;
const IMAGE_BYTES_MAX = 2_000_000;
const VIDEO_BYTES_MAX = 300_000_000;
const ACCESS_LIFE_S = 120 * 60;
const REFRESH_LIFE_S = 90 * 86_400;
const TID = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;

interface Blob {
  cid: string;
  type: string;
  bytes: Uint8Array;
}
interface Account {
  did: string;
  handle: string;
  password: string;
  access: string;
  refresh: string;
  expired: boolean;
  blobs: Map<string, Blob>;
  records: Map<string, { value: JsonObject; cid: string }>;
  jobs: Map<string, { polls: number; blob: Blob }>;
}

/** A refusal in the network's own words. */
class XrpcError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function createSimulator(world: World): Simulator {
  const accounts = new Map<string, Account>();
  const byHandle = (handle: string) =>
    [...accounts.values()].find((account) => account.handle === handle || account.did === handle);
  const pds = () => `${world.origin()}/${PLATFORM}`;
  const app = new Hono<SimulatorEnv>();

  const didDoc = (did: string) => ({
    id: did,
    service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: pds() }],
  });
  const session = (account: Account) => ({
    did: account.did,
    handle: account.handle,
    accessJwt: account.access,
    refreshJwt: account.refresh,
    didDoc: didDoc(account.did),
    active: true,
  });

  /** One XRPC method, with the faults that are scripted for it. */
  function method(
    kind: "get" | "post",
    nsid: string,
    act: (c: Context<SimulatorEnv>) => Promise<Response> | Response,
  ): void {
    app[kind](`/xrpc/${nsid}`, async (c) => {
      const names = await accountsOf(c);
      return misbehave(world.faults.take(PLATFORM, nsid, names), c.env, async () => {
        try {
          return await act(c);
        } catch (error) {
          if (!(error instanceof XrpcError)) throw error;
          return Response.json({ error: error.code, message: error.message }, { status: error.status });
        }
      });
    });
  }

  /** The names of the account that a call is about; a sign-in names it in its body. */
  async function accountsOf(c: Context<SimulatorEnv>): Promise<string[]> {
    const token = bearer(c);
    if (token === undefined && c.req.path.endsWith(".createSession"))
      return [String((await bodyOf(c).catch(() => ({ identifier: "" }))).identifier)];
    const account = [...accounts.values()].find(({ access, refresh }) => access === token || refresh === token);
    return account === undefined ? [] : [account.handle, account.did];
  }

  function signedIn(c: Context<SimulatorEnv>): Account {
    const token = bearer(c);
    if (token === undefined) throw new XrpcError(401, "AuthMissing", "Authentication Required");
    const account = [...accounts.values()].find(({ access }) => access === token);
    if (account === undefined) throw new XrpcError(400, "InvalidToken", "Token could not be verified");
    if (account.expired || expiryOf(token) < Date.now() / 1000)
      throw new XrpcError(400, "ExpiredToken", "Token has expired");
    return account;
  }

  method("post", "com.atproto.server.createSession", async (c) => {
    const { identifier = "", password = "" } = await bodyOf(c);
    const handle = String(identifier);
    const wrong = new XrpcError(401, "AuthenticationRequired", "Invalid identifier or password");
    let account = byHandle(handle);
    if (account === undefined) {
      // The first sign-in with a well-formed app password makes the account.
      if (!/^([a-z0-9]{4}-){3}[a-z0-9]{4}$/.test(String(password)) || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(handle))
        throw wrong;
      account = makeAccount(handle, String(password));
      accounts.set(account.did, account);
    } else if (account.password !== password) throw wrong;
    renew(account);
    return Response.json(session(account));
  });
  method("post", "com.atproto.server.refreshSession", (c) => {
    const token = bearer(c);
    const account = [...accounts.values()].find(({ refresh }) => refresh === token);
    if (account === undefined) throw new XrpcError(400, "ExpiredToken", "Token has been revoked");
    renew(account, true);
    return Response.json(session(account));
  });
  method("get", "com.atproto.server.getSession", (c) => {
    const { did, handle } = signedIn(c);
    return Response.json({ did, handle, emailConfirmed: true, active: true });
  });
  method("post", "com.atproto.server.deleteSession", () => new Response(null, { status: 200 }));
  method("get", "com.atproto.server.describeServer", () =>
    Response.json({ blobUploadLimit: BLOB_BYTES_MAX, availableUserDomains: [] }),
  );
  method("get", "com.atproto.server.getServiceAuth", (c) => {
    const { did } = signedIn(c);
    return Response.json({ token: jwt({ iss: did, aud: c.req.query("aud") ?? "" }, 1_800) });
  });
  method("get", "com.atproto.identity.resolveHandle", (c) => {
    const handle = c.req.query("handle") ?? "";
    const known =
      byHandle(handle)?.did ?? (["alice.bsky.social", "bob.bsky.social"].includes(handle) ? didOf(handle) : undefined);
    if (known === undefined) throw new XrpcError(400, "InvalidRequest", "Unable to resolve handle");
    return Response.json({ did: known });
  });
  app.get("/:did{did:.+}", (c) => c.json(didDoc(c.req.param("did"))));

  method("post", "com.atproto.repo.uploadBlob", async (c) => {
    const account = signedIn(c);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.byteLength > BLOB_BYTES_MAX) throw new XrpcError(413, "PayloadTooLarge", "request entity too large");
    const blob = store(account, bytes, sniff(bytes) ?? c.req.header("content-type") ?? "application/octet-stream");
    return Response.json({ blob: reference(blob) });
  });

  method("post", "com.atproto.repo.putRecord", async (c) => {
    const account = signedIn(c);
    const { repo, collection, rkey, record, swapRecord } = await bodyOf(c);
    if (repo !== account.did && repo !== account.handle)
      throw new XrpcError(403, "InvalidRequest", "Not authorized for this repo");
    if (collection !== "app.bsky.feed.post") throw new XrpcError(400, "InvalidRequest", "Unknown collection");
    const key = String(rkey);
    if (!TID.test(key)) throw new XrpcError(400, "InvalidRequest", "Invalid record key");
    const value = isObject(record) ? record : {};
    const media = validate(account, value);
    const cid = cidOf(new TextEncoder().encode(canonical(value)), "bafyrei");
    const uri = `at://${account.did}/${collection}/${key}`;
    const present = account.records.get(key);
    if (present?.cid === cid) return Response.json({ uri, cid, validationStatus: "valid" });
    if (present !== undefined && swapRecord === null)
      throw new XrpcError(400, "InvalidSwap", `Record was at ${present.cid}`);
    account.records.set(key, { value, cid });
    if (present === undefined) publish(account, key, uri, value, media);
    return Response.json({ uri, cid, commit: { cid, rev: key }, validationStatus: "valid" });
  });
  method("get", "com.atproto.repo.getRecord", (c) => {
    const account = byHandle(c.req.query("repo") ?? "");
    const rkey = c.req.query("rkey") ?? "";
    const record = account?.records.get(rkey);
    if (account === undefined || record === undefined)
      throw new XrpcError(400, "RecordNotFound", `Could not locate record: ${rkey}`);
    return Response.json({
      uri: `at://${account.did}/app.bsky.feed.post/${rkey}`,
      cid: record.cid,
      value: record.value,
    });
  });
  method("post", "com.atproto.repo.deleteRecord", async (c) => {
    const account = signedIn(c);
    const { rkey } = await bodyOf(c);
    const uri = `at://${account.did}/app.bsky.feed.post/${String(rkey)}`;
    const entry = world.ledger.find(PLATFORM, uri);
    if (entry !== undefined) entry.deleted = true;
    account.records.delete(String(rkey));
    return Response.json({});
  });

  method("post", "app.bsky.video.uploadVideo", async (c) => {
    const account = byHandle(c.req.query("did") ?? "");
    if (account === undefined || bearer(c) === undefined)
      throw new XrpcError(401, "AuthMissing", "Authentication Required");
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.byteLength > VIDEO_BYTES_MAX) throw new XrpcError(400, "VideoTooLarge", "video is too large");
    if (String(bytes.byteLength) !== c.req.header("content-length"))
      throw new XrpcError(400, "InvalidRequest", "content-length required");
    const jobId = randomBytes(8).toString("hex");
    account.jobs.set(jobId, { polls: 0, blob: store(account, bytes, "video/mp4") });
    return Response.json({ jobId, did: account.did, state: "JOB_STATE_CREATED", progress: 0 });
  });
  method("get", "app.bsky.video.getJobStatus", (c) => {
    const jobId = c.req.query("jobId") ?? "";
    const job = [...accounts.values()].map(({ jobs }) => jobs.get(jobId)).find((found) => found !== undefined);
    if (job === undefined) throw new XrpcError(400, "InvalidRequest", "Job not found");
    job.polls++;
    const done = job.polls > 2;
    const status = { jobId, state: done ? "JOB_STATE_COMPLETED" : "JOB_STATE_ENCODING", progress: done ? 100 : 40 };
    return Response.json({ jobStatus: done ? { ...status, blob: reference(job.blob) } : status });
  });
  method("get", "app.bsky.video.getUploadLimits", () =>
    Response.json({ canUpload: true, remainingDailyVideos: 25, remainingDailyBytes: 1e10 }),
  );

  function publish(account: Account, rkey: string, uri: string, value: JsonObject, media: LedgerMedia[]): void {
    world.ledger.accept({
      platform: PLATFORM,
      account: account.handle,
      id: uri,
      text: String(value.text),
      media,
      token: rkey,
      url: `https://bsky.app/profile/${account.did}/post/${rkey}`,
      detail: {
        facets: value.facets ?? [],
        embed: value.embed ?? null,
        langs: value.langs ?? null,
        createdAt: value.createdAt ?? null,
      },
    });
  }

  /** What the server checks of a record; returns the files that it shows. */
  function validate(account: Account, record: JsonObject): LedgerMedia[] {
    const refuse = (message: string): never => {
      throw new XrpcError(400, "InvalidRequest", `Invalid app.bsky.feed.post record: ${message}`);
    };
    const { text, createdAt, facets = [], embed = null, langs = [] } = record;
    if (record.$type !== "app.bsky.feed.post" || typeof text !== "string")
      return refuse("missing text at $.record.text");
    const graphemes = [...new Intl.Segmenter().segment(text)].length;
    if (graphemes > 300) refuse(`grapheme too big (maximum 300, got ${graphemes}) at $.record.text`);
    const encoded = new TextEncoder().encode(text);
    if (encoded.byteLength > 3_000) refuse(`string too big (maximum 3000, got ${encoded.byteLength}) at $.record.text`);
    if (typeof createdAt !== "string" || Number.isNaN(Date.parse(createdAt)) || !createdAt.endsWith("Z"))
      refuse("invalid datetime at $.record.createdAt");
    if (Array.isArray(langs) && langs.length > 3) refuse("array too big (maximum 3) at $.record.langs");
    for (const facet of Array.isArray(facets) ? facets : []) {
      const index = isObject(facet) && isObject(facet.index) ? facet.index : {};
      const { byteStart, byteEnd } = index;
      const whole =
        typeof byteStart === "number" &&
        typeof byteEnd === "number" &&
        byteStart >= 0 &&
        byteStart < byteEnd &&
        byteEnd <= encoded.byteLength;
      const onBoundary = (at: Json | undefined) => typeof at === "number" && ((encoded[at] ?? 0) & 0xc0) !== 0x80;
      if (!whole || !onBoundary(byteStart) || !onBoundary(byteEnd)) refuse("invalid byte range at $.record.facets");
    }
    if (!isObject(embed)) return [];
    const take = (image: Json | undefined, alt: Json | undefined, bytesMax: number) =>
      fileOf(account, image, alt, bytesMax);
    switch (embed.$type) {
      case "app.bsky.embed.images": {
        const images = listOf(embed.images);
        if (images.length < 1 || images.length > 4) refuse("array too big (maximum 4) at $.record.embed.images");
        return images.map((item) =>
          typeof item.alt === "string" ? take(item.image, item.alt, IMAGE_BYTES_MAX) : refuse("missing alt"),
        );
      }
      case "app.bsky.embed.gallery": {
        const items = listOf(embed.items);
        if (items.length > 20) refuse("array too big (maximum 20) at $.record.embed.items");
        return items.map((item) =>
          isObject(item.aspectRatio) ? take(item.image, item.alt, IMAGE_BYTES_MAX) : refuse("missing aspectRatio"),
        );
      }
      case "app.bsky.embed.video":
        return [take(embed.video, embed.alt, VIDEO_BYTES_MAX)];
      case "app.bsky.embed.external": {
        const card = isObject(embed.external) ? embed.external : {};
        if (typeof card.uri !== "string" || typeof card.title !== "string" || typeof card.description !== "string")
          refuse("incomplete card");
        if (card.thumb !== undefined) take(card.thumb, null, 1_000_000);
        return [];
      }
      default:
        return refuse("unknown embed");
    }
  }

  function fileOf(account: Account, ref: Json | undefined, alt: Json | undefined, bytesMax: number): LedgerMedia {
    const blob = isObject(ref) && isObject(ref.ref) ? account.blobs.get(String(ref.ref.$link)) : undefined;
    if (blob === undefined || !isObject(ref)) throw new XrpcError(400, "BlobNotFound", "Could not find blob");
    if (ref.mimeType !== blob.type)
      throw new XrpcError(400, "InvalidMimeType", "Referenced MimeType does not match stored blob");
    if (ref.size !== blob.bytes.byteLength)
      throw new XrpcError(400, "InvalidSize", "Referenced size does not match stored blob");
    if (blob.bytes.byteLength > bytesMax)
      throw new XrpcError(400, "BlobTooLarge", `This file is too large. The maximum is ${bytesMax}`);
    return world.ledger.file(blob.bytes, blob.type, typeof alt === "string" && alt !== "" ? alt : null);
  }

  return {
    platform: PLATFORM,
    app,
    expireToken(name) {
      const account = byHandle(name);
      if (account !== undefined) account.expired = true;
    },
    remove(uri) {
      const [, , did = "", , rkey = ""] = uri.split("/");
      accounts.get(did)?.records.delete(rkey);
    },
    reset: () => accounts.clear(),
    demo: {
      handle: "crier.bsky.social",
      credentials: { identifier: "crier.bsky.social", app_password: "demo-demo-demo-demo" },
    },
  };
}

function makeAccount(handle: string, password: string): Account {
  const did = didOf(handle);
  return {
    did,
    handle,
    password,
    access: "",
    refresh: "",
    expired: false,
    blobs: new Map(),
    records: new Map(),
    jobs: new Map(),
  };
}

/** A new access token; a refresh within the network's grace keeps giving the same next pair. */
function renew(account: Account, keepRefresh = false): void {
  account.access = jwt({ sub: account.did, scope: "com.atproto.appPass" }, ACCESS_LIFE_S);
  if (!keepRefresh) account.refresh = jwt({ sub: account.did, scope: "com.atproto.refresh" }, REFRESH_LIFE_S);
  account.expired = false;
}

function jwt(claims: JsonObject, lifeS: number): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "ES256K", typ: "at+jwt" })}.${part({ ...claims, iat: now, exp: now + lifeS })}.${randomBytes(24).toString("base64url")}`;
}

function expiryOf(token: string): number {
  const claims: { exp: number } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  return claims.exp;
}

function bearer(c: Context<SimulatorEnv>): string | undefined {
  return /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1];
}

async function bodyOf(c: Context<SimulatorEnv>): Promise<JsonObject> {
  const body: Json = await c.req.json().catch(() => null);
  if (!isObject(body)) throw new XrpcError(400, "InvalidRequest", "Request body must be an object");
  return body;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function store(account: Account, bytes: Uint8Array, type: string): Blob {
  const blob = { cid: cidOf(bytes, "bafkrei"), type, bytes };
  account.blobs.set(blob.cid, blob);
  return blob;
}

function reference(blob: Blob): JsonObject {
  return { $type: "blob", ref: { $link: blob.cid }, mimeType: blob.type, size: blob.bytes.byteLength };
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, "0"), 2))).join("");
}

function cidOf(bytes: Uint8Array, prefix: string): string {
  return prefix + base32(createHash("sha256").update(bytes).digest()).slice(0, 52);
}

function didOf(handle: string): string {
  return `did:plc:${base32(createHash("sha256").update(handle).digest()).slice(0, 24)}`;
}

/** Equal records have one spelling, as they have one CID. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}

/** The type that the bytes themselves show. */
function sniff(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  if (head.slice(4, 8) === "ftyp") return "video/mp4";
  return undefined;
}
