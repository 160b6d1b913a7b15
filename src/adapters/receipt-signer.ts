// Signs receipts as compact JWS with Ed25519 (RFC 7515, RFC 8037). Each master key gives one signing key for each year, so
// keys are rotated without being stored, and a restored database loses none.
import { base64Url } from "../domain/encoding.ts";

/** A public key in the form of RFC 8037. */
interface PublicKey {
  kty: "OKP";
  crv: "Ed25519";
  x: string;
  /** The key's SHA-256 thumbprint (RFC 7638). */
  kid: string;
  alg: "EdDSA";
  use: "sig";
}
export interface ReceiptSigner {
  /** Returns the claims as a compact JWS, signed with the key of the year of `now` (epoch milliseconds). */
  sign(claims: object, now: number): Promise<string>;
  /** The keys that sign at `now`, and those that signed in the year before. */
  listKeys(now: number): Promise<PublicKey[]>;
}

interface SigningKey {
  privateKey: CryptoKey;
  publicKey: PublicKey;
}

const ALGORITHM = { name: "Ed25519" };
/** The header of a PKCS #8 private key of Ed25519, followed by its 32 bytes: RFC 8410, section 7. */
const PKCS8_HEADER = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const encoder = new TextEncoder();

/** Creates a signer from master keys of 32 bytes, by key id. The master key `active` signs. */
export function createReceiptSigner(
  masters: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  active: string,
): ReceiptSigner {
  // Caches keys rather than promises, because one invocation may not wait for another's promise.
  const keysByName = new Map<string, SigningKey>();
  const findKey = async (masterId: string, year: number): Promise<SigningKey> => {
    const name = `${masterId}|${year}`;
    const master = masters.get(masterId);
    if (master === undefined) throw new Error("the active master key is missing");
    const key = keysByName.get(name) ?? (await deriveKey(master, year));
    keysByName.set(name, key);
    return key;
  };
  return {
    async sign(claims, now) {
      const { privateKey, publicKey } = await findKey(active, getYear(now));
      const header = { alg: publicKey.alg, kid: publicKey.kid, typ: "crier-receipt+jwt" };
      const input = [header, claims].map((part) => base64Url(encoder.encode(JSON.stringify(part)))).join(".");
      const signature = await crypto.subtle.sign(ALGORITHM, privateKey, encoder.encode(input));
      return `${input}.${base64Url(new Uint8Array(signature))}`;
    },
    async listKeys(now) {
      const year = getYear(now);
      const names = [...masters.keys()].toReversed().flatMap((id) => [[id, year] as const, [id, year - 1] as const]);
      return Promise.all(names.map(async ([id, keyYear]) => (await findKey(id, keyYear)).publicKey));
    },
  };
}

const getYear = (now: number) => new Date(now).getUTCFullYear();

async function deriveKey(master: Uint8Array<ArrayBuffer>, year: number): Promise<SigningKey> {
  const material = await crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveBits"]);
  const info = encoder.encode(`receipt|${year}`);
  const seed = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    256,
  );
  const document = new Uint8Array([...PKCS8_HEADER, ...new Uint8Array(seed)]);
  const privateKey = await crypto.subtle.importKey("pkcs8", document, ALGORITHM, true, ["sign"]);
  const exported = await crypto.subtle.exportKey("jwk", privateKey);
  if (exported instanceof ArrayBuffer || exported.x === undefined) throw new Error("the key has no public part");
  const { x } = exported;
  // RFC 7638: the required members in alphabetic order, without spaces.
  const thumbprint = await crypto.subtle.digest(
    "SHA-256",
    encoder.encode(JSON.stringify({ crv: "Ed25519", kty: "OKP", x })),
  );
  const kid = base64Url(new Uint8Array(thumbprint));
  return { privateKey, publicKey: { kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig" } };
}
