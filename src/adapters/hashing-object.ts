// Passwords are hashed in an object, so that other requests do not wait for a hash.
import { refuse } from "../domain/refusal.ts";
import { callObject } from "./object-call.ts";
import { isOutdatedHash, type Passwords } from "./password.ts";

/** The calls of the object; null: too many hashes are waiting. */
interface Hasher {
  hash(password: string): Promise<string | null>;
  verify(password: string, stored: string | null): Promise<boolean | null>;
}

/** The hashes that are waiting now will be done by then. */
const BUSY_RETRY_S = 2;

function unlessBusy<Value>(value: Value | null): Value {
  if (value === null)
    throw refuse("service_busy", {
      message: "Too many people are signing in right now.",
      headers: { "Retry-After": String(BUSY_RETRY_S) },
    });
  return value;
}

/** `hasher` returns the object for each call. Throws `service_busy` if too many hashes are waiting. */
export function hashByObject(hasher: () => Hasher, { fast }: { fast: boolean }): Passwords {
  return {
    hash: async (password) => unlessBusy(await callObject(() => hasher().hash(password))),
    verify: async (password, stored) => unlessBusy(await callObject(() => hasher().verify(password, stored))),
    isOutdated: (stored) => isOutdatedHash(stored, { fast }),
  };
}
