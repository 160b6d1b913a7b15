// What options ask for once the post is live: made once, and never a reason for anything else to go wrong.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { verifyDeliveries } from "../../src/follow-up/verify-delivery.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { check, giveUpOn } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { toolsOf } from "../support/one-session.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

const CALLS: Record<string, string> = { youtube: "thumbnails.set", facebook: "thumbnails" };
const OPTION = "thumbnail_media";

async function publish(account: Account, channel: ChannelBody, more: Record<string, unknown> = {}) {
  const thumbnail = await uploadJpeg(account);
  const video = await uploadVideo(account, 300_000);
  const options = channel.platform === "youtube" ? { title: "A title", made_for_kids: false } : {};
  const { id } = await post(account.key, {
    text: unique("post "),
    media: [video.id],
    channels: [channel.id],
    overrides: { [channel.id]: { ...options, [OPTION]: thumbnail.id, ...more } },
  });
  const done = await finished(account.key, id);
  expect(done.deliveries[0]).toMatchObject({ status: "live", error: null });
  return { id, thumbnail };
}
const thumbnails = async ({ handle }: ChannelBody) =>
  (await ledger(handle)).flatMap(({ detail }) => detail.thumbnails ?? []);
const stateOf = async (key: string, id: string) => (await getPost(key, id)).deliveries[0]?.additions?.[OPTION];
const workOf = (id: string, kind: string) =>
  testEnv.DB.prepare("SELECT state, tries FROM follow_ups WHERE post_id = ? AND kind = ?").bind(id, kind).first();
/** How often the network has put it off, once it waits for the next try. */
const triesOf = async (id: string) => {
  const row = await workOf(id, OPTION);
  return row?.state === "due" ? row.tries : row?.state;
};
const faultOf = ({ platform, handle }: ChannelBody) => ({ platform, account: handle, call: CALLS[platform] });

describe.each(Object.keys(CALLS))("a thumbnail on %s", (platform) => {
  it("is set by itself once the video is live, once", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const { id } = await publish(account, channel);
    await eventually(async () => expect(await stateOf(account.key, id)).toBe("done"));
    await check(account.key, id);
    expect(await thumbnails(channel)).toMatchObject([{ type: "image/jpeg" }]);
  });

  it("its answer is lost: nobody claims that it is there, and it is not sent again", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    await fault({ ...faultOf(channel), do: "reset_after_accept" });
    const { id } = await publish(account, channel);
    await eventually(async () => expect(await stateOf(account.key, id)).toBe("unknown"));
    const { deliveries, status } = await check(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]?.hint).toContain("`thumbnail_media` may not be there");
    expect(await thumbnails(channel)).toHaveLength(1);
  });
});

it("the channel may set none: the video is live, and the hint says why", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube", unique("unproven_"));
  const { id } = await publish(account, channel);
  await eventually(async () => expect(await stateOf(account.key, id)).toBe("failed"));
  const { deliveries, status } = await getPost(account.key, id);
  expect(status).toBe("published");
  expect(deliveries[0]).toMatchObject({ status: "live", error: null });
  expect(deliveries[0]?.network_message).toContain(
    "doesn't have permissions to upload and set custom video thumbnails",
  );
});

it("the network has no time for it: it is set later, and the first comment follows", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...faultOf(channel), do: "status", status: 400, body });
  const { id } = await publish(account, channel, { first_comment: "#one" });
  await eventually(async () => expect(await triesOf(id)).toBe(1));
  expect(await stateOf(account.key, id)).toBe("pending");
  const { deliveries } = await check(account.key, id);
  expect(deliveries[0]).toMatchObject({ additions: { [OPTION]: "done" }, first_comment: "posted" });
  expect(await thumbnails(channel)).toHaveLength(1);
});

it("an addition at which its publisher ends again and again is given up, and the first comment is still made", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...faultOf(channel), do: "status", status: 400, body });
  const { id } = await publish(account, channel, { first_comment: "#one" });
  await eventually(async () => expect(await triesOf(id)).toBe(1));
  const { deliveries } = await giveUpOn(account, id, channel.id);
  expect(deliveries[0]).toMatchObject({ status: "live", additions: { [OPTION]: "failed" }, first_comment: "pending" });
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "posted" });
});

it("the object that was about to set it ended: nobody knows, and it is not sent again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const { id } = await publish(account, channel);
  await eventually(async () => expect(await stateOf(account.key, id)).toBe("done"));
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'sending' WHERE post_id = ?").bind(id).run();
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({
    status: "live",
    additions: { [OPTION]: "unknown" },
  });
  expect(await thumbnails(channel)).toHaveLength(1);
});

it("its access token is refused, and renewing breaks off: nothing was set, so it is set later", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const { id } = await publish(account, channel);
  await eventually(async () => expect(await stateOf(account.key, id)).toBe("done"));
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'due' WHERE post_id = ?").bind(id).run();
  await testEnv.DB.prepare("UPDATE deliveries SET check_at = 0 WHERE post_id = ?").bind(id).run();
  await fault({ ...faultOf(channel), do: "status", status: 401, body: { error: { code: 401, message: "expired" } } });
  const away = async () => {
    throw new Error("the storage is away");
  };
  const tools = toolsOf(
    compose(testEnv, () => {}),
    openDatabase(testEnv.DB),
    { ...memoryStorage(), sync: away },
  );
  const { workspace: workspaceId } = account;
  await verifyDeliveries(tools, { workspaceId, lane: 0 }, { kind: "verify", channel: channel.id, posts: [id] });
  expect(await triesOf(id)).toBe(1);
  expect(await thumbnails(channel)).toHaveLength(1);
  await check(account.key, id);
  expect(await stateOf(account.key, id)).toBe("done");
  expect(await thumbnails(channel)).toHaveLength(2);
});

