// Options that are carried out after the post is live (thumbnail, playlist): each is carried out once, and its failure
// affects nothing else.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { workAfterPublish } from "../../src/follow-up/after-publish.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { check, giveUpOn } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { makeFollowUpTools } from "../support/one-session.ts";
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

async function publish(account: Account, channel: ChannelBody, extraOptions: Record<string, unknown> = {}) {
  const thumbnail = await uploadJpeg(account);
  const video = await uploadVideo(account, 300_000);
  const options = channel.platform === "youtube" ? { title: "A title", made_for_kids: false } : {};
  const { id } = await post(account.key, {
    text: unique("post "),
    media: [video.id],
    channels: [channel.id],
    overrides: { [channel.id]: { ...options, [OPTION]: thumbnail.id, ...extraOptions } },
  });
  const finishedPost = await finished(account.key, id);
  expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", error: null });
  return { id, thumbnail };
}
const thumbnails = async ({ handle }: ChannelBody) =>
  (await ledger(handle)).flatMap(({ detail }) => detail.thumbnails ?? []);
const getThumbnailState = async (key: string, id: string) =>
  (await getPost(key, id)).deliveries[0]?.additions?.[OPTION];
const getFollowUp = (id: string, kind: string) =>
  testEnv.DB.prepare("SELECT state, tries FROM follow_ups WHERE post_id = ? AND kind = ?").bind(id, kind).first();
/** How many tries the network has put off. If the thumbnail is not due for another try, returns its state instead. */
const getTriesIfDue = async (id: string) => {
  const row = await getFollowUp(id, OPTION);
  return row?.state === "due" ? row.tries : row?.state;
};
const buildFaultTarget = ({ platform, handle }: ChannelBody) => ({ platform, account: handle, call: CALLS[platform] });

describe.each(Object.keys(CALLS))("thumbnails on %s", (platform) => {
  it("sets the thumbnail once, after the video is live", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const { id } = await publish(account, channel);
    await eventually(async () => expect(await getThumbnailState(account.key, id)).toBe("done"));
    await check(account.key, id);
    expect(await thumbnails(channel)).toMatchObject([{ type: "image/jpeg" }]);
  });

  it("marks the thumbnail as unknown after a lost answer, and does not send it again", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    await fault({ ...buildFaultTarget(channel), do: "reset_after_accept" });
    const { id } = await publish(account, channel);
    await eventually(async () => expect(await getThumbnailState(account.key, id)).toBe("unknown"));
    const { deliveries, status } = await check(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]?.hint).toContain("`thumbnail_media` may not be there");
    expect(await thumbnails(channel)).toHaveLength(1);
  });
});

it("keeps the video live and explains in the hint that the channel may not set thumbnails", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube", unique("unproven_"));
  const { id } = await publish(account, channel);
  await eventually(async () => expect(await getThumbnailState(account.key, id)).toBe("failed"));
  const { deliveries, status } = await getPost(account.key, id);
  expect(status).toBe("published");
  expect(deliveries[0]).toMatchObject({ status: "live", error: null });
  expect(deliveries[0]?.network_message).toContain(
    "doesn't have permissions to upload and set custom video thumbnails",
  );
});

it("sets the thumbnail later if the network is busy, and then writes the first comment", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...buildFaultTarget(channel), do: "status", status: 400, body });
  const { id } = await publish(account, channel, { first_comment: "#one" });
  await eventually(async () => expect(await getTriesIfDue(id)).toBe(1));
  expect(await getThumbnailState(account.key, id)).toBe("pending");
  const { deliveries } = await check(account.key, id);
  expect(deliveries[0]).toMatchObject({ additions: { [OPTION]: "done" }, first_comment: "posted" });
  expect(await thumbnails(channel)).toHaveLength(1);
});

