// A call whose access token is refused is repeated once with a renewed one.
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/domain/json.ts";
import { withFreshToken } from "../../../src/follow-up/fresh-token.ts";
import type { ConnectorContext, Network } from "../../../src/networks/network.ts";
import { followedDelivery, getToken, makeNetwork, makeRenewing } from "./followed-delivery.ts";

const UNAUTHORIZED = { is: "unauthorized", detail: "expired" } as const;
const DONE = { is: "done" } as const;

/** Calls a network that refuses the tokens in `refused`, and records the tokens of all calls in `tokens`. */
async function callWith(network: Network, refused: string[], parts: Parameters<typeof followedDelivery>[0] = {}) {
  const followed = await followedDelivery(parts);
  const tokens: Json[] = [];
  const call = async (context: ConnectorContext<Json>) => {
    const token = getToken(context);
    tokens.push(token);
    return refused.some((refusedToken) => refusedToken === token) ? UNAUTHORIZED : DONE;
  };
  const { tools, context } = followed;
  const result = await withFreshToken<typeof DONE>(tools, network, await followed.readChannel(), context, call);
  return { ...result, before: context, tokens, readChannel: followed.readChannel, logs: followed.logs };
}

describe("a call of a network", () => {
  it("a call is made once if its token is accepted", async () => {
    const { answer, context, before, tokens } = await callWith(makeRenewing(), []);
    expect([answer, tokens]).toEqual([DONE, ["old"]]);
    expect(context).toBe(before);
  });

  it("a call is repeated with a renewed token, which later calls also use", async () => {
    const { answer, context, tokens, readChannel } = await callWith(makeRenewing(), ["old"]);
    expect([answer, tokens]).toEqual([DONE, ["old", "new"]]);
    expect(getToken(context)).toBe("new");
    expect((await readChannel()).credentialId).not.toBe("old");
  });

  it("a call is made twice at most", async () => {
    const { answer, tokens } = await callWith(makeRenewing(), ["old", "new"]);
    expect([answer, tokens]).toEqual([UNAUTHORIZED, ["old", "new"]]);
  });

  it("a call fails like the renewal if the network refuses to renew", async () => {
    const rejected = { is: "rejected", error: "token_revoked", detail: "revoked" } as const;
    const { answer, context, before, tokens, readChannel } = await callWith(
      makeNetwork({ refresh: async () => rejected }),
      ["old"],
    );
    expect([answer, tokens]).toEqual([rejected, ["old"]]);
    expect(context).toBe(before);
    expect(await readChannel()).toMatchObject({ credential: null, lostReason: "token_revoked" });
  });

  it("a call is retried later if the renewal fails on our side", async () => {
    const outside = { databaseOf: () => expect.fail("the database is away") };
    const { answer, logs } = await callWith(makeNetwork({}), ["old"], { outside });
    expect(answer).toEqual({
      is: "retryable",
      error: "internal_error",
      detail: "renewing the credential failed on our side",
    });
    expect(logs).toMatchObject([{ level: "error", event: "renewal_failed", channel: "ch_1" }]);
  });

  it("a call is retried later if the credential cannot be unsealed", async () => {
    const { answer, tokens } = await callWith(makeRenewing(), ["old"], { channel: { credential: "v1.9.a.b" } });
    expect(answer).toMatchObject({ is: "retryable", error: "service_misconfigured" });
    expect(tokens).toEqual(["old"]);
  });
});
