// Passwords are hashed with scrypt over an HMAC with a pepper, and stored as a PHC string with its parameters.
import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/**
 * N=2^14 (16 MiB), r=8, p=5: one of the settings that OWASP's Password Storage Cheat Sheet calls equivalent
 * (cheatsheetseries.owasp.org, read 2026-11-24). It leaves enough room in an isolate of 128 MiB.
 */
const PARAMETERS = { ln: 14, r: 8, p: 5 };
/** Very cheap, for tests. In production such a hash counts as outdated, so it is replaced at the next sign-in. */
const FAST_PARAMETERS = { ln: 4, r: 8, p: 1 };
const HASH_BYTES = 32;
const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** The maximum number of waiting hashes. Further ones would wait for seconds in vain, because their callers give up. */
const WAITING_MAX = 10;

/** Too many hashes are already waiting, so this one is not started. */
export class HashingBusy extends Error {
  override name = "HashingBusy";
}

/** All throw `HashingBusy`. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Compares in constant time. Without a stored hash it takes the same time and returns false. */
  verify(password: string, stored: string | null): Promise<boolean>;
  /** Whether a stored hash was made with other than the current parameters. */
  isOutdated(stored: string | null): boolean;
}

const formatHeader = ({ ln, r, p }: typeof PARAMETERS) => `$scrypt$ln=${ln},r=${r},p=${p}$`;

/** Whether a stored hash was made with other than the current parameters. */
export const isOutdatedHash = (stored: string | null, { fast = false } = {}): boolean =>
  stored !== null && !stored.startsWith(formatHeader(fast ? FAST_PARAMETERS : PARAMETERS));

/** `fast`: cheap hashes without protection (`FAST_PASSWORD_HASHES`, which only the sandbox accepts). */
export function createPasswords(pepper: string, { fast = false } = {}): Passwords {
  const peppered = (password: string) => createHmac("sha256", pepper).update(password, "utf8").digest();
  const parameters = fast ? FAST_PARAMETERS : PARAMETERS;
  const header = formatHeader(parameters);
  return {
    async hash(password) {
      const salt = randomBytes(16);
      const hash = await derive(peppered(password), salt, parameters);
      return `${header}${unpadded(salt)}$${unpadded(hash)}`;
    },
    isOutdated: (stored) => isOutdatedHash(stored, { fast }),
    async verify(password, stored) {
      const match = stored === null ? null : PHC.exec(stored);
      const [, ln, r, p, salt, hash] = match ?? [];
      if (salt === undefined || hash === undefined) {
        await derive(peppered(password), Buffer.alloc(16), parameters);
        return false;
      }
      const expected = Buffer.from(hash, "base64");
      const actual = await derive(peppered(password), Buffer.from(salt, "base64"), {
        ln: Number(ln),
        r: Number(r),
        p: Number(p),
      });
      return expected.byteLength === actual.byteLength && timingSafeEqual(expected, actual);
    },
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

let isComputing = false;
const waiting: (() => void)[] = [];

async function derive(secret: Buffer, salt: Buffer, { ln, r, p }: typeof PARAMETERS): Promise<Buffer> {
  if (isComputing) {
    if (waiting.length >= WAITING_MAX) throw new HashingBusy();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  isComputing = true;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
      scrypt(secret, salt, HASH_BYTES, options, (error, key) => (error === null ? resolve(key) : reject(error)));
    });
  } finally {
    const next = waiting.shift();
    // The next waiting hash runs before any new one.
    if (next === undefined) isComputing = false;
    else next();
  }
}
