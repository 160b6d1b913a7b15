// The internet of one test, in a worker that it shares with workspaces of other files.
import { vi } from "vitest";
import { testEnv } from "./env.ts";

/**
 * Answers every call of the worker but those to the tests' own peers: workspaces of files that ran before still publish, and
 * call their webhooks. `vi.unstubAllGlobals` ends it.
 */
export function stubInternet(answer: (input: string, init?: RequestInit) => Promise<Response>): void {
  const { fetch } = globalThis;
  const peers = new Set([testEnv.RECEIVERS, testEnv.SIMULATORS].map((url) => new URL(url).origin));
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) =>
    peers.has(new URL(input).origin) ? fetch(input, init) : answer(input, init),
  );
}
