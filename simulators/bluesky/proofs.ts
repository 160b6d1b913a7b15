// Proofs of possession (DPoP) as Bluesky's own server checks them: bluesky-social/atproto packages/oauth/oauth-provider,
// dpop/dpop-manager.ts, dpop/dpop-nonce.ts and oauth-verifier.ts, read 2026-11-27.
import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import type { State } from "../state.ts";
import { type Call, type JsonObject, parseObject, toObject, toText } from "./xrpc.ts";

/** A refusal of OAuth: a code, and the server's own message. */
export class OAuthProblem extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Nonces change every minute; those of the last and the next minute work too. */
const NONCE_LIFE_S = 60;
/** A proof works for 10 seconds, plus 3 minutes for the clocks. */
const PROOF_AGE_MAX_S = 190;
/** More proofs than any session sends while they work. */
const REMEMBERED_MAX = 10_000;

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");
const getNonceNumber = () => Math.floor(Date.now() / 1000 / NONCE_LIFE_S);
const makeNonce = (number: number) => digest(`nonce ${number}`);

/** The nonce that every answer names. */
export const nextNonce = () => makeNonce(getNonceNumber() + 1);
const isNonceGood = (nonce: string) => [-1, 0, 1].some((offset) => makeNonce(getNonceNumber() + offset) === nonce);

/** A part of a JWT. Throws if it is not JSON. */
export const decodePart = (part: string): JsonObject => parseObject(Buffer.from(part, "base64url").toString());

/** The header and the claims of a JWT, if the key that `find` returns for its header has signed it with ES256; otherwise null. */
export function readJwt(
  jwt: string,
  find: (header: JsonObject) => JsonObject | undefined,
): { header: JsonObject; claims: JsonObject } | null {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  try {
    const header = decodePart(head);
    const key = find(header);
    if (header.alg !== "ES256" || key === undefined) return null;
    const jwk: JsonWebKey = { kty: toText(key.kty), crv: toText(key.crv), x: toText(key.x), y: toText(key.y) };
    const isSigned = verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    return isSigned ? { header, claims: decodePart(body) } : null;
  } catch {
    return null;
  }
}

/** RFC 7638, for a key of P-256. */
const thumbprint = ({ crv, kty, x, y }: JsonObject) => digest(JSON.stringify({ crv, kty, x, y }));

export class Proofs {
  readonly #used: Set<string>;

  constructor(state: State) {
    this.#used = state.set("bluesky.proofs");
  }

  /** The thumbprint of the key whose possession a call proves. `token`: the access token that the proof must be for. */
  check(c: Call, address: string, token?: string): string {
    const proof = c.req.header("dpop");
    if (proof === undefined) throw new OAuthProblem("invalid_dpop_proof", "DPoP proof required", 401);
    const jwt = readJwt(proof, ({ jwk }) => toObject(jwk));
    const refuse = (message: string) => new OAuthProblem("invalid_dpop_proof", message, 401);
    if (jwt === null || jwt.header.typ !== "dpop+jwt") throw refuse("Failed to verify DPoP proof");
    const { jti, htm, htu, iat, ath, nonce } = jwt.claims;
    const age = Date.now() / 1000 - Number(iat);
    if (!(Math.abs(age) <= PROOF_AGE_MAX_S)) throw refuse("Failed to verify DPoP proof");
    if (toText(jti) === "") throw refuse('DPoP "jti" missing');
    if (htm !== c.req.method) throw refuse('DPoP "htm" mismatch');
    if (htu !== address) throw refuse('DPoP "htu" mismatch');
    const status = token === undefined ? 400 : 401;
    if (nonce === undefined)
      throw new OAuthProblem("use_dpop_nonce", "Authorization server requires nonce in DPoP proof", status);
    if (!isNonceGood(toText(nonce))) throw new OAuthProblem("use_dpop_nonce", 'DPoP "nonce" mismatch', status);
    if (token === undefined && ath !== undefined) throw refuse('DPoP "ath" claim not allowed');
    if (token !== undefined && ath !== digest(token)) throw refuse('DPoP "ath" mismatch');
    if (this.#used.has(toText(jti))) throw refuse("DPoP proof replayed");
    if (this.#used.size >= REMEMBERED_MAX) this.#used.clear();
    this.#used.add(toText(jti));
    return thumbprint(toObject(jwt.header.jwk));
  }
}
