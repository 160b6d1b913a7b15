// The keys with which this deployment identifies itself as an OAuth client to servers that know it only by the address of
// its description (RFC 7523, with ES256). Each master key gives one key. A session stays bound to the key that it began
// with (atproto.com/specs/oauth, read 2026-11-27), so the key signs as long as its master key is there.
import { SignJWT } from "jose";
import { base64Url } from "../domain/encoding.ts";
import type { Entropy } from "../domain/ids.ts";

/** A public key in the form of RFC 7518, 6.2. */
interface PublicKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  /** The key's SHA-256 thumbprint (RFC 7638). */
  kid: string;
  alg: "ES256";
  use: "sig";
}
export interface ClientSigner {
  /** The id of the key that new sessions are bound to. */
  getActiveKey(): Promise<string>;
  /** All keys that sign, the newest first. */
  listKeys(): Promise<PublicKey[]>;
  /** Signs the assertion of the client `clientId` for `issuer` with a key; null if its master key is gone. */
  assert(key: string, clientId: string, issuer: string, now: number): Promise<string | null>;
}

interface SigningKey {
  privateKey: CryptoKey;
  publicKey: PublicKey;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };
/** The order of P-256 (SEC 2, 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** The bits that are derived for a key: 64 more than the order has, so that the remainder is evenly distributed (FIPS 186-5, A.4.1). */
const DERIVED_BITS = 320;
/**
 * The beginning of a PKCS #8 private key of P-256 without its public key, followed by its 32 bytes: RFC 5208, 5; RFC 5915, 3.
 * The key is completed when it is imported.
 */
const PKCS8_HEADER = [
  ...[0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01],
  ...[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01],
  ...[0x01, 0x04, 0x20],
];
/** How long an assertion works: servers accept them for a minute after their issue. */
const ASSERTION_LIFE_S = 60;
const encoder = new TextEncoder();

/** Creates a signer from master keys of 32 bytes, by key id. The master key `active` signs for new sessions. */
export function createClientSigner(
  masters: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  active: string,
  entropy: Entropy,
): ClientSigner {
  // Caches keys rather than promises, because one invocation may not wait for another's promise.
  const keysByMaster = new Map<string, SigningKey>();
  const getKey = async (masterId: string): Promise<SigningKey> => {
    const master = masters.get(masterId);
    if (master === undefined) throw new Error("the active master key is missing");
    const key = keysByMaster.get(masterId) ?? (await deriveKey(master));
    keysByMaster.set(masterId, key);
    return key;
  };
  const getAll = () => Promise.all([...masters.keys()].toReversed().map(getKey));
  return {
    getActiveKey: async () => (await getKey(active)).publicKey.kid,
    listKeys: async () => (await getAll()).map(({ publicKey }) => publicKey),
    async assert(key, clientId, issuer, now) {
      const signing = (await getAll()).find(({ publicKey }) => publicKey.kid === key);
      if (signing === undefined) return null;
      const issuedAt = Math.floor(now / 1000);
      return new SignJWT({ jti: base64Url(entropy(16)) })
        .setProtectedHeader({ alg: "ES256", kid: key })
        .setIssuer(clientId)
        .setSubject(clientId)
        .setAudience(issuer)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ASSERTION_LIFE_S)
        .sign(signing.privateKey);
    },
  };
}

async function deriveKey(master: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  const material = await crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveBits"]);
  const info = encoder.encode("oauth-client");
  const derived = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    DERIVED_BITS,
  );
  const document = new Uint8Array([...PKCS8_HEADER, ...toScalar(new Uint8Array(derived))]);
  const privateKey = await crypto.subtle.importKey("pkcs8", document, ALGORITHM, true, ["sign"]);
  const exported = await crypto.subtle.exportKey("jwk", privateKey);
  if (exported instanceof ArrayBuffer || exported.x === undefined || exported.y === undefined)
    throw new Error("the key has no public part");
  const { x, y } = exported;
  // RFC 7638: the required members in alphabetic order, without spaces.
  const thumbprint = await crypto.subtle.digest(
    "SHA-256",
    encoder.encode(JSON.stringify({ crv: "P-256", kty: "EC", x, y })),
  );
  const kid = base64Url(new Uint8Array(thumbprint));
  return { privateKey, publicKey: { kty: "EC", crv: "P-256", x, y, kid, alg: "ES256", use: "sig" } };
}

/** A private key between 1 and the order, as 32 bytes. */
function toScalar(derived: Uint8Array): Uint8Array {
  const number = derived.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const scalar = (number % (ORDER - 1n)) + 1n;
  return Uint8Array.from(
    scalar
      .toString(16)
      .padStart(64, "0")
      .match(/../g)
      ?.map((pair) => Number.parseInt(pair, 16)) ?? [],
  );
}
