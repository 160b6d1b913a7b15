// A renewed credential is never lost: neither to a database that does not take it, nor to the end of the object that has it.
// Some refresh tokens are good for one exchange only, so that losing the new one is losing the channel.
import { describe, expect, it } from "vitest";
import { type Break, breakingDatabase } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { duePost } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { sampled } from "../support/sampled.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  getPost,
  ledger,
  requiredOverrides,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

interface Kind {
  platform: string;
  file?: "picture" | "video";
  options?: object;
  /** Whether an access token that has expired can be renewed. */
  renews: boolean;
}
const OAUTH: Kind[] = [
  { platform: "x", renews: true },
  // A renewal leaves its refresh token as it is, and a refusal of a young access token is waited out.
  { platform: "linkedin", renews: false },
  { platform: "pinterest", file: "picture", renews: true },
  { platform: "tiktok", file: "video", options: { privacy_level: "PUBLIC_TO_EVERYONE" }, renews: true },
  { platform: "youtube", file: "video", options: { title: "Film", made_for_kids: false }, renews: true },
  { platform: "facebook", renews: false },
  { platform: "instagram", file: "picture", renews: false },
  { platform: "threads", renews: false },
];
/** The statement that stores a renewed credential, and no other. */
const STORE = /update "channels" set "credential" = \?/i;

interface Row {
  credential: string | null;
  lost_reason: string | null;
}
const rowOf = async ({ id }: ChannelBody) =>
  (await testEnv.DB.prepare("SELECT credential, lost_reason FROM channels WHERE id = ?").bind(id).first<Row>()) ??
  expect.fail("no such channel");

const WAYS: [string, Omit<Break, "call" | "of">][] = [
  ["a store that was not carried out and had no answer", { committed: false, how: "once" }],
  ["a store that was carried out and had no answer", { committed: true, how: "once" }],
  ["a database that stays away from the store on", { committed: false, how: "away" }],
  ["a database that stays away after the store", { committed: true, how: "away" }],
  ["an object that ends before the store", { committed: false, how: "dies" }],
  ["an object that ends after the store", { committed: true, how: "dies" }],
];

describe.each(OAUTH.map((kind, index) => ({ ...kind, index })))(
  "on $platform",
  ({ platform, file, options, renews, index }) => {
    async function filesOf(account: Account): Promise<string[]> {
      if (file === "picture") return [(await uploadJpeg(account, { width: 400, height: 400 })).id];
      return file === "video" ? [(await uploadVideo(account, 4_096)).id] : [];
    }

    it.each(sampled(WAYS, index))("%s loses no channel", async (_, way) => {
      const account = await signUp();
      const { key, workspace } = account;
      const channel = await connect(key, platform);
      const { credential: before } = await rowOf(channel);
      await testEnv.DB.prepare("UPDATE channels SET renew_at = 1 WHERE id = ?").bind(channel.id).run();
      const { db, use, died } = breakingDatabase(testEnv.DB, { call: 1, of: STORE, ...way });
      const storage = memoryStorage();
      const first = await ownPublisher(workspace, channel.id, { db, storage });
      await first.publisher.followUp(first.lane, { kind: "renew_credential", channel: channel.id });
      await Promise.race([first.work(), died]);
      expect(use.calls).toBeGreaterThanOrEqual(1);

      const left = storage.reopened();
      const media = await filesOf(account);
      const overrides = options === undefined ? requiredOverrides([channel]) : { [channel.id]: options };
      for (const text of ["with the new token", "with the one after it"]) {
        const { id } = await duePost(account, channel, { text, media, overrides });
        const next = await ownPublisher(workspace, channel.id, { storage: left });
        for (let i = 0; i < 5 && (await getPost(key, id)).status !== "published"; i++) {
          await next.work();
          // A network that is still at work is asked again at once.
          await testEnv.DB.prepare("UPDATE deliveries SET next_at = 1 WHERE post_id = ? AND next_at IS NOT NULL")
            .bind(id)
            .run();
        }
        expect((await getPost(key, id)).deliveries).toMatchObject([{ status: "live", error: null }]);
        const after = await rowOf(channel);
        expect(after.lost_reason).toBeNull();
        // A page's own token is read again and may be the same; everything is sealed anew.
        expect(after.credential).not.toBe(before);
        // Whoever has forgotten the new refresh token cannot renew any more.
        if (renews) await fault({ platform, account: channel.handle, expire_token: true });
      }
      expect(await ledger(channel.handle)).toHaveLength(2);
      expect([...left.values.keys()].filter((name) => /^(credential|renewal):/.test(name))).toEqual([]);
    });
  },
);

describe("an object that has been replaced by another one", () => {
  /** A channel whose access token ends in a while, seen by an object whose clock is hours ahead. */
  async function expiring() {
    const account = await signUp();
    const name = unique("ada");
    const credentials = {
      access_token: `access-for-${name}`,
      refresh_token: `refresh-for-${name}`,
      expires_at: new Date(Date.now() + 7_200_000).toISOString(),
    };
    const body = { platform: "x", handle: `@${name}`, credentials };
    const { body: channel } = await call<ChannelBody>("POST", "/v1/channels", { token: account.key, body });
    return { account, channel };
  }

  it("does not call for a renewal: its storage says first that it is not the one any more", async () => {
    const { account, channel } = await expiring();
    const { id } = await duePost(account, channel);
    const before = await rowOf(channel);
    const calls: string[] = [];
    const storage = {
      ...memoryStorage(),
      sync: async () => {
        throw new Error("Durable Object reset because its code was updated.");
      },
    };
    const counted = networksVia((url, act) => {
      calls.push(url);
      return act();
    });
    const now = () => Date.now() + 3 * 3_600_000;
    const replaced = await ownPublisher(account.workspace, channel.id, {
      storage,
      world: (ctx) => ({ ...counted(ctx), now }),
    });
    await replaced.work();
    expect(calls).toEqual([]);
    expect(await rowOf(channel)).toEqual(before);
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ error: null, attempts: 0 });
    await (await ownPublisher(account.workspace, channel.id)).work();
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
  });
});
