// A hand that breaks off at each call of the database, in each way that a call can break off. Whatever it had done, the post is
// out once at most, and what is told of it is true.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { type Break, breakingDatabase, DAY_MS, deliverMessage, finishedInTime, tomorrow } from "../support/machine.ts";
import { age, connect, ledger, post, requiredOverrides, signUp, uploadJpeg } from "../support/world.ts";

/** More calls than a delivery makes. */
const CALLS_MAX = 20;

describe.each([
  { platform: "bluesky", picture: false, unknown: false },
  { platform: "instagram", picture: true, unknown: false },
  { platform: "x", picture: false, unknown: true },
  { platform: "pinterest", picture: true, unknown: true },
  { platform: "telegram", picture: false, unknown: true },
])("a hand that works for $platform", ({ platform, picture, unknown }) => {
  it.each<[string, Omit<Break, "call">]>([
    ["dies before a write", { committed: false, forGood: true }],
    ["dies after a write", { committed: true, forGood: true }],
    ["has a write fail", { committed: false, forGood: false }],
    ["loses the answer to a write", { committed: true, forGood: false }],
  ])(
    "%s: any of them",
    async (_, way) => {
      const account = await signUp();
      const { key, workspace } = account;
      const image = picture ? await uploadJpeg(account, { width: 400, height: 400 }) : null;
      let broke = 0;
      for (let call = 1; call <= CALLS_MAX; call++) {
        const channel = await connect(key, platform);
        const { id } = await post(key, {
          text: `break ${call}`,
          channels: [channel.id],
          overrides: requiredOverrides([channel]),
          publish_at: tomorrow(),
          ...(image === null ? {} : { media: [image.id] }),
        });
        await age(id, DAY_MS);
        const { db, use } = breakingDatabase(testEnv.DB, { call, ...way });
        await deliverMessage(workspace, channel.id, 1, { ...testEnv, DB: db });
        const done = await finishedInTime(workspace, key, id);
        const [delivery] = done.deliveries;
        const accepted = await ledger(channel.handle);
        const where = `call ${call}: ${JSON.stringify(delivery)}`;
        expect(accepted.length, where).toBeLessThanOrEqual(1);
        if (delivery?.status === "live") expect(accepted, where).toHaveLength(1);
        else expect({ told: delivery?.error, may: unknown }, where).toEqual({ told: "outcome_unknown", may: true });
        expect(await brokenInvariants(workspace), where).toEqual([]);
        if (use.calls < call) break;
        broke = call;
      }
      expect(broke).toBeGreaterThanOrEqual(3);
      expect(broke).toBeLessThan(CALLS_MAX);
    },
    60_000,
  );
});
