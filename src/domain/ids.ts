import { decodeTime, encodeTime, TIME_MAX, ulid } from "ulid";
import { base64Url } from "./encoding.ts";

/** `length` random bytes. */
export type Entropy = (length: number) => Uint8Array<ArrayBuffer>;

const ID_PREFIXES = [
  "usr",
  "ws",
  "key",
  "akey",
  "ch",
  "post",
  "dlv",
  "med",
  "wh",
  "evt",
  "att",
  "req",
  "client",
  "grant",
  "ses",
  "inv",
  "fac",
  "aud",
  "grp",
  "snip",
  "feed",
  "cmt",
  "ptl",
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** Random characters in a ULID. */
const ULID_RANDOM_LENGTH = 16;

/** A new id: prefix, `_`, and a lower-case ULID of `now` (epoch milliseconds), so that ids sort by time. */
export function makeId(prefix: IdPrefix, now: number, entropy: Entropy): string {
  const bytes = entropy(ULID_RANDOM_LENGTH).values();
  const random = () => (bytes.next().value ?? 0) / 256;
  return `${prefix}_${ulid(now, random).toLowerCase()}`;
}

/** Sorts after all ids that were made until `time` (epoch milliseconds), and before those made later. */
export const buildLastId = (prefix: IdPrefix, time: number): string =>
  `${prefix}_${time > TIME_MAX ? "" : encodeTime(time).toLowerCase()}~`;

/** When an id was made, in epoch milliseconds. */
export const readTimeOfId = (id: string): number => decodeTime(id.slice(id.indexOf("_") + 1).toUpperCase());

/** The smallest id with this prefix that can be made at `at` (epoch milliseconds) or later. */
export const earliestId = (prefix: IdPrefix, instant: number): string =>
  makeId(prefix, instant, (length) => new Uint8Array(length));

/** Whether `value` has the form of an id with this prefix; anything else can be answered with 404 without a query. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return value.startsWith(`${prefix}_`) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(value.slice(prefix.length + 1));
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_PREFIX = "crier_live_";
const ACCOUNT_KEY_PREFIX = "crier_acct_";
const KEY_RANDOM_LENGTH = 43;
const KEY_CHECKSUM_LENGTH = 6;

/** A new workspace key: `crier_live_`, 43 random base62 characters (256 bits) and their CRC32 in base62. */
export const makeWorkspaceKey = (entropy: Entropy): string => KEY_PREFIX + makeKeyBody(entropy);

/** A new account key: `crier_acct_` and the same kind of body. */
export const makeAccountKey = (entropy: Entropy): string => ACCOUNT_KEY_PREFIX + makeKeyBody(entropy);

function makeKeyBody(entropy: Entropy): string {
  let random = "";
  while (random.length < KEY_RANDOM_LENGTH) {
    for (const byte of entropy(KEY_RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte: above it the remainder would favor some characters.
      if (byte < 248 && random.length < KEY_RANDOM_LENGTH) random += BASE62[byte % 62];
    }
  }
  return random + checksum(random);
}

/** Whether a string can be a workspace key at all; false saves a database query. */
export const isWorkspaceKey = (value: string): boolean => isKey(KEY_PREFIX, value);

/** Whether a string can be an account key at all. */
export const isAccountKey = (value: string): boolean => isKey(ACCOUNT_KEY_PREFIX, value);

function isKey(prefix: string, value: string): boolean {
  if (!value.startsWith(prefix)) return false;
  const encoded = value.slice(prefix.length);
  if (encoded.length !== KEY_RANDOM_LENGTH + KEY_CHECKSUM_LENGTH || !/^[0-9A-Za-z]+$/.test(encoded)) return false;
  return encoded.slice(KEY_RANDOM_LENGTH) === checksum(encoded.slice(0, KEY_RANDOM_LENGTH));
}

/** Whether a bearer credential is meant to be a workspace key rather than a session. */
export function looksLikeWorkspaceKey(value: string): boolean {
  return value.startsWith(KEY_PREFIX);
}

/** Whether a bearer credential is meant to be an account key. */
export const looksLikeAccountKey = (value: string): boolean => value.startsWith(ACCOUNT_KEY_PREFIX);

const SESSION_PREFIX = "sess_";

/** A new session token: `sess_` and 32 random bytes in base64url. */
export function makeSessionToken(entropy: Entropy): string {
  return SESSION_PREFIX + base64Url(entropy(32));
}

const CHALLENGE_PREFIX = "factor_";

/** A new challenge for a second factor: `factor_` and 32 random bytes in base64url. */
export function makeFactorChallenge(entropy: Entropy): string {
  return CHALLENGE_PREFIX + base64Url(entropy(32));
}

export function isSessionToken(value: string): boolean {
  return /^sess_[A-Za-z0-9_-]{43}$/.test(value);
}

function checksum(text: string): string {
  let quotient = crc32(text);
  let digits = "";
  for (let i = 0; i < KEY_CHECKSUM_LENGTH; i++) {
    digits = BASE62[quotient % 62] + digits;
    quotient = Math.floor(quotient / 62);
  }
  return digits;
}

/** CRC-32 (IEEE 802.3) of an ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The name of a credential's one MCP connection. */
export function getConnectionName(credential: { keyId: string } | { grantId: string }): string {
  return "keyId" in credential ? `key:${credential.keyId}` : `grant:${credential.grantId}`;
}
