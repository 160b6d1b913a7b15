// Accounts and prepared posts for the networks on which a post is a container first. Waiting takes no real time.

import type { Simulators } from "../../simulators/server.ts";
import type { PrepareOutcome } from "../../src/domain/delivery/outcome.ts";
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext, Network, Publication } from "../../src/networks/network.ts";
import { type Call, fault, makeIO, unique } from "./network-io.ts";

export interface ConnectedAccount {
  handle: string;
  context: ConnectorContext<Json>;
  calls: Call[];
  /** Moves the connector's clock forward by `ms`. */
  pass(ms: number): void;
}

/** A token as a program hands it over. With `scopes`, a token that has only those scopes. */
export const buildToken = (handle: string, scopes: string[] = []) => [`access-for-${handle}`, ...scopes].join("+");

/** A `NetworkIO` whose clock can be moved forward. */
export function makeIOWithClock(simulators: Simulators, platform: string) {
  const io = makeIO(simulators, platform);
  let ahead = 0;
  const pass = (ms: number) => {
    ahead += ms;
  };
  return { io: { ...io, now: () => Date.now() + ahead }, pass };
}

/** A new account, connected by a token that was handed over. */
export async function connectAccount(
  simulators: Simulators,
  network: Network,
  input: object = {},
): Promise<ConnectedAccount> {
  const handle = unique("user_");
  const { io, pass } = makeIOWithClock(simulators, network.rule.platform);
  const answer = await network.connect({ access_token: buildToken(handle), ...input }, io);
  if (answer.is !== "connected") throw new Error(JSON.stringify(answer));
  io.calls.length = 0;
  return { handle, context: { credential: answer.credential, io }, calls: io.calls, pass };
}

/** Prepares until the network no longer answers that it is still preparing. */
export async function prepare(
  network: Network,
  post: Publication<Json>,
  { context, pass }: ConnectedAccount,
  publishKey: Json = null,
  onSave: (publishKey: Json) => void = () => {},
): Promise<PrepareOutcome> {
  let currentKey = publishKey;
  for (let round = 0; round < 1_000; round++) {
    const answer = await network.prepare(post, context, currentKey, async (saved) => {
      currentKey = saved;
      onSave(saved);
    });
    if (answer.is !== "retryable" || answer.retryAt === undefined) return answer;
    pass(Math.max(0, answer.retryAt - context.io.now()));
  }
  throw new Error("it never gets ready");
}

export async function prepareKey(network: Network, post: Publication<Json>, account: ConnectedAccount): Promise<Json> {
  const answer = await prepare(network, post, account);
  if (answer.is !== "prepared") throw new Error(`not prepared: ${JSON.stringify(answer)}`);
  return answer.publishKey;
}

/** Scripts one fault of an account's calls. */
export const faultCall = (
  simulators: Simulators,
  network: Network,
  { handle }: ConnectedAccount,
  call: string,
  faultFields: object,
) => fault(simulators, { platform: network.rule.platform, account: handle, call, ...faultFields });

/** An error answer of the Graph API. */
export const graphError = (code: number, subcode?: number, fields: object = {}, status = 400) => ({
  do: "status",
  status,
  body: {
    error: { message: "said", type: "OAuthException", code, error_subcode: subcode, fbtrace_id: "A1", ...fields },
  },
});
