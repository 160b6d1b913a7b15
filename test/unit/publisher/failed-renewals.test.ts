// A failed renewal is remembered for its channel, so that its deliveries do not each ask the network at once.
import { expect, it } from "vitest";
import { Credentials } from "../../../src/delivery/credentials.ts";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext, nodeNetworkIO, seal } from "../../support/node-context.ts";
import { followedDelivery, networkWith } from "../follow-up/followed-delivery.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";

const SECOND_MS = 1_000;
const AWAY = { is: "retryable", error: "network_unavailable", detail: "HTTP 503" } as const;

/** A channel whose access token has ended, and the network that fails to renew it. */
async function channelToRenew({ endsAt = NOW }: { endsAt?: number } = {}) {
  const { readChannel } = await followedDelivery({ credential: { token: "ended" } });
  const channel = await readChannel();
  let now = NOW;
  const asked: number[] = [];
  const network = networkWith({
    refreshAt: () => NOW - 1,
    endsAt: () => endsAt,
    refresh: async () => {
      asked.push((now - NOW) / SECOND_MS);
      return AWAY;
    },
  });
  const ctx = { ...nodeContext(db, NOW, { seal }), now: () => now };
  const io = nodeNetworkIO(ctx.now, () => expect.fail("no call is made by itself"));
  const credentials = new Credentials(ctx, new Unwritten(memoryStorage()));
  const ready = (afterMs: number) => {
    now = NOW + afterMs;
    return credentials.ready(network, channel, io);
  };
  return { ready, asked };
}

it("a delivery that meets it waits until the next renewal, and has not used up a try", async () => {
  const { ready, asked } = await channelToRenew();
  expect(await ready(0)).toEqual(AWAY);
  expect(await ready(9 * SECOND_MS)).toEqual({ ...AWAY, untriedUntil: NOW + 20 * SECOND_MS });
  expect(await ready(20 * SECOND_MS)).toEqual(AWAY);
  expect(asked).toEqual([0, 20]);
});

it("it is remembered longer after each failure in a row, for ten minutes at most", async () => {
  const { ready, asked } = await channelToRenew();
  for (let afterMs = 0; afterMs < HOUR_MS; afterMs += 10 * SECOND_MS) await ready(afterMs);
  expect(asked).toEqual([0, 20, 60, 140, 300, 620, 1_220, 1_820, 2_420, 3_020]);
});

it("a token that is still good is used while its renewal fails", async () => {
  const { ready } = await channelToRenew({ endsAt: NOW + 30 * MINUTE_MS });
  for (const afterMs of [0, 9 * SECOND_MS]) expect(await ready(afterMs)).toMatchObject({ is: "usable" });
});