it("gives up a thumbnail that keeps crashing its publisher, and still writes the first comment", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  await fault({ ...buildFaultTarget(channel), do: "status", status: 400, body });
  const { id } = await publish(account, channel, { first_comment: "#one" });
  await eventually(async () => expect(await getTriesIfDue(id)).toBe(1));
  const { deliveries } = await giveUpOn(account, id, channel.id);
  expect(deliveries[0]).toMatchObject({ status: "live", additions: { [OPTION]: "failed" }, first_comment: "pending" });
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live", first_comment: "posted" });
});

it("marks the thumbnail as unknown if its object ended while sending it, and does not send it again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const { id } = await publish(account, channel);
  await eventually(async () => expect(await getThumbnailState(account.key, id)).toBe("done"));
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'sending' WHERE post_id = ?").bind(id).run();
  expect((await check(account.key, id)).deliveries[0]).toMatchObject({
    status: "live",
    additions: { [OPTION]: "unknown" },
  });
  expect(await thumbnails(channel)).toHaveLength(1);
});

it("sets the thumbnail later if its access token is refused and the renewal breaks off", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const { id } = await publish(account, channel);
  await eventually(async () => expect(await getThumbnailState(account.key, id)).toBe("done"));
  await testEnv.DB.prepare("UPDATE follow_ups SET state = 'due' WHERE post_id = ?").bind(id).run();
  await testEnv.DB.prepare("UPDATE deliveries SET check_at = 0 WHERE post_id = ?").bind(id).run();
  await fault({
    ...buildFaultTarget(channel),
    do: "status",
    status: 401,
    body: { error: { code: 401, message: "expired" } },
  });
  const failSync = async () => {
    throw new Error("the storage is away");
  };
  const tools = makeFollowUpTools(
    compose(testEnv, () => {}),
    openDatabase(testEnv.DB),
    { ...memoryStorage(), sync: failSync },
  );
  const { workspace: workspaceId } = account;
  await workAfterPublish(tools, { workspaceId, lane: 0 }, { kind: "after_publish", channel: channel.id, posts: [id] });
  expect(await getTriesIfDue(id)).toBe(1);
  expect(await thumbnails(channel)).toHaveLength(1);
  await check(account.key, id);
  expect(await getThumbnailState(account.key, id)).toBe("done");
  expect(await thumbnails(channel)).toHaveLength(2);
});

it("keeps a thumbnail as long as a post uses it", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const { id, thumbnail } = await publish(account, channel);
  const used = await testEnv.DB.prepare("SELECT 1 FROM media_uses WHERE post_id = ? AND media_id = ?")
    .bind(id, thumbnail.id)
    .first();
  expect(used).not.toBeNull();
});

it("rejects an unknown thumbnail, or one that is no image, and names its field", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "youtube");
  const video = await uploadVideo(account, 300_000);
  const tryThumbnail = async (thumbnail: string) => {
    const overrides = { [channel.id]: { title: "A title", made_for_kids: false, [OPTION]: thumbnail } };
    const body = { media: [video.id], channels: [channel.id], overrides, dry_run: true };
    const answer = await call("POST", "/v1/posts", { token: account.key, body });
    return [answer.status, answer.body.error, answer.body.field];
  };
  const field = `/overrides/${channel.id}/${OPTION}`;
  expect(await tryThumbnail("med_00000000000000000000000000")).toEqual([422, "unknown_media", field]);
  expect(await tryThumbnail(video.id)).toEqual([422, "media_format_not_allowed", field]);
  expect(await tryThumbnail("no id")).toEqual([422, "unknown_media", field]);
});

async function getFirstPlaylist(account: Account, channel: ChannelBody): Promise<string> {
  const path = `/v1/channels/${channel.id}/options/playlist`;
  const { body } = await call<{ options: { value: string }[] }>("GET", path, { token: account.key });
  return body.options[0]?.value ?? expect.fail("no playlist is listed");
}
const playlists = async ({ handle }: ChannelBody) =>
  (await ledger(handle)).flatMap(({ detail }) => detail.playlists ?? []);
