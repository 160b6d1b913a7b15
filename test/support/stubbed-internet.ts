// Replaces the internet for one test, in a worker that also serves workspaces of other test files.
import { vi } from "vitest";
import { testEnv } from "./env.ts";

/**
 * Answers every call of the worker except calls to the tests' own services, because workspaces of earlier files still publish and call
 * their webhooks. `vi.unstubAllGlobals` ends it.
 */
export function stubInternet(answer: (input: string, init?: RequestInit) => Promise<Response>): void {
  const { fetch } = globalThis;
  const peers = new Set([testEnv.RECEIVERS, testEnv.SIMULATORS].map((url) => new URL(url).origin));
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) =>
    peers.has(new URL(input).origin) ? fetch(input, init) : answer(input, init),
  );
}
