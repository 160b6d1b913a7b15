// The `NetworkIO` of a live check: every call is timed, and compared with the network's description.
import { setTimeout as wait } from "node:timers/promises";
import { createOutbound, resolveHost } from "../../src/adapters/outbound.ts";
import { findNetwork } from "../../src/networks/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import type { Settings } from "../../src/settings.ts";
import { record } from "../networks/descriptions/recorder.ts";
import { joinPieces } from "../support/joined.ts";
import { makeLoopbackClient } from "./loopback-client.ts";

/** A call without its query, which may contain a secret. */
export interface TimedCall {
  name: string;
  ms: number;
  /** Null: there was no answer. */
  status: number | null;
}

/** Adds each call to `calls`. */
export function timed(io: NetworkIO, calls: TimedCall[]): NetworkIO {
  const time =
    (go: NetworkIO["fetch"]): NetworkIO["fetch"] =>
    async (url, init) => {
      const { host, pathname } = new URL(url);
      const call: TimedCall = { name: `${init?.method ?? "GET"} ${host}${pathname}`, ms: 0, status: null };
      calls.push(call);
      const startedAt = performance.now();
      try {
        const answer = await go(url, init);
        call.status = answer.status;
        return answer;
      } finally {
        call.ms = Math.round(performance.now() - startedAt);
      }
    };
  return { ...io, fetch: time((url, init) => io.fetch(url, init)), fetchPublic: time(io.fetchPublic) };
}

/** The files of a live check are small, so they are sent as a whole and the runtime states their length. */
async function readBody(init: RequestInit): Promise<RequestInit> {
  if (!(init.body instanceof ReadableStream)) return init;
  return { ...init, body: await new Response(init.body).arrayBuffer() };
}

export function liveIO(platform: string, settings: Settings): NetworkIO {
  const outbound = createOutbound({ allowPrivate: settings.allowPrivateAddresses, ownHosts: [] }, resolveHost);
  const sandbox = settings.sandboxUrl === null ? null : `${settings.sandboxUrl}/${platform}`;
  const go = (url: string, init: RequestInit, host: string | null, call: NetworkIO["fetch"]) => {
    const path = sandbox !== null && url.startsWith(`${sandbox}/`) ? `http://named${url.slice(sandbox.length)}` : url;
    const { pathname, search } = new URL(path);
    return record({ platform, host, pathname, search }, init, async (request) => call(url, await readBody(request)));
  };
  const direct: NetworkIO["fetch"] = (url, init) => fetch(url, { ...init, redirect: "manual" });
  const byHandle = findNetwork(platform)?.consentByHandle;
  return {
    app: settings.appOf(platform),
    ...(byHandle && { client: makeLoopbackClient(byHandle.permissions) }),
    fetch(url, init = {}) {
      const { host, pathname, search } = new URL(url);
      if (sandbox === null) return go(url, init, host, direct);
      // An address that the simulator itself returned is used unchanged.
      if (url.startsWith(`${sandbox}/`)) return go(url, init, null, direct);
      return go(`${sandbox}${pathname}${search}`, init, host, direct);
    },
    fetchPublic(url, init = {}) {
      const isSimulator = sandbox !== null && url.startsWith(`${sandbox}/`);
      return go(url, init, null, isSimulator ? direct : outbound.fetch);
    },
    chunksDivisor: settings.uploadChunksDivisor,
    now: Date.now,
    wait: (ms) => wait(ms),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sized: joinPieces,
  };
}
