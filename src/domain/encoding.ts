// Bytes as text, and back.

/** Standard base64, with padding. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Reads base64, padded or not. Throws if the text is not valid base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Base64 for URLs, without padding (RFC 4648, section 5). */
export function base64Url(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 6; ) {
      count -= 6;
      text += URL_SAFE.charAt((bits >> count) & 63);
    }
    bits &= 63;
  }
  return count === 0 ? text : text + URL_SAFE.charAt((bits << (6 - count)) & 63);
}

/** Reads `base64Url`. Throws if the text is not valid base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Escapes a text for HTML. */
export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 without padding (RFC 4648, section 6), the format of secrets in authenticator apps. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; ) {
      count -= 5;
      text += BASE32.charAt((bits >> count) & 31);
    }
    bits &= 31;
  }
  return count === 0 ? text : text + BASE32.charAt((bits << (5 - count)) & 31);
}

/** Reads `base32`. Throws if the text is not valid base32. */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const letter of text) {
    const value = BASE32.indexOf(letter);
    if (value < 0) throw new Error("the text is not base32");
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 255);
  }
  return new Uint8Array(bytes);
}
