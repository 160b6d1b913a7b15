// A call of a network whose access token is refused is made once more with a renewed one.
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/domain/json.ts";
import { withFreshToken } from "../../../src/follow-up/fresh-token.ts";
import type { ConnectorContext, Network } from "../../../src/networks/network.ts";
import { followedDelivery, networkWith, renewing, tokenOf } from "./followed-delivery.ts";

const UNAUTHORIZED = { is: "unauthorized", detail: "expired" } as const;
const DONE = { is: "done" } as const;

/** Makes a call of a network that refuses these tokens; `tokens`: those that it was called with. */
async function callWith(network: Network, refused: string[], parts: Parameters<typeof followedDelivery>[0] = {}) {
  const followed = await followedDelivery(parts);
  const tokens: Json[] = [];
  const call = async (context: ConnectorContext<Json>) => {
    const token = tokenOf(context);
    tokens.push(token);
    return refused.some((one) => one === token) ? UNAUTHORIZED : DONE;
  };
  const { tools, context } = followed;
  const made = await withFreshToken<typeof DONE>(tools, network, await followed.readChannel(), context, call);
  return { ...made, before: context, tokens, readChannel: followed.readChannel, logs: followed.logs };
}

describe("a call of a network", () => {
  it("is made once when its token is good", async () => {
    const { answer, context, before, tokens } = await callWith(renewing(), []);
    expect([answer, tokens]).toEqual([DONE, ["old"]]);
    expect(context).toBe(before);
  });

  it("is made again with a renewed token, which what comes after uses, too", async () => {
    const { answer, context, tokens, readChannel } = await callWith(renewing(), ["old"]);
    expect([answer, tokens]).toEqual([DONE, ["old", "new"]]);
    expect(tokenOf(context)).toBe("new");
    expect((await readChannel()).credentialId).not.toBe("old");
  });

  it("is made twice at most", async () => {
    const { answer, tokens } = await callWith(renewing(), ["old", "new"]);
    expect([answer, tokens]).toEqual([UNAUTHORIZED, ["old", "new"]]);
  });

  it("ends as the renewal does that the network refuses", async () => {
    const rejected = { is: "rejected", error: "token_revoked", detail: "revoked" } as const;
    const { answer, context, before, tokens, readChannel } = await callWith(
      networkWith({ refresh: async () => rejected }),
      ["old"],
    );
    expect([answer, tokens]).toEqual([rejected, ["old"]]);
    expect(context).toBe(before);
    expect(await readChannel()).toMatchObject({ credential: null, lostReason: "token_revoked" });
  });

  it("waits for a renewal that fails on our side", async () => {
    const outside = { databaseOf: () => expect.fail("the database is away") };
    const { answer, logs } = await callWith(networkWith({}), ["old"], { outside });
    expect(answer).toEqual({
      is: "retryable",
      error: "internal_error",
      detail: "renewing the credential failed on our side",
    });
    expect(logs).toMatchObject([{ level: "error", event: "renewal_failed", channel: "ch_1" }]);
  });

  it("waits for a credential that cannot be unsealed", async () => {
    const { answer, tokens } = await callWith(renewing(), ["old"], { channel: { credential: "v1.9.a.b" } });
    expect(answer).toMatchObject({ is: "retryable", error: "service_misconfigured" });
    expect(tokens).toEqual(["old"]);
  });
});
