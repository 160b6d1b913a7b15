// A connected LinkedIn account, and rejections for its calls.
import { expect } from "vitest";
import { memberUrn, pageUrn } from "../../simulators/linkedin/directory.ts";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const tokens = (name: string) => ({ access_token: `access-for-${name}`, refresh_token: `refresh-for-${name}` });

export async function account(kind: "page" | "member", io = makeIO(simulators, "linkedin")) {
  const name = unique("linked");
  const account_id = kind === "page" ? pageUrn(name) : memberUrn(name);
  const connected = await linkedin.connect({ ...tokens(name), account_id }, io);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  return { name, handle: connected.handle, connected, context, io };
}
export const refuse = (account: string, call: string, status: number, body: object, headers = {}) =>
  fault(simulators, { platform: "linkedin", account, call, do: "status", status, body, headers });
