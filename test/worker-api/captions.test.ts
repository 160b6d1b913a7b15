// Captions of a video: uploaded as such, named by an option, checked with the post, and sent with it or after it.
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  type Account,
  call,
  connect,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  upload,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const SRT = encode("1\n00:00:01,000 --> 00:00:04,000\nHello\n");
const VTT = encode("WEBVTT\n\n00:01.000 --> 00:04.000\nHello\n");

const uploadCaptions = async (account: Account, bytes = SRT, contentType = "application/x-subrip") =>
  (await upload(account, bytes, contentType, undefined, { captions: true })).id;

describe("the upload of captions", () => {
  it("is refused without `captions`, and listed only with its kind or its id", async () => {
    const account = await signUp();
    const request = (body: object) =>
      call<{ error: string; hint: string }>("POST", "/v1/media/upload-url", { token: account.key, body });
    expect(await request({ content_type: "text/vtt", bytes: 10 })).toMatchObject({
      status: 422,
      body: { error: "content_type_not_allowed", hint: expect.stringContaining("`captions: true`") },
    });
    expect(await request({ content_type: "application/pdf", bytes: 10, captions: true })).toMatchObject({
      status: 422,
    });
    expect(await request({ content_type: "text/vtt", bytes: 1_000_001, captions: true })).toMatchObject({
      status: 422,
      body: { error: "media_too_large" },
    });
    const [id, image] = [await uploadCaptions(account), await uploadJpeg(account)];
    const list = async (query: string) => {
      const { body } = await call<{ media: { id: string }[] }>("GET", `/v1/media${query}`, { token: account.key });
      return body.media.map((file) => file.id);
    };
    expect(await list("")).toEqual([image.id]);
    expect(await list("?kind=captions")).toEqual([id]);
    expect(await list(`?ids=${id}`)).toEqual([id]);
  });
});

describe("a post with captions", () => {
  it.each(["linkedin", "youtube", "bluesky"])("goes out with them on %s", async (platform) => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const type = platform === "bluesky" ? "text/vtt" : "application/x-subrip";
    const file = await uploadCaptions(account, type === "text/vtt" ? VTT : SRT, type);
    const video = await uploadVideo(account, 300_000);
    const overrides = {
      [channel.id]: {
        ...(channel.platform === "youtube" ? { title: "T", made_for_kids: false } : {}),
        captions: [{ lang: "en", file }],
      },
    };
    const { id } = await post(account.key, { channels: [channel.id], text: "watch", media: [video.id], overrides });
    expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", error: null }]);
    const { body } = await call<{ receipt: string }>("GET", `/v1/posts/${id}/receipt`, { token: account.key });
    const [delivery] = decodeJwt<{ deliveries: { calls: { files: { media: string }[] }[] }[] }>(
      body.receipt,
    ).deliveries;
    expect(delivery?.calls.at(-1)?.files.map(({ media }) => media)).toEqual([video.id, file]);
    await eventually(async () => {
      const [entry] = await ledger(channel.handle);
      expect(entry?.detail.captions).toMatchObject([{ lang: "en" }]);
    });
    if (platform === "youtube")
      await eventually(async () =>
        expect((await getPost(account.key, id)).deliveries[0]?.additions).toEqual({ captions: "done" }),
      );
    expect(await call("DELETE", `/v1/media/${file}`, { token: account.key })).toMatchObject({ status: 409 });
  });

  it("is refused with all its faults at once", async () => {
    const account = await signUp();
    const [bluesky, linkedin, x] = [
      await connect(account.key, "bluesky"),
      await connect(account.key, "linkedin"),
      await connect(account.key, "x"),
    ];
    const [srt, vtt, image] = [
      await uploadCaptions(account),
      await uploadCaptions(account, encode(`WEBVTT\n\n${"x".repeat(20_000)}`), "text/vtt"),
      await uploadJpeg(account),
    ];
    const check = async (overrides: object, media: string[] = []) => {
      const body = { channels: [bluesky.id, linkedin.id, x.id], text: "x", media, overrides, dry_run: true };
      const { body: answer } = await call<{ violations?: { code: string; platform: string; field: string }[] }>(
        "POST",
        "/v1/posts",
        { token: account.key, body },
      );
      return (answer.violations ?? []).map(
        ({ platform, code, field }) => `${platform} ${code} ${field.split("/").slice(3).join("/")}`,
      );
    };
    const captions = (...files: string[]) => ({ captions: files.map((file, i) => ({ lang: `e${"abc"[i]}`, file })) });
    expect(await check({ [bluesky.id]: captions(srt, vtt, image.id), [linkedin.id]: captions(vtt, srt) })).toEqual([
      "bluesky media_format_not_allowed captions/0/file",
      "bluesky media_too_large captions/1/file",
      "bluesky media_format_not_allowed captions/2/file",
      "bluesky media_required ",
      "linkedin media_format_not_allowed captions/0/file",
      "linkedin media_required ",
      "linkedin invalid_option captions",
    ]);
    expect(await check({ [x.id]: captions(srt) })).toEqual(["x invalid_option captions"]);
    expect(await check({}, [srt])).toEqual([
      "bluesky media_format_not_allowed ",
      "linkedin media_format_not_allowed ",
      "x media_format_not_allowed ",
    ]);
  });

  it("is refused if the file is no captions file", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "youtube");
    const file = await uploadCaptions(account, encode("plain text"));
    const video = await uploadVideo(account, 300_000);
    const overrides = {
      [channel.id]: {
        ...(channel.platform === "youtube" ? { title: "T", made_for_kids: false } : {}),
        captions: [{ lang: "en", file }],
      },
    };
    const body = { channels: [channel.id], text: "x", media: [video.id], overrides };
    expect(await call("POST", "/v1/posts", { token: account.key, body })).toMatchObject({
      status: 422,
      body: { error: "media_format_not_allowed" },
    });
  });
});
