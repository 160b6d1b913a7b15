// A connected X account, and rejections for its calls.
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { x } from "../../src/networks/x/index.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export async function account(name = unique("user")) {
  const io = makeIO(simulators, "x");
  const input = { access_token: `access-for-${name}`, refresh_token: `refresh-for-${name}` };
  const connected = await x.connect(input, io);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  return { name: `@${name}`, connected, context, io };
}
export const refuse = (name: string, call: string, status: number, body: object | string, headers = {}) =>
  fault(simulators, { platform: "x", account: name, call, do: "status", status, body, headers });

/** Prepares as long as the network is still processing. */
export async function prepareKey(
  post: Publication<Json>,
  context: ConnectorContext<Json>,
  savedKeys: Json[] = [],
): Promise<Json> {
  for (let i = 0; i < 5; i++) {
    const answer = await x.prepare(
      post,
      context,
      savedKeys.at(-1) ?? null,
      async (publishKey) => void savedKeys.push(publishKey),
    );
    if (answer.is === "prepared") return answer.publishKey;
    if (answer.is !== "retryable" || answer.retryAt === undefined) throw new Error(JSON.stringify(answer));
  }
  throw new Error("it was never ready");
}
