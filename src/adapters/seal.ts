// Secrets that must be read again are sealed with AES-256-GCM. What was sealed for one row opens for no other.
import { base64Url, fromBase64Url } from "../domain/encoding.ts";

type SealPurpose =
  | "channel-credential"
  | "publish-handle"
  | "workspace-key"
  | "webhook-secret"
  | "oauth-transaction"
  | "device"
  | "unsubscribe"
  | "factor-secret";
/** Where a sealed value belongs. `workspace`: of a device, the account's address; of a factor, its user. */
export interface SealPlace {
  purpose: SealPurpose;
  workspace: string;
  row: string;
}
export interface Seal {
  /** `v1.<key id>.<iv>.<ciphertext>` */
  seal(secret: string, place: SealPlace): Promise<string>;
  /** The secret; null when it was sealed elsewhere, was changed, or its master key is gone. */
  unseal(sealed: string, place: SealPlace): Promise<string | null>;
  /** Whether the active key sealed it. */
  isCurrent(sealed: string): boolean;
}

/** A name for what was sealed: the random part of its first seal, which no other value has. */
export const sealName = (sealed: string): string => sealed.split(".")[2] ?? "";

const encoder = new TextEncoder();
/** Derived keys that are kept at hand. */
const KEYS_KNOWN_MAX = 1_000;

/**
 * A seal over master keys of 32 bytes by key id; `active` seals, all unseal. The key of a value is
 * HKDF-SHA256(master, salt = workspace, info = purpose), its additional data names version, key, purpose and row.
 */
export function createSeal(masters: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, active: string): Seal {
  // Keys, not promises of them: one invocation may not wait for another's.
  const known = new Map<string, CryptoKey>();
  const derived = async (kid: string, place: SealPlace): Promise<CryptoKey | null> => {
    const name = `${kid}|${place.purpose}|${place.workspace}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const key = await derive(kid, place);
    if (key === null) return null;
    if (known.size >= KEYS_KNOWN_MAX) known.clear();
    known.set(name, key);
    return key;
  };
  const derive = async (kid: string, { workspace, purpose }: SealPlace): Promise<CryptoKey | null> => {
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
  const bound = (kid: string, { purpose, workspace, row }: SealPlace) =>
    encoder.encode(`v1|${kid}|${purpose}|${workspace}|${row}`);
  return {
    async seal(secret, place) {
      const key = await derived(active, place);
      if (key === null) throw new Error("the active sealing key is missing");
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const additionalData = bound(active, place);
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, encoder.encode(secret));
      return `v1.${active}.${base64Url(iv)}.${base64Url(new Uint8Array(sealed))}`;
    },
    isCurrent: (sealed) => sealed.startsWith(`v1.${active}.`),
    async unseal(sealed, place) {
      const [version, kid, iv, ciphertext, ...rest] = sealed.split(".");
      if (version !== "v1" || kid === undefined || iv === undefined || ciphertext === undefined || rest.length > 0)
        return null;
      const key = await derived(kid, place);
      if (key === null) return null;
      try {
        const algorithm = { name: "AES-GCM", iv: fromBase64Url(iv), additionalData: bound(kid, place) };
        return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, fromBase64Url(ciphertext)));
      } catch {
        return null;
      }
    },
  };
}