const getAdditions = async (key: string, id: string) => (await getPost(key, id)).deliveries[0]?.additions;

describe("playlists", () => {
  it("adds the video to the playlist once, after its thumbnail, and reconciles a lost answer", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await getFirstPlaylist(account, channel);
    const target = { platform: "youtube", account: channel.handle, call: "playlistItems.insert" };
    await fault({ ...target, do: "reset_after_accept" });
    const { id } = await publish(account, channel, { playlist });
    const expectedAdditions = { [OPTION]: "done", playlist: "done" };
    await eventually(async () => expect(await getAdditions(account.key, id)).toEqual(expectedAdditions));
    await check(account.key, id);
    expect(await playlists(channel)).toEqual([playlist]);
  });

  it("keeps the video live if the playlist no longer exists, and says so in the hint", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const { id } = await publish(account, channel, { playlist: "PLgone" });
    const expectedAdditions = { [OPTION]: "done", playlist: "failed" };
    await eventually(async () => expect(await getAdditions(account.key, id)).toEqual(expectedAdditions));
    const { deliveries, status } = await getPost(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]?.hint).toContain("`playlist` was refused: YouTube does not know this playlist.");
  });

  const getRow = async (id: string) => {
    const row = await testEnv.DB.prepare("SELECT check_at FROM deliveries WHERE post_id = ?").bind(id).first();
    return { playlist: await getFollowUp(id, "playlist"), checkAt: Number(row?.check_at) };
  };

  it.each([
    { do: "status", status: 503, headers: { "retry-after": "3600" }, waitMs: 3_500_000 },
    { do: "reset_before", waitMs: 30_000 },
  ])("reconciles the playlist again if YouTube did not answer the first time: $do", async ({ waitMs, ...answer }) => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await getFirstPlaylist(account, channel);
    const target = { platform: "youtube", account: channel.handle };
    const lostAnswer = { ...target, call: "playlistItems.insert", do: "reset_after_accept" };
    await fault(lostAnswer, { ...target, call: "playlistItems.list", ...answer });
    const { id } = await publish(account, channel, { playlist });
    await eventually(async () => expect((await getRow(id)).playlist).toMatchObject({ state: "sending", tries: 1 }));
    expect((await getRow(id)).checkAt).toBeGreaterThan(Date.now() + waitMs);
    expect(await getAdditions(account.key, id)).toEqual({ [OPTION]: "done", playlist: "pending" });
    await check(account.key, id);
    expect(await getAdditions(account.key, id)).toEqual({ [OPTION]: "done", playlist: "done" });
    expect(await playlists(channel)).toEqual([playlist]);
  });

  it("marks the playlist as unknown if it can never be reconciled", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await getFirstPlaylist(account, channel);
    const target = { platform: "youtube", account: channel.handle };
    const silence = { ...target, call: "playlistItems.list", do: "reset_before" };
    await fault({ ...target, call: "playlistItems.insert", do: "reset_before" }, ...Array(5).fill(silence));
    const { id } = await publish(account, channel, { playlist });
    await eventually(async () => expect((await getRow(id)).playlist?.tries).toBe(1));
    for (let i = 0; i < 4; i++) await check(account.key, id);
    expect(await getAdditions(account.key, id)).toEqual({ [OPTION]: "done", playlist: "unknown" });
    expect(await playlists(channel)).toEqual([]);
  });

  it("marks the playlist as unknown after a lost call, and does not try again", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const playlist = await getFirstPlaylist(account, channel);
    const target = { platform: "youtube", account: channel.handle, call: "playlistItems.insert" };
    await fault({ ...target, do: "reset_before" });
    const { id } = await publish(account, channel, { playlist });
    await eventually(async () =>
      expect(await getAdditions(account.key, id)).toEqual({ [OPTION]: "done", playlist: "unknown" }),
    );
    await check(account.key, id);
    expect(await playlists(channel)).toEqual([]);
  });
});
