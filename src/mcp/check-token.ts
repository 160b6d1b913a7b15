// The token of a check: it says that exactly this payload, with files of exactly this content, was checked, by this
// connection, a while ago.
import { hmac, isHmac } from "../adapters/digest.ts";
import { base64Url, fromBase64Url } from "../domain/encoding.ts";
import { canonicalJson, type JsonObject } from "../domain/json.ts";
import { HOUR_MS } from "../domain/limits.ts";

/** Long enough for a user to be asked. */
export const CHECK_LIFE_MS = HOUR_MS;

export type Verdict = { is: "good"; nonce: string; content: string } | { is: "expired" } | { is: "different" };

/** Mints and reads tokens under a secret of 32 bytes. */
export class CheckTokens {
  readonly #secret: Uint8Array<ArrayBuffer>;
  constructor(secret: Uint8Array<ArrayBuffer>) {
    this.#secret = secret;
  }

  /** `content`: which content the files have, in base64url, and the slot behind an `@`; `now`: epoch milliseconds. */
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
