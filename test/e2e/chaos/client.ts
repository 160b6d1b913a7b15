// A caller that does not give up: a call without an answer, or with a 5xx, is made again until the service is back.
export interface Answered<Body> {
  status: number;
  body: Body;
}

const AGAIN_MS = 250;
/** A call that hangs on a connection whose other end is gone. */
const CALL_MAX_MS = 20_000;

export class Client {
  /** Calls that had to be made again. */
  repeated = 0;
  readonly #url: string;
  readonly #stopped: AbortSignal;

  /** `stopped` ends every call, also one that is waiting to be made again. */
  constructor(url: string, stopped: AbortSignal) {
    this.#url = url;
    this.#stopped = stopped;
  }

  /** Throws when the run is stopped. Only for calls that may be made twice. */
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
      await new Promise((settle) => setTimeout(settle, AGAIN_MS));
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
