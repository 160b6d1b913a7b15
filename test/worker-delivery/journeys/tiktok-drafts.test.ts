// A draft for a TikTok inbox, from the API to the network. Its delivery ends as `handed_over`: a success, but not a
// live post.
import { describe, expect, it } from "vitest";
import { isWatched } from "../../support/after.ts";
import {
  call,
  connect,
  fault,
  finished,
  ledger,
  post,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../../support/world.ts";

const INBOX = { post_mode: "inbox" };

async function connectTikTok(handle?: string) {
  const account = await signUp();
  const channel = await connect(account.key, "tiktok", handle);
  const buildDraft = (media: string, fields: object = {}) => ({
    text: "for its owner",
    channels: [channel.id],
    media: [media],
    overrides: { [channel.id]: INBOX },
    ...fields,
  });
  return { account, channel, draft: buildDraft };
}

describe("a draft for the inbox", () => {
  it("ends as handed_over and its post as published, with an event of its own", async () => {
    const { account, channel, draft } = await connectTikTok(unique("unaudited"));
    const video = await uploadVideo(account, 300_000);
    const { id } = await post(account.key, draft(video.id));
    const { status, deliveries } = await finished(account.key, id);
    expect(status).toBe("published");
    expect(deliveries[0]).toMatchObject({
      status: "handed_over",
      attempts: 1,
      url: null,
      url_state: "none",
      error: null,
      published_at: null,
      hint: expect.stringContaining("must be pasted"),
    });
    const [entry] = await ledger(channel.handle);
    expect(entry).toMatchObject({ text: "", url: null, detail: { draft: true }, media: [{ sha256: video.sha256 }] });
    const { body } = await call("GET", "/v1/events", { token: account.key });
    expect(body.events).toMatchObject([{ event: "delivery.handed_over", post: id, url: null, error: null }]);
    expect(await isWatched(id)).toBe(false);
  });

  it("is reported to a webhook that subscribes to no particular events, and cannot be retried or taken down", async () => {
    const { account, channel, draft } = await connectTikTok();
    const url = "https://listener.example.com/hook";
    const hook = await call("POST", "/v1/webhooks", { token: account.key, body: { url } });
    expect(hook.body.events).toContain("delivery.handed_over");
    const { id } = await post(account.key, draft((await uploadJpeg(account)).id));
    expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "handed_over" });
    const deliveryPath = `/v1/posts/${id}/deliveries/${channel.id}`;
    const retry = await call("POST", `${deliveryPath}/retry`, { token: account.key, body: {} });
    expect(retry.status).toBe(409);
    const removed = await call("DELETE", deliveryPath, { token: account.key });
    expect(removed.body.error).toBe("takedown_not_offered");
  });

  it("is handed over once if the answer to its last bytes is lost", async () => {
    const { account, channel, draft } = await connectTikTok();
    const video = await uploadVideo(account, 300_000);
    await fault({ platform: "tiktok", account: channel.handle, call: "upload", do: "reset_after_accept" });
    const { id } = await post(account.key, draft(video.id));
    expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "handed_over", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("warns in a dry run that a video loses its text, and rejects options that only the owner may choose", async () => {
    const { account, channel, draft } = await connectTikTok();
    const video = await uploadVideo(account, 300_000);
    const runDry = (options: object) =>
      call("POST", "/v1/posts", {
        token: account.key,
        body: draft(video.id, { dry_run: true, overrides: { [channel.id]: options } }),
      });
    expect((await runDry(INBOX)).body.warnings).toMatchObject([{ code: "text_dropped", channel: channel.id }]);
    const direct = await runDry({ privacy_level: "SELF_ONLY" });
    expect([direct.status, direct.body.warnings]).toEqual([200, []]);
    const chosen = await runDry({ ...INBOX, privacy_level: "SELF_ONLY" });
    expect([chosen.status, chosen.body.field]).toEqual([422, `/overrides/${channel.id}/privacy_level`]);
    const neither = await runDry({});
    expect([neither.status, neither.body.error, neither.body.field]).toEqual([
      422,
      "option_required",
      `/overrides/${channel.id}/privacy_level`,
    ]);
  });

  it("is the only kind of post allowed without `video.publish`, and is rejected without `video.upload`", async () => {
    const account = await signUp();
    const media = [(await uploadVideo(account, 300_000)).id];
    const connectToken = async (handle: string, credentials: object) => {
      const body = { platform: "tiktok", handle, credentials };
      const connected = await call("POST", "/v1/channels", { token: account.key, body });
      expect(connected.status, JSON.stringify(connected.body)).toBe(201);
      return { id: String(connected.body.id), missing: connected.body.missing_permissions };
    };
    const createPost = (id: string, options: object) =>
      call("POST", "/v1/posts", { token: account.key, body: { channels: [id], media, overrides: { [id]: options } } });

    // Without the permission to ask for its publishing options, only the account's display name is known.
    const username = unique("drafts_");
    const drafts = await connectToken(`The ${username}`, { access_token: `act.${username}` });
    expect(drafts.missing).toMatchObject([
      { permission: "video.publish", lost: expect.stringContaining("inbox") },
      { permission: "video.list" },
    ]);
    expect(await createPost(drafts.id, { privacy_level: "SELF_ONLY" })).toMatchObject({
      status: 422,
      body: {
        error: "invalid_option",
        field: `/overrides/${drafts.id}/post_mode`,
        message: expect.stringContaining("video.publish"),
        hint: expect.stringContaining("connect the channel again"),
      },
    });
    const created = await createPost(drafts.id, INBOX);
    expect((await finished(account.key, String(created.body.id))).deliveries[0]).toMatchObject({
      status: "handed_over",
    });

    const name = unique("plain_");
    const scopes = ["user.info.basic", "video.publish", "video.list"];
    const plain = await connectToken(name, { access_token: `act.${name}`, scopes });
    expect(await createPost(plain.id, INBOX)).toMatchObject({
      status: 422,
      body: { error: "invalid_option", message: expect.stringContaining("video.upload") },
    });
  });
});
