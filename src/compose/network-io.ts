// The fetch of connectors. In the sandbox, calls to a network go to its simulator.
import type { Call, Outbound } from "../adapters/outbound.ts";
import { pause } from "../adapters/pause.ts";
import type { Allowance } from "../domain/work-allowance.ts";
import { findNetwork, readApi } from "../networks/index.ts";
import type { NetworkIO, OAuthClient } from "../networks/network.ts";
import type { Settings } from "../settings.ts";

/** The path and the query of an address. A regular expression is cheaper than building a `URL`. */
const BEHIND_HOST = /^[^:/]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/;

/** The maximum length of an address that a connector calls. Some addresses are long, because their query has a token. */
const NAMED_LENGTH_MAX = 20_000;

/**
 * In the sandbox, every host of a network maps to the network's simulator. An address that the simulator itself returned
 * stays unchanged.
 */
export function resolveUrl(platform: string, { sandboxUrl }: Settings, url: string): string {
  if (sandboxUrl === null || url.startsWith(`${sandboxUrl}/${platform}/`)) return url;
  const [, path, search = ""] = BEHIND_HOST.exec(url) ?? [];
  return `${sandboxUrl}/${platform}${path || "/"}${search}`;
}

/** Writes the pieces in order. The runtime pipes streams itself, so the content of files does not use isolate memory. */
async function writePieces(
  pieces: AsyncGenerator<Uint8Array | ReadableStream<Uint8Array>>,
  to: WritableStream<Uint8Array>,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (piece instanceof ReadableStream) {
        await piece.pipeTo(to, { preventClose: true });
        continue;
      }
      const writer = to.getWriter();
      await writer.write(piece);
      writer.releaseLock();
    }
    await to.close();
  } catch (error) {
    await to.abort(error).catch(() => {});
    throw error;
  }
}

/** A `fetch` that charges each call to the allowance of the invocation before making it. */
export function limitCalls(allowance: Allowance | null): Call {
  if (allowance === null) return fetch;
  return async (url, init) => {
    await allowance.take("fetches", 1);
    return fetch(url, init);
  };
}

export function makeNetworkIO(
  platform: string,
  settings: Settings,
  { outbound, call, client }: { outbound: Outbound; call: Call; client: OAuthClient | null },
): NetworkIO {
  const sandbox = settings.sandboxUrl === null ? null : `${settings.sandboxUrl}/${platform}`;
  const network = findNetwork(platform);
  const apiVersion = network && readApi(network, settings.apiVersions).version;
  return {
    ...(apiVersion && { apiVersion }),
    app: settings.appOf(platform),
    ...(client && { client }),
    async fetch(url, init) {
      // Most addresses are constants of the connector. Upload addresses come from the network, which must not make us call
      // our own hosts.
      if (sandbox === null && typeof outbound.check(url, NAMED_LENGTH_MAX) === "string")
        throw new TypeError("the network names an address that is not public");
      return call(resolveUrl(platform, settings, url), { ...init, redirect: "manual" });
    },
    fetchPublic: (url, init) =>
      sandbox !== null && url.startsWith(`${sandbox}/`)
        ? call(url, { ...init, redirect: "manual" })
        : outbound.fetch(url, init),
    chunksDivisor: settings.uploadChunksDivisor,
    now: Date.now,
    wait: (ms) => pause(ms),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sized(source, bytes) {
      const { readable, writable } = new FixedLengthStream(bytes);
      // If the source breaks or has the wrong length, the request fails too. The request reports that error, not this promise.
      const completion = source instanceof ReadableStream ? source.pipeTo(writable) : writePieces(source, writable);
      completion.catch(() => {});
      return readable;
    },
  };
}