it("a thumbnail that a post uses is kept with it", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const { id, thumbnail } = await publish(account, channel);
  const used = await testEnv.DB.prepare("SELECT 1 FROM media_uses WHERE post_id = ? AND media_id = ?")
    .bind(id, thumbnail.id)
    .first();
  expect(used).not.toBeNull();
});

it("a thumbnail that is unknown, or no picture, is refused where it is named", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, 300_000);
  const refused = async (thumbnail: string) => {
    const overrides = { [channel.id]: { title: "A title", made_for_kids: false, [OPTION]: thumbnail } };
    const body = { media: [video.id], channels: [channel.id], overrides, dry_run: true };
    const answer = await call("POST", "/v1/posts", { token: account.key, body });
    return [answer.status, answer.body.error, answer.body.field];
  };
  const field = `/overrides/${channel.id}/${OPTION}`;
  expect(await refused("med_00000000000000000000000000")).toEqual([422, "unknown_media", field]);
  expect(await refused(video.id)).toEqual([422, "media_format_not_allowed", field]);
  expect(await refused("no id")).toEqual([422, "unknown_media", field]);
});

async function listed(account: Account, channel: ChannelBody): Promise<string> {
  const path = `/v1/channels/${channel.id}/options/playlist`;
  const { body } = await call<{ options: { value: string }[] }>("GET", path, { token: account.key });
  return body.options[0]?.value ?? expect.fail("no playlist is listed");
}
const playlists = async ({ handle }: ChannelBody) =>
  (await ledger(handle)).flatMap(({ detail }) => detail.playlists ?? []);
const additionsOf = async (key: string, id: string) => (await getPost(key, id)).deliveries[0]?.additions;

describe("a playlist", () => {
  it("gets the video after its thumbnail, once, and its lost answer is looked for", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await listed(account, channel);
    const at = { platform: "youtube", account: channel.handle, call: "playlistItems.insert" };
    await fault({ ...at, do: "reset_after_accept" });
    const { id } = await publish(account, channel, { playlist });
    const done = { [OPTION]: "done", playlist: "done" };
    await eventually(async () => expect(await additionsOf(account.key, id)).toEqual(done));
    await check(account.key, id);
    expect(await playlists(channel)).toEqual([playlist]);
  });

  it("that is gone leaves the video live, and the hint says so", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const { id } = await publish(account, channel, { playlist: "PLgone" });
    const ended = { [OPTION]: "done", playlist: "failed" };
    await eventually(async () => expect(await additionsOf(account.key, id)).toEqual(ended));
    const { deliveries, status } = await getPost(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]?.hint).toContain("`playlist` was refused: YouTube does not know this playlist.");
  });

  const rowOf = async (id: string) => {
    const row = await testEnv.DB.prepare("SELECT check_at FROM deliveries WHERE post_id = ?").bind(id).first();
    return { playlist: await workOf(id, "playlist"), checkAt: Number(row?.check_at) };
  };

  it.each([
    { do: "status", status: 503, headers: { "retry-after": "3600" }, waitMs: 3_500_000 },
    { do: "reset_before", waitMs: 30_000 },
  ])("whose answer was lost is looked for again when YouTube could not be asked: $do", async ({ waitMs, ...how }) => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await listed(account, channel);
    const at = { platform: "youtube", account: channel.handle };
    const lost = { ...at, call: "playlistItems.insert", do: "reset_after_accept" };
    await fault(lost, { ...at, call: "playlistItems.list", ...how });
    const { id } = await publish(account, channel, { playlist });
    await eventually(async () => expect((await rowOf(id)).playlist).toMatchObject({ state: "sending", tries: 1 }));
    expect((await rowOf(id)).checkAt).toBeGreaterThan(Date.now() + waitMs);
    expect(await additionsOf(account.key, id)).toEqual({ [OPTION]: "done", playlist: "pending" });
    await check(account.key, id);
    expect(await additionsOf(account.key, id)).toEqual({ [OPTION]: "done", playlist: "done" });
    expect(await playlists(channel)).toEqual([playlist]);
  });

  it("that can never be looked for is unknown in the end", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await listed(account, channel);
    const at = { platform: "youtube", account: channel.handle };
    const silence = { ...at, call: "playlistItems.list", do: "reset_before" };
    await fault({ ...at, call: "playlistItems.insert", do: "reset_before" }, ...Array(5).fill(silence));
    const { id } = await publish(account, channel, { playlist });
    await eventually(async () => expect((await rowOf(id)).playlist?.tries).toBe(1));
    for (let i = 0; i < 4; i++) await check(account.key, id);
    expect(await additionsOf(account.key, id)).toEqual({ [OPTION]: "done", playlist: "unknown" });
    expect(await playlists(channel)).toEqual([]);
  });

  it("that was never asked, as its call was lost, is unknown, and not tried again", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await listed(account, channel);
    const at = { platform: "youtube", account: channel.handle, call: "playlistItems.insert" };
    await fault({ ...at, do: "reset_before" });
    const { id } = await publish(account, channel, { playlist });
    await eventually(async () =>
      expect(await additionsOf(account.key, id)).toEqual({ [OPTION]: "done", playlist: "unknown" }),
    );
    await check(account.key, id);
    expect(await playlists(channel)).toEqual([]);
  });
});
