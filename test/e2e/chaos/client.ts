// A persistent caller: a call without an answer or with a 5xx is repeated until the service is back.
export interface Answered<Body> {
  status: number;
  body: Body;
}

const AGAIN_MS = 250;
/** The limit for a call on a connection whose other end is gone. */
const CALL_MAX_MS = 20_000;

export class Client {
  /** The number of repeated calls. */
  repeated = 0;
  readonly #url: string;
  readonly #stopped: AbortSignal;

  /** `stopped` ends every call, including one that waits for its repetition. */
  constructor(url: string, stopped: AbortSignal) {
    this.#url = url;
    this.#stopped = stopped;
  }

  /** Throws if the run is stopped. Only for calls that may be repeated. */
  async call<Body>(
    method: string,
    path: string,
    { token, body, key }: { token?: string; body?: object; key?: string } = {},
  ): Promise<Answered<Body>> {
    const headers: Record<string, string> = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    };
    for (;;) {
      try {
        const signal = AbortSignal.any([this.#stopped, AbortSignal.timeout(CALL_MAX_MS)]);
        const response = await fetch(this.#url + path, { method, headers, body: body && JSON.stringify(body), signal });
        const text = await response.text();
        if (response.status < 500) return { status: response.status, body: JSON.parse(text || "null") };
      } catch {
        this.#stopped.throwIfAborted();
      }
      this.repeated++;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      this.#stopped.throwIfAborted();
    }
  }

  /** Like `call`, but throws if the call is refused. */
  async done<Body>(method: string, path: string, options: Parameters<Client["call"]>[2] = {}): Promise<Body> {
    const { status, body } = await this.call<Body>(method, path, options);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}
