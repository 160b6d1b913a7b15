// The token of a check. It certifies that this connection has recently checked exactly this payload, with files of exactly
// this content.
import { hmac, isHmac } from "../adapters/digest.ts";
import { base64Url, fromBase64Url } from "../domain/encoding.ts";
import { canonicalJson, type JsonObject } from "../domain/json.ts";
import { HOUR_MS } from "../domain/limits.ts";

/** A token stays valid long enough for an agent to ask its user. */
export const CHECK_LIFE_MS = HOUR_MS;

export type Verdict = { is: "good"; nonce: string; content: string } | { is: "expired" } | { is: "different" };

/** Creates and reads tokens with a secret of 32 bytes. */
export class CheckTokens {
  readonly #secret: Uint8Array<ArrayBuffer>;
  constructor(secret: Uint8Array<ArrayBuffer>) {
    this.#secret = secret;
  }

  /** `content`: a digest of the files in base64url, then `@` and the slot if there is one. `now`: epoch milliseconds. */
  async mint(payload: JsonObject, content: string, now: number): Promise<{ token: string; expiresAt: number }> {
    const expiresAt = now + CHECK_LIFE_MS;
    const nonce = base64Url(crypto.getRandomValues(new Uint8Array(12)));
    const head = `${expiresAt}.${nonce}.${content}`;
    const mac = await hmac(this.#secret, signed(head, payload));
    return { token: `${head}.${base64Url(mac)}`, expiresAt };
  }

  async read(token: string, payload: JsonObject, now: number): Promise<Verdict> {
    const [, head = "", expires = "", nonce = "", content = "", mac = ""] =
      /^((\d{1,15})\.([\w-]{16})\.([\w-]{0,43}(?:@\d{1,15})?))\.([\w-]{43})$/.exec(token) ?? [];
    if (mac === "") return { is: "different" };
    if (!(await isHmac(this.#secret, signed(head, payload), fromBase64Url(mac)))) return { is: "different" };
    return Number(expires) < now ? { is: "expired" } : { is: "good", nonce, content };
  }
}

const signed = (head: string, payload: JsonObject) => `${head}.${canonicalJson(payload)}`;
