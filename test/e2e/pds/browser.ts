// A browser at Bluesky's own server: it keeps cookies, and sends what a browser says about each request.
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";

const API = "/@atproto/oauth-provider/~api";
const SignedIn = z.object({ account: z.object({ did: z.string() }), ephemeralToken: z.string() });
const Redirect = z.object({ url: z.url() });

export class Browser {
  readonly #origin: string;
  readonly #page: string;
  readonly #cookies = new Map<string, string>();

  /** `page`: the address to which a client has sent the person. */
  constructor(page: string) {
    this.#page = page;
    this.#origin = new URL(page).origin;
  }

  async #visit(address: string, headers: Record<string, string>, body?: object): Promise<string> {
    const cookie = [...this.#cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const method = body === undefined ? "GET" : "POST";
      const call = request(address, { method, headers: { ...headers, cookie } }, resolve);
      call.on("error", reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    const answered = await text(answer);
    if (answer.statusCode !== 200) throw new Error(`${address}: ${answer.statusCode} ${answered}`);
    return answered;
  }

  async #call(endpoint: string, body: object, token?: string): Promise<unknown> {
    const headers = {
      ...{ "content-type": "application/json", origin: this.#origin, referer: this.#page },
      ...{ "sec-fetch-site": "same-origin", "sec-fetch-mode": "same-origin", "sec-fetch-dest": "empty" },
      "x-csrf-token": this.#cookies.get("csrf-token") ?? "",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    return JSON.parse(await this.#visit(`${this.#origin}${API}${endpoint}`, headers, body));
  }

  /** Opens the page, signs in and allows everything, or refuses. Returns the query of the redirect. */
  async decide(handle: string, password: string, decision: "allow" | "refuse"): Promise<URLSearchParams> {
    await this.#visit(this.#page, {
      ...{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    });
    if (decision === "refuse") return new URL(Redirect.parse(await this.#call("/reject", {})).url).searchParams;
    const credentials = { locale: "en", username: handle, password, remember: false };
    const { account, ephemeralToken } = SignedIn.parse(await this.#call("/sign-in", credentials));
    const { url } = Redirect.parse(await this.#call("/consent", { did: account.did }, ephemeralToken));
    return new URL(url).searchParams;
  }
}
