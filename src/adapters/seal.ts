// Seals secrets that must be read again, with AES-256-GCM. A value sealed for one row cannot be unsealed for another.
import { base64Url, fromBase64Url } from "../domain/encoding.ts";

type SealPurpose =
  | "channel-credential"
  | "publish-key"
  | "workspace-key"
  | "webhook-secret"
  | "oauth-transaction"
  | "device"
  | "unsubscribe"
  | "factor-secret";
/** The row that a sealed value belongs to. `workspace`: for a device, the account's address; for a factor, its user. */
export interface SealBinding {
  purpose: SealPurpose;
  workspace: string;
  row: string;
}
export interface Seal {
  /** `v1.<key id>.<iv>.<ciphertext>` */
  seal(secret: string, binding: SealBinding): Promise<string>;
  /** The secret; null if it was sealed for another binding, was changed, or its master key is gone. */
  unseal(sealed: string, binding: SealBinding): Promise<string | null>;
  /** Whether the active key sealed the value. */
  isCurrent(sealed: string): boolean;
}

/** A name for a sealed value: the random part of its first seal, which no other value shares. */
export const sealName = (sealed: string): string => sealed.split(".")[2] ?? "";

const encoder = new TextEncoder();
/** The maximum number of cached derived keys. */
const KEYS_KNOWN_MAX = 1_000;

/**
 * Creates a seal from master keys of 32 bytes, by key id. The master key `active` seals, and all master keys unseal. The key
 * that encrypts a value is HKDF-SHA256(master, salt = workspace, info = purpose). The additional data of the encryption has
 * the version, the key id, the purpose, the workspace and the row.
 */
export function createSeal(masters: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, active: string): Seal {
  // Caches keys rather than promises, because one invocation may not wait for another's promise.
  const keysByName = new Map<string, CryptoKey>();
  const derived = async (kid: string, binding: SealBinding): Promise<CryptoKey | null> => {
    const name = `${kid}|${binding.purpose}|${binding.workspace}`;
    const cachedKey = keysByName.get(name);
    if (cachedKey !== undefined) return cachedKey;
    const key = await derive(kid, binding);
    if (key === null) return null;
    if (keysByName.size >= KEYS_KNOWN_MAX) keysByName.clear();
    keysByName.set(name, key);
    return key;
  };
  const derive = async (kid: string, { workspace, purpose }: SealBinding): Promise<CryptoKey | null> => {
    const master = masters.get(kid);
    if (master === undefined) return null;
    const material = await crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveKey"]);
    return crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: encoder.encode(workspace), info: encoder.encode(purpose) },
      material,
      { name: "AES-GCM", length: 256 },
      false,
      ["encrypt", "decrypt"],
    );
  };
  const bound = (kid: string, { purpose, workspace, row }: SealBinding) =>
    encoder.encode(`v1|${kid}|${purpose}|${workspace}|${row}`);
  return {
    async seal(secret, binding) {
      const key = await derived(active, binding);
      if (key === null) throw new Error("the active sealing key is missing");
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const additionalData = bound(active, binding);
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, encoder.encode(secret));
      return `v1.${active}.${base64Url(iv)}.${base64Url(new Uint8Array(sealed))}`;
    },
    isCurrent: (sealed) => sealed.startsWith(`v1.${active}.`),
    async unseal(sealed, binding) {
      const [version, kid, iv, ciphertext, ...extraSegments] = sealed.split(".");
      if (
        version !== "v1" ||
        kid === undefined ||
        iv === undefined ||
        ciphertext === undefined ||
        extraSegments.length > 0
      )
        return null;
      const key = await derived(kid, binding);
      if (key === null) return null;
      try {
        const algorithm = { name: "AES-GCM", iv: fromBase64Url(iv), additionalData: bound(kid, binding) };
        return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, fromBase64Url(ciphertext)));
      } catch {
        return null;
      }
    },
  };
}
