// Time-based one-time passwords (RFC 6238) with the parameters that every authenticator app accepts: SHA-1, six digits,
// 30 seconds (github.com/google/google-authenticator/wiki/Key-Uri-Format, read 2026-11-24).
import { base32, fromBase32 } from "../domain/encoding.ts";
import type { Entropy } from "../domain/ids.ts";

const STEP_MS = 30_000;
const DIGITS = 6;
/** As many bits as the hash (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/** A clock may be one step off, and a code may be entered just after its step has ended (RFC 6238, section 5.2). */
const DRIFT_STEPS = [-1, 0, 1];

export const makeTotpSecret = (entropy: Entropy): string => base32(entropy(SECRET_BYTES));

/** The code of a time step. `secret`: in base32. */
export async function computeTotpCode(secret: string, step: number, digits = DIGITS): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", fromBase32(secret), algorithm, false, ["sign"]);
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, message.buffer));
  // Dynamic truncation (RFC 4226, section 5.3): the last four bits give the offset of the four bytes.
  const number = mac.getUint32(mac.getUint8(mac.byteLength - 1) & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The time step at an instant (epoch milliseconds). */
export const getTotpStep = (now: number) => Math.floor(now / STEP_MS);

/** The time step of a code that is valid around now; null: the code is wrong. `now`: epoch milliseconds. */
export async function findTotpStep(secret: string, code: string, now: number): Promise<number | null> {
  for (const drift of DRIFT_STEPS) {
    const step = getTotpStep(now) + drift;
    if ((await computeTotpCode(secret, step)) === code) return step;
  }
  return null;
}

/** The address that an authenticator app reads from a QR code. */
export function buildTotpUrl(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const url = new URL(`otpauth://totp/${encodeURIComponent(`${issuer}:${account}`)}`);
  // Not `searchParams`, because some apps display its plus signs.
  url.search = `?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
  return url.href;
}
