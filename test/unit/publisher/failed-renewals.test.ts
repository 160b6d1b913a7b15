// A failed renewal is stored for its channel, so that the channel's deliveries do not all call the network.
import { expect, it } from "vitest";
import { Credentials } from "../../../src/delivery/credentials.ts";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext, nodeNetworkIO, seal } from "../../support/node-context.ts";
import { followedDelivery, makeNetwork } from "../follow-up/followed-delivery.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";

const SECOND_MS = 1_000;
const AWAY = { is: "retryable", error: "network_unavailable", detail: "HTTP 503" } as const;

/** Sets up a channel whose access token has expired, on a network that fails to renew it. `renewals` lists the seconds of the attempts. */
async function setUpChannel({ endsAt = NOW }: { endsAt?: number } = {}) {
  const { readChannel } = await followedDelivery({ credential: { token: "ended" } });
  const channel = await readChannel();
  let now = NOW;
  const renewals: number[] = [];
  const network = makeNetwork({
    refreshAt: () => NOW - 1,
    endsAt: () => endsAt,
    refresh: async () => {
      renewals.push((now - NOW) / SECOND_MS);
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
  return { ready, renewals };
}

it("a delivery waits for the next renewal after a failed one, without using up an attempt", async () => {
  const { ready, renewals } = await setUpChannel();
  expect(await ready(0)).toEqual(AWAY);
  expect(await ready(9 * SECOND_MS)).toEqual({ ...AWAY, untriedUntil: NOW + 20 * SECOND_MS });
  expect(await ready(20 * SECOND_MS)).toEqual(AWAY);
  expect(renewals).toEqual([0, 20]);
});

it("the wait after a failed renewal grows with each failure, up to ten minutes", async () => {
  const { ready, renewals } = await setUpChannel();
  for (let afterMs = 0; afterMs < HOUR_MS; afterMs += 10 * SECOND_MS) await ready(afterMs);
  expect(renewals).toEqual([0, 20, 60, 140, 300, 620, 1_220, 1_820, 2_420, 3_020]);
});

it("a valid token is used while its renewal fails", async () => {
  const { ready } = await setUpChannel({ endsAt: NOW + 30 * MINUTE_MS });
  for (const afterMs of [0, 9 * SECOND_MS]) expect(await ready(afterMs)).toMatchObject({ is: "usable" });
});
