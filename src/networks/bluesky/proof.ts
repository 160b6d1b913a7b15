// Calls that prove the possession of a session's key (DPoP, RFC 9449; atproto.com/specs/oauth, read 2026-11-27). Each proof
// is signed for one call. A server names a value, the nonce, that the next proofs must contain, and changes it every few
// minutes. It refuses a proof without the current nonce before it does anything, so that call is repeated once.
import { exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import { base64Url } from "../../domain/encoding.ts";
import { readAtMost } from "../../domain/read-at-most.ts";
import type { NetworkIO } from "../network.ts";
import { ProofKey } from "./credential.ts";

type Call = NetworkIO["fetch"];

/** The sender of a call. `token`: the access token that the call uses; absent at an authorization server. */
interface Sender {
  io: NetworkIO;
  key: ProofKey;
  token?: string;
}

/** How many bytes of a refusal are read to find the reason. */
const REFUSAL_BYTES_MAX = 1 << 16;
/** RFC 9449, 8.1: `NQCHAR`. The length limit is our own. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1000}$/;

/** By key: the newest nonce of each server. */
const noncesOfKeys = new WeakMap<ProofKey, Map<string, string>>();
const signingKeys = new WeakMap<ProofKey, CryptoKey>();

export async function makeProofKey(): Promise<ProofKey> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return ProofKey.parse(await exportJWK(privateKey));
}

async function getSigningKey(key: ProofKey): Promise<CryptoKey> {
  const knownKey = signingKeys.get(key);
  if (knownKey !== undefined) return knownKey;
  const imported = await importJWK({ ...key, alg: "ES256" });
  if (imported instanceof Uint8Array) throw new Error("a proof key is not a secret of bytes");
  signingKeys.set(key, imported);
  return imported;
}

async function makeProof({ io, key, token }: Sender, method: string, url: URL, nonce: string | undefined) {
  const { d: _private, ...jwk } = key;
  const claims = {
    jti: base64Url(io.random(16)),
    htm: method,
    htu: url.origin + url.pathname,
    iat: Math.floor(io.now() / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    ...(token === undefined ? {} : { ath: await hash(token) }),
  };
  const header = { typ: "dpop+jwt", alg: "ES256", jwk };
  return new SignJWT(claims).setProtectedHeader(header).sign(await getSigningKey(key));
}

async function hash(text: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** Makes a call with a proof. `again` returns the request for the repetition, because the body of the first one is used up. */
export async function callWithProof(
  sender: Sender,
  call: Call,
  address: string,
  { first, again }: { first: RequestInit; again: () => Promise<RequestInit> },
): Promise<Response> {
  const url = new URL(address);
  const nonces = noncesOfKeys.get(sender.key) ?? new Map<string, string>();
  noncesOfKeys.set(sender.key, nonces);
  const send = async (init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.set("dpop", await makeProof(sender, init.method ?? "GET", url, nonces.get(url.origin)));
    if (sender.token !== undefined) headers.set("authorization", `DPoP ${sender.token}`);
    const response = await call(address, { ...init, headers });
    const nonce = response.headers.get("dpop-nonce");
    if (nonce !== null && NONCE.test(nonce)) nonces.set(url.origin, nonce);
    return response;
  };
  const { isNonceWanted, response } = await readRefusal(await send(first));
  return isNonceWanted ? send(await again()) : response;
}

/**
 * Whether a server refused a call only because of the nonce: 400 at an authorization server, 401 at a resource server
 * (RFC 9449, 8 and 9). Returns the response with its body unread.
 */
async function readRefusal(response: Response): Promise<{ isNonceWanted: boolean; response: Response }> {
  const mayAsk = [400, 401].includes(response.status) && response.headers.has("dpop-nonce");
  if (!mayAsk) return { isNonceWanted: false, response };
  const bytes = await readAtMost(response.body, REFUSAL_BYTES_MAX);
  const isNonceWanted = /"error"\s*:\s*"use_dpop_nonce"/.test(new TextDecoder().decode(bytes));
  return { isNonceWanted, response: new Response(bytes, response) };
}
