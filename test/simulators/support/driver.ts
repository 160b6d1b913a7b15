// Simulators of a test file's own, and one call of them over HTTP.
import { afterAll, beforeAll } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { type Simulators, startSimulators } from "../../../simulators/server.ts";

let simulators: Simulators;

/** Called at the top of a test file. Files share this module, so each starts its own. */
export function useSimulators(): void {
  beforeAll(async () => {
    simulators = await startSimulators({ port: 0 });
  });
  afterAll(() => simulators.close());
}

export const address = (path: string) => simulators.url + path;

export async function call<Body = { [key: string]: string }>(
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  method = body === undefined ? "GET" : "POST",
) {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await fetch(address(path), { method, ...init, headers: { ...init.headers, ...headers } });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
}

/** What the networks accepted for an account. */
export async function ledger(account: string): Promise<LedgerEntry[]> {
  return (await call<{ ledger: LedgerEntry[] }>(`/_sim/ledger?account=${encodeURIComponent(account)}`)).body.ledger;
}
