// A publisher whose call of the database goes wrong, each of them in each way. Whatever it had done, the post is out once at
// most, and what is told of it is true; and as long as somebody still knows how the send ended, nobody says that it is unknown.

import { describe, expect, it } from "vitest";
import { type Break, breakingDatabase } from "../support/breaking-db.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, finishedInTime } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { sampled } from "../support/sampled.ts";
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

interface Kind {
  platform: string;
  file?: "picture" | "video";
  options?: object;
  /** Whether nobody can find out what became of a send whose sender has died. */
  unknowable: boolean;
}

const KINDS: Kind[] = [
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
  ["gets no answer to a call, which was not carried out", { committed: false, how: "once" }],
  ["gets no answer to a call, which was carried out", { committed: true, how: "once" }],
  ["gets no answer from a call on, which was not carried out", { committed: false, how: "away" }],
  ["gets no answer from a call on, the first of which was carried out", { committed: true, how: "away" }],
];

describe.each(KINDS.map((kind, index) => ({ ...kind, index })))(
  "a publisher of $platform",
  ({ platform, file, options, unknowable, index }) => {
    /** A post that is due on a channel of its own. */
    async function due(account: Account, text: string) {
      const channel = await connect(account.key, platform);
      const overrides = options === undefined ? requiredOverrides([channel]) : { [channel.id]: options };
      const media = fileOf === null ? [] : [(await fileOf(account)).id];
      const publish_at = tomorrow();
      const { id } = await post(account.key, { text, channels: [channel.id], overrides, publish_at, media });
      await age(id, DAY_MS);
      return { channel, id };
    }
    const uploads = {
      picture: (account: Account) => uploadJpeg(account, { width: 400, height: 400 }),
      video: (account: Account) => uploadVideo(account, 4_096),
    };
    const fileOf = file === undefined ? null : uploads[file];

    it.each(sampled(WAYS, index))("%s: any of them", async (_, way) => {
      const account = await signUp();
      const { key, workspace } = account;
      let broke = 0;
      for (let call = 1; call <= CALLS_MAX; call++) {
        const { channel, id } = await due(account, `break ${call}`);
        const { db, use, died } = breakingDatabase(testEnv.DB, { call, ...way });
        const storage = memoryStorage();
        const first = await ownPublisher(workspace, channel.id, { db, storage });
        await Promise.race([first.work(), died]);
        const left = storage.reopened();
        const done = await finishedInTime(workspace, key, id, async () => {
          await (await ownPublisher(workspace, channel.id, { storage: left })).work();
        });
        const [delivery] = done.deliveries;
        const accepted = await ledger(channel.handle);
        const where = `call ${call}: ${JSON.stringify(delivery)}`;
        expect(accepted.length, where).toBeLessThanOrEqual(1);
        if (delivery?.status === "live") expect(accepted, where).toHaveLength(1);
        else {
          const may = unknowable && way.how === "dies";
          expect({ reported: delivery?.error, may }, where).toEqual({ reported: "outcome_unknown", may: true });
        }
        expect(await brokenInvariants(workspace), where).toEqual([]);
        if (use.calls < call) break;
        broke = call;
      }
      expect(broke).toBeGreaterThanOrEqual(3);
      expect(broke).toBeLessThan(CALLS_MAX);
    });
  },
);
