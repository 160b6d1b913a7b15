// A renewed credential is never lost, even if the database rejects it or the object that holds it ends. Some refresh
// tokens allow one exchange only, so that a lost new token means a lost channel.
import { describe, expect, it } from "vitest";
import { type Break, breakingDatabase } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { duePost } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { sampleWays } from "../support/sampled.ts";
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

interface PlatformCase {
  platform: string;
  file?: "picture" | "video";
  options?: object;
  /** True if an expired access token can be renewed. */
  renews: boolean;
}
const OAUTH: PlatformCase[] = [
  { platform: "x", renews: true },
  // A renewal does not change LinkedIn's refresh token, and Crier waits if LinkedIn refuses a young access token.
  { platform: "linkedin", renews: false },
  { platform: "pinterest", file: "picture", renews: true },
  { platform: "tiktok", file: "video", options: { privacy_level: "PUBLIC_TO_EVERYONE" }, renews: true },
  { platform: "youtube", file: "video", options: { title: "Film", made_for_kids: false }, renews: true },
  { platform: "facebook", renews: false },
  { platform: "instagram", file: "picture", renews: false },
  { platform: "threads", renews: false },
];
/** Matches only the statement that stores a renewed credential. */
const STORE = /update "channels" set "credential" = \?/i;

interface Row {
  credential: string | null;
  lost_reason: string | null;
}
const getRow = async ({ id }: ChannelBody) =>
  (await testEnv.DB.prepare("SELECT credential, lost_reason FROM channels WHERE id = ?").bind(id).first<Row>()) ??
  expect.fail("no such channel");

const FAILURES: [string, Omit<Break, "call" | "of">][] = [
  ["a store that was not carried out and got no answer", { committed: false, how: "once" }],
  ["a store that was carried out and got no answer", { committed: true, how: "once" }],
  ["a database that is unreachable from the store on", { committed: false, how: "away" }],
  ["a database that is unreachable after the store", { committed: true, how: "away" }],
  ["an object that ends before the store", { committed: false, how: "dies" }],
  ["an object that ends after the store", { committed: true, how: "dies" }],
];

describe.each(OAUTH.map((platformCase, index) => ({ ...platformCase, index })))(
  "renewing a credential of $platform",
  ({ platform, file, options, renews, index }) => {
    async function uploadFiles(account: Account): Promise<string[]> {
      if (file === "picture") return [(await uploadJpeg(account, { width: 400, height: 400 })).id];
      return file === "video" ? [(await uploadVideo(account, 4_096)).id] : [];
    }

    it.each(sampleWays(FAILURES, index))("loses no channel because of %s", async (_, failure) => {
      const account = await signUp();
      const { key, workspace } = account;
      const channel = await connect(key, platform);
      const { credential: before } = await getRow(channel);
      await testEnv.DB.prepare("UPDATE channels SET renew_at = 1 WHERE id = ?").bind(channel.id).run();
      const { db, use, died } = breakingDatabase(testEnv.DB, { call: 1, of: STORE, ...failure });
      const storage = memoryStorage();
      const firstPublisher = await ownPublisher(workspace, channel.id, { db, storage });
      await firstPublisher.publisher.followUp(firstPublisher.lane, { kind: "renew_credential", channel: channel.id });
      await Promise.race([firstPublisher.work(), died]);
      expect(use.calls).toBeGreaterThanOrEqual(1);

      const storageAfterFailure = storage.reopened();
      const media = await uploadFiles(account);
      const overrides = options === undefined ? requiredOverrides([channel]) : { [channel.id]: options };
      for (const text of ["with the new token", "with the one after it"]) {
        const { id } = await duePost(account, channel, { text, media, overrides });
        const nextPublisher = await ownPublisher(workspace, channel.id, { storage: storageAfterFailure });
        for (let i = 0; i < 5 && (await getPost(key, id)).status !== "published"; i++) {
          await nextPublisher.work();
          // The network is still processing the post, so ask it again at once.
          await testEnv.DB.prepare("UPDATE deliveries SET next_at = 1 WHERE post_id = ? AND next_at IS NOT NULL")
            .bind(id)
            .run();
        }
        expect((await getPost(key, id)).deliveries).toMatchObject([{ status: "live", error: null }]);
        const after = await getRow(channel);
        expect(after.lost_reason).toBeNull();
        // A renewed page token may be the same as before, but it is always sealed again.
        expect(after.credential).not.toBe(before);
        // A publisher that lost the new refresh token could not renew any more.
        if (renews) await fault({ platform, account: channel.handle, expire_token: true });
      }
      expect(await ledger(channel.handle)).toHaveLength(2);
      expect([...storageAfterFailure.values.keys()].filter((name) => /^(credential|renewal):/.test(name))).toEqual([]);
    });
  },
);

describe("an object that has been replaced by another object", () => {
  /** A channel whose access token expires later, used by an object whose clock is hours ahead. */
  async function connectExpiring() {
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

  it("does not call the network for a renewal, because its storage first reports that it was replaced", async () => {
    const { account, channel } = await connectExpiring();
    const { id } = await duePost(account, channel);
    const before = await getRow(channel);
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
    expect(await getRow(channel)).toEqual(before);
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ error: null, attempts: 0 });
    await (await ownPublisher(account.workspace, channel.id)).work();
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
  });
});
