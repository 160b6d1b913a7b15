// The simulators of a test file, and calls of them over HTTP.
import { afterAll, beforeAll } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";

let simulators: Simulators;

/** Starts the simulators of the calling file. Each file starts its own, although the files share this module. */
export function useSimulators(): void {
  beforeAll(async () => {
    simulators = await startSimulators({ port: 0 });
  });
  afterAll(() => simulators.close());
}

export const toUrl = (path: string) => simulators.url + path;

export async function call<Body = { [key: string]: string }>(
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  method = body === undefined ? "GET" : "POST",
) {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(toUrl(path), { method, ...init, headers: { ...init.headers, ...headers } });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
}

/** The posts that the networks have accepted for an account. */
export async function ledger(account: string): Promise<LedgerEntry[]> {
  return (await call<{ ledger: LedgerEntry[] }>(`/_sim/ledger?account=${encodeURIComponent(account)}`)).body.ledger;
}
