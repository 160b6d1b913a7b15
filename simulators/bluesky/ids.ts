// Identifiers derived from their contents, so that the same handle, bytes or record have the same one after a restart.
import { createHash, randomInt } from "node:crypto";
import { isObject, type Json } from "./xrpc.ts";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE32_SORTABLE = "234567abcdefghijklmnopqrstuvwxyz";
/** Record keys of posts: atproto packages/syntax/src/tid.ts, read 2026-11-20. */
export const TID = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;

// CIDv1, then the codec, then a sha2-256 multihash of 32 bytes.
const RAW = [0x01, 0x55, 0x12, 0x20];
const DAG_CBOR = [0x01, 0x71, 0x12, 0x20];

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, "0"), 2))).join("");
}

export function blobCid(sha256: string): string {
  return `b${base32(Uint8Array.from([...RAW, ...Buffer.from(sha256, "hex")]))}`;
}

/** Has the network's format, but hashes the record's JSON, where the network hashes its CBOR. */
export function recordCid(record: Json): string {
  const digest = createHash("sha256").update(canonical(record)).digest();
  return `b${base32(Uint8Array.from([...DAG_CBOR, ...digest]))}`;
}

export function makeDid(handle: string): string {
  return `did:plc:${base32(createHash("sha256").update(handle).digest()).slice(0, 24)}`;
}

/** 53 bits of microseconds and 10 random bits. */
export function makeTid(): string {
  let remainingBits = (BigInt(Date.now()) * 1000n) << 10n;
  remainingBits |= BigInt(randomInt(1024));
  let tid = "";
  for (let i = 0; i < 13; i++) {
    tid = BASE32_SORTABLE.charAt(Number(remainingBits & 31n)) + tid;
    remainingBits >>= 5n;
  }
  return tid;
}

/** Equal records serialize to the same text, because they must have the same CID. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}
