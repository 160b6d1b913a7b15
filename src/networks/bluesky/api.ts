// XRPC calls on the account's own server and on Bluesky's hosts, and the errors in their answers:
// `{"error":"Name","message":"..."}`.
import * as z from "zod";
import type { Reason } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext, NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { type Credential, isOAuth } from "./credential.ts";
import { callWithProof } from "./proof.ts";

/** The entryway for accounts on Bluesky's own servers. */
export const ENTRYWAY = "https://bsky.social";
export const APPVIEW = "https://public.api.bsky.app";
export const PLC = "https://plc.directory";

/** For all calls except the irrevocable one and files: a user-named server that hangs must not hold up other posts. */
export const NAMED_HOST_TIMEOUT_MS = 10_000;
/** A person who connects an account waits for this, and it connects without a picture too. */
const AVATAR_TIMEOUT_MS = 5_000;

export function json(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/**
 * A call on the account's own server with its access token. A request whose body can be read only once is given as a
 * function, because the call may be repeated.
 */
export async function onPds(
  { credential, io }: ConnectorContext<Credential>,
  nsid: string,
  request: RequestInit | (() => Promise<RequestInit>) = {},
  timeoutMs = NAMED_HOST_TIMEOUT_MS,
): Promise<Answer> {
  const url = `${credential.pds}/xrpc/${nsid}`;
  const makeInit = typeof request === "function" ? request : async () => request;
  const first = await makeInit();
  if (isOAuth(credential)) {
    const sender = { io, key: credential.proof_key, token: credential.access_token };
    const call = (signal: AbortSignal) =>
      callWithProof(sender, io.fetchPublic, url, {
        first: { ...first, signal },
        again: async () => ({ ...(await makeInit()), signal }),
      });
    return ask(call, timeoutMs);
  }
  const headers = new Headers(first.headers);
  headers.set("authorization", `Bearer ${credential.access_jwt}`);
  return ask((signal) => io.fetchPublic(url, { ...first, headers, signal }), timeoutMs);
}

const isOwn = (host: string) => host === ENTRYWAY || host === APPVIEW || host === PLC;

/** Calls a host: Bluesky's own hosts by name, any other as the public address that a user named. */
export function onHost(
  io: NetworkIO,
  host: string,
  path: string,
  init?: RequestInit,
  timeoutMs = isOwn(host) ? CALL_TIMEOUT_MS : NAMED_HOST_TIMEOUT_MS,
): Promise<Answer> {
  const call = isOwn(host) ? io.fetch : io.fetchPublic;
  return ask((signal) => call(`${host}${path}`, { ...init, signal }), timeoutMs);
}

function askForHandle(io: NetworkIO, host: string, handle: string, timeoutMs?: number): Promise<Answer> {
  const path = `/xrpc/com.atproto.identity.resolveHandle?handle=${encodeURIComponent(handle)}`;
  return onHost(io, host, path, {}, timeoutMs);
}

const Profile = z.object({ avatar: z.string().nullish() });

/** The address of an account's picture; null if it has none, or if nobody answered. */
export async function readAvatarUrl(io: NetworkIO, did: string): Promise<string | null> {
  const path = `/xrpc/app.bsky.actor.getProfile?actor=${encodeURIComponent(did)}`;
  const answer = await onHost(io, APPVIEW, path, {}, AVATAR_TIMEOUT_MS);
  return (answer.is === "answer" && Profile.safeParse(answer.body).data?.avatar) || null;
}

/** The DID of a handle; null if the account does not exist, undefined if no server answered. */
export const resolveHandle = async (io: NetworkIO, handle: string) => didIn(await askForHandle(io, APPVIEW, handle));

/**
 * Looks up the account that a post mentions: a DID; null if the handle is unknown; `wait` if the server that must accept the
 * post does not answer either. The account's own server is asked first, which asks others about unknown handles (atproto
 * packages/pds, identity/resolveHandle.ts, read 2026-11-22), then the public one. A third party that does not answer must not
 * delay a post: it is not asked twice, and the mention stays text.
 */
export function mentionLookup({ credential, io }: ConnectorContext<Credential>) {
  const { did, pds } = credential;
  const knownDids = new Map<string, string | null>([[credential.handle.toLowerCase(), did]]);
  const silent = new Set<string>();
  return async (handle: string): Promise<string | null | "wait"> => {
    const name = handle.toLowerCase();
    const before = knownDids.get(name);
    if (before !== undefined) return before;
    for (const host of [pds, APPVIEW]) {
      if (silent.has(host)) continue;
      const answer = await askForHandle(io, host, name, NAMED_HOST_TIMEOUT_MS);
      if (answer.is === "silence") silent.add(host);
      const resolvedDid = didIn(answer);
      if (!resolvedDid) continue;
      knownDids.set(name, resolvedDid);
      return resolvedDid;
    }
    if (silent.has(pds)) return "wait";
    knownDids.set(name, null);
    return null;
  };
}

function didIn(answer: Answer): string | null | undefined {
  if (answer.is === "silence") return undefined;
  // 400 is the only answer that means that the handle is unknown: docs.bsky.app, posts, read 2026-11-20.
  if (answer.status === 400 && errorName(answer) !== null) return null;
  return z.object({ did: z.string().startsWith("did:") }).safeParse(answer.body).data?.did;
}

const ErrorBody = z.object({ error: z.string(), message: z.string().optional() });

/** The error's name in an unsuccessful answer; null if it has none. */
export function errorName(answer: Answer): string | null {
  if (answer.is === "silence" || answer.status < 400) return null;
  const parsed = ErrorBody.safeParse(answer.body);
  return parsed.success ? parsed.data.error : null;
}

/** The server's reason for a refusal, in its own words if it sent any. */
export function refusalReason(answer: Answer & { is: "answer" }): Reason {
  const parsed = ErrorBody.safeParse(answer.body).data;
  const networkMessage = parsed?.message ?? parsed?.error;
  return networkMessage === undefined ? { detail: `HTTP ${answer.status}` } : { networkMessage };
}
