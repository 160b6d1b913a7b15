// The outside world as a connector may use it, and who this deployment is there.

/** The app that this deployment is registered as with a network. */
export interface App {
  clientId: string;
  clientSecret: string;
  /** The scopes to request (`<PLATFORM>_SCOPES`); null: the usual scopes. */
  scopes: string[] | null;
}

/** This deployment as an OAuth client that servers know by the address of its description, without a registration. */
export interface OAuthClient {
  /** The address of the description. */
  id: string;
  /** The id of the key that new sessions are bound to; null: a public client, which has no key. */
  getActiveKey(): Promise<string | null>;
  /** Signs an assertion for an authorization server (RFC 7523); null if the deployment no longer has the key. */
  assert(key: string, issuer: string, now: number): Promise<string | null>;
}

/** The outside world as a connector may use it. */
export interface NetworkIO {
  /** null if this deployment has no app at the network. */
  app: App | null;
  /** Absent if this deployment has no address that servers of other operators can read. */
  client?: OAuthClient;
  /** The API version to use in calls; absent: the version in the network's rule. */
  apiVersion?: string;
  /** Calls one of the network's own hosts. In the sandbox the call goes to the simulator of that network. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Calls an address that a user or another server named. Throws `BlockedAddress` unless it is public. */
  fetchPublic(url: string, init?: RequestInit): Promise<Response>;
  /** The divisor for the size of an upload's chunks: 1, except in tests, which then need no large files. */
  chunksDivisor: number;
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms` milliseconds. Only for waits of a few seconds, and never while a post is being sent. */
  wait(ms: number): Promise<void>;
  /** `length` random bytes. */
  random(length: number): Uint8Array<ArrayBuffer>;
  /**
   * A body of known length from a stream, or from pieces of bytes and streams one after the other, so that the request
   * carries Content-Length and is never buffered.
   */
  sized(
    source: ReadableStream<Uint8Array> | AsyncGenerator<Uint8Array | ReadableStream<Uint8Array>>,
    bytes: number,
  ): ReadableStream<Uint8Array>;
}
