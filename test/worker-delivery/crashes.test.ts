// Breaks each database call of a publisher in each way. Whatever it had already done, the post is published at most
// once, and its reported status is true. An unknown outcome is reported only if no process knows how the send ended.

import { describe, expect, it } from "vitest";
import { type Break, breakingDatabase } from "../support/breaking-db.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, finishedInTime } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { sampleWays } from "../support/sampled.ts";
import {
  type Account,
  connect,
  ledger,
  post,
  requiredOverrides,
  signUp,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

/** More calls than a delivery makes. */
const CALLS_MAX = 25;

interface PlatformCase {
  platform: string;
  file?: "picture" | "video";
  options?: object;
  /** True if the network cannot tell what became of a send whose publisher has died. */
  unknowable: boolean;
}

const PLATFORM_CASES: PlatformCase[] = [
  { platform: "bluesky", unknowable: false },
  { platform: "instagram", file: "picture", unknowable: false },
  { platform: "facebook", unknowable: true },
  { platform: "threads", unknowable: false },
  { platform: "x", unknowable: true },
  { platform: "linkedin", unknowable: true },
  { platform: "pinterest", file: "picture", unknowable: true },
  { platform: "telegram", unknowable: true },
  { platform: "youtube", file: "video", options: { title: "Film", made_for_kids: false }, unknowable: false },
  { platform: "tiktok", file: "video", options: { privacy_level: "PUBLIC_TO_EVERYONE" }, unknowable: true },
];

const WAYS: [string, Omit<Break, "call">][] = [
  ["dies before a call", { committed: false, how: "dies" }],
  ["dies after a call", { committed: true, how: "dies" }],
  ["gets no answer to a call that was not carried out", { committed: false, how: "once" }],
  ["gets no answer to a call that was carried out", { committed: true, how: "once" }],
  ["gets no answers any more, from a call that was not carried out", { committed: false, how: "away" }],
  ["gets no answers any more, from a call that was carried out", { committed: true, how: "away" }],
];

describe.each(PLATFORM_CASES.map((platformCase, index) => ({ ...platformCase, index })))(
  "a publisher of $platform",
  ({ platform, file, options, unknowable, index }) => {
    /** A post that is due on a channel of its own. */
    async function createDuePost(account: Account, text: string) {
      const channel = await connect(account.key, platform);
      const overrides = options === undefined ? requiredOverrides([channel]) : { [channel.id]: options };
      const media = upload === null ? [] : [(await upload(account)).id];
      const publish_at = tomorrow();
      const { id } = await post(account.key, { text, channels: [channel.id], overrides, publish_at, media });
      await age(id, DAY_MS);
      return { channel, id };
    }
    const uploads = {
      picture: (account: Account) => uploadJpeg(account, { width: 400, height: 400 }),
      video: (account: Account) => uploadVideo(account, 4_096),
    };
    const upload = file === undefined ? null : uploads[file];

    it.each(sampleWays(WAYS, index))(
      "publishes the post at most once and reports the truth if it %s, at every call",
      async (_, failure) => {
        const account = await signUp();
        const { key, workspace } = account;
        let lastBrokenCall = 0;
        for (let call = 1; call <= CALLS_MAX; call++) {
          const { channel, id } = await createDuePost(account, `break ${call}`);
          const { db, use, died } = breakingDatabase(testEnv.DB, { call, ...failure });
          const storage = memoryStorage();
          const publisher = await ownPublisher(workspace, channel.id, { db, storage });
          await Promise.race([publisher.work(), died]);
          const storageAfterCrash = storage.reopened();
          const finishedPost = await finishedInTime(workspace, key, id, async () => {
            await (await ownPublisher(workspace, channel.id, { storage: storageAfterCrash })).work();
          });
          const [delivery] = finishedPost.deliveries;
          const accepted = await ledger(channel.handle);
          const label = `call ${call}: ${JSON.stringify(delivery)}`;
          expect(accepted.length, label).toBeLessThanOrEqual(1);
          if (delivery?.status === "live") expect(accepted, label).toHaveLength(1);
          else {
            const mayBeUnknown = unknowable && failure.how === "dies";
            expect({ reported: delivery?.error, may: mayBeUnknown }, label).toEqual({
              reported: "outcome_unknown",
              may: true,
            });
          }
          expect(await brokenInvariants(workspace), label).toEqual([]);
          if (use.calls < call) break;
          lastBrokenCall = call;
        }
        expect(lastBrokenCall).toBeGreaterThanOrEqual(3);
        expect(lastBrokenCall).toBeLessThan(CALLS_MAX);
      },
    );
  },
);
