// Accounts and ready posts for the networks on which a post is a container first; their waits pass at once.

import type { Simulators } from "../../simulators/server.ts";
import type { PrepareOutcome } from "../../src/domain/delivery/outcome.ts";
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext, Network, Publication } from "../../src/networks/network.ts";
import { type Call, fault, makeIO, unique } from "./network-io.ts";

export interface Signed {
  handle: string;
  context: ConnectorContext<Json>;
  calls: Call[];
  /** Lets `ms` pass for the connector. */
  pass(ms: number): void;
}

/** A token as a machine hands it over; with `scopes`, one that has only those. */
export const tokenOf = (handle: string, scopes: string[] = []) => [`access-for-${handle}`, ...scopes].join("+");

/** A `NetworkIO` whose clock can be put forward. */
export function ioWithClock(simulators: Simulators, platform: string) {
  const io = makeIO(simulators, platform);
  let ahead = 0;
  const pass = (ms: number) => {
    ahead += ms;
  };
  return { io: { ...io, now: () => Date.now() + ahead }, pass };
}

/** A fresh account, connected by a token that was handed over. */
export async function connected(simulators: Simulators, network: Network, input: object = {}): Promise<Signed> {
  const handle = unique("user_");
  const { io, pass } = ioWithClock(simulators, network.rule.platform);
  const answer = await network.connect({ access_token: tokenOf(handle), ...input }, io);
  if (answer.is !== "connected") throw new Error(JSON.stringify(answer));
  io.calls.length = 0;
  return { handle, context: { credential: answer.credential, io }, calls: io.calls, pass };
}

/** Prepares until there is something other to say than that the network is still preparing. */
export async function prepare(
  network: Network,
  post: Publication<Json>,
  { context, pass }: Signed,
  publishKey: Json = null,
  onSave: (publishKey: Json) => void = () => {},
): Promise<PrepareOutcome> {
  let at = publishKey;
  for (let round = 0; round < 1_000; round++) {
    const answer = await network.prepare(post, context, at, async (saved) => {
      at = saved;
      onSave(saved);
    });
    if (answer.is !== "retryable" || answer.retryAt === undefined) return answer;
    pass(Math.max(0, answer.retryAt - context.io.now()));
  }
  throw new Error("it never gets ready");
}

export async function readyToken(network: Network, post: Publication<Json>, signed: Signed): Promise<Json> {
  const answer = await prepare(network, post, signed);
  if (answer.is !== "prepared") throw new Error(`not prepared: ${JSON.stringify(answer)}`);
  return answer.publishKey;
}

/** Scripts one misbehaviour of one account's calls. */
export const onCall = (simulators: Simulators, network: Network, { handle }: Signed, call: string, what: object) =>
  fault(simulators, { platform: network.rule.platform, account: handle, call, ...what });

/** An error answer of the Graph API. */
export const graphError = (code: number, subcode?: number, more: object = {}, status = 400) => ({
  do: "status",
  status,
  body: {
    error: { message: "said", type: "OAuthException", code, error_subcode: subcode, fbtrace_id: "A1", ...more },
  },
});
