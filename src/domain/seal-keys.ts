// Reads the keys that seal credentials from the settings.
import { fromBase64 } from "./encoding.ts";
import { SettingsError } from "./settings-error.ts";

interface SealSettings {
  SEAL_KEYS?: string;
  SEAL_KEYS_NEXT?: string;
}

/**
 * The keys of `SEAL_KEYS` and `SEAL_KEYS_NEXT` by their ids. The last key seals. A new key gets a separate setting, because a
 * stored secret cannot be read, only replaced, so a key cannot be added to it. Throws `SettingsError`.
 */
export function readAllSealKeys({
  SEAL_KEYS,
  SEAL_KEYS_NEXT,
}: SealSettings): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const keys = readSealKeys("SEAL_KEYS", SEAL_KEYS);
  for (const [id, key] of readSealKeys("SEAL_KEYS_NEXT", SEAL_KEYS_NEXT)) {
    const currentKey = keys.get(id);
    if (currentKey !== undefined && !isSameKey(currentKey, key)) {
      throw new SettingsError("SEAL_KEYS_NEXT has a key of SEAL_KEYS under the same id with another value");
    }
    // Moves the key to the end, because the last key seals.
    keys.delete(id);
    keys.set(id, key);
  }
  return keys;
}

const isSameKey = (first: Uint8Array, second: Uint8Array) => first.every((byte, i) => byte === second[i]);

function readSealKeys(name: string, text: string | undefined): Map<string, Uint8Array<ArrayBuffer>> {
  const keys = new Map<string, Uint8Array<ArrayBuffer>>();
  if (!text) return keys;
  const wrong = () => new SettingsError(`${name} must be JSON: { "<key id>": "<base64 of 32 bytes>" }`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw wrong();
  for (const [kid, base64] of Object.entries(parsed)) {
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(kid) || typeof base64 !== "string" || !/^[A-Za-z0-9+/]{43}=$/.test(base64))
      throw wrong();
    keys.set(kid, fromBase64(base64));
  }
  return keys;
}
