// The connector of YouTube against its simulator, over HTTP: what goes out, and what is known afterwards.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { file, mp4, sha256 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import {
  connectNew,
  faultCall,
  listUploads,
  MIB,
  OPTIONS,
  prepare,
  prepareOnce,
  publish,
  rejection,
  video,
} from "./youtube-driver.ts";

withSimulators();

describe("a video", () => {
  it("goes out exactly as written, byte for byte, with what the owner must say", async () => {
    const text = 'Grüße & "quotes"\n\n👩‍👩‍👧 https://example.com #tag';
    const clip = mp4(300_000);
    const { entry, outcome } = await publish(video(text, { media: [clip] }), await connectNew());
    expect(entry).toMatchObject({
      text,
      media: [{ bytes: 300_000, sha256: await sha256(clip), type: "video/mp4" }],
      detail: {
        title: "A title",
        privacyStatus: "public",
        selfDeclaredMadeForKids: false,
        categoryId: "22",
        tags: [],
        notify: true,
        hasPaidProductPlacement: false,
      },
    });
    expect(outcome).toMatchObject({ url: `https://www.youtube.com/watch?v=${entry.id}` });
  });

  it("takes every option", async () => {
    const options = {
      title: "T".repeat(100),
      made_for_kids: true,
      privacy: "unlisted",
      tags: ["one", "two words"],
      category_id: "27",
      notify_subscribers: false,
      contains_synthetic_media: true,
      paid_promotion: true,
      license: "creativeCommon",
      embeddable: false,
    };
    const { entry } = await publish(video("x", { options }), await connectNew());
    expect(entry.detail).toMatchObject({
      title: options.title,
      selfDeclaredMadeForKids: true,
      privacyStatus: "unlisted",
      tags: ["one", "two words"],
      categoryId: "27",
      notify: false,
      containsSyntheticMedia: true,
      hasPaidProductPlacement: true,
      license: "creativeCommon",
      embeddable: false,
    });
  });

  it("as a short has the address of a short", async () => {
    const clip = mp4(50_000, { width: 1080, height: 1920, seconds: 30 });
    const { entry, outcome } = await publish(video("x", { media: [clip], postType: "short" }), await connectNew());
    expect(outcome).toMatchObject({ url: `https://www.youtube.com/shorts/${entry.id}` });
  });

  it.each(["video/quicktime", "video/webm"])("of type %s goes out as that", async (contentType) => {
    const head = contentType === "video/webm" ? [0x1a, 0x45, 0xdf, 0xa3] : [0, 0, 0, 20, ...Buffer.from("ftypqt  ")];
    const bytes = new Uint8Array(1_000);
    bytes.set(head);
    const { entry } = await publish(video("x", { media: [file(bytes, { contentType })] }), await connectNew());
    expect(entry.media).toMatchObject([{ bytes: 1_000, type: contentType }]);
  });

  it("that the network shows to others than was asked is out, and the delivery says so", async () => {
    const { outcome } = await publish(video("x"), await connectNew("locked_"));
    expect(outcome).toMatchObject({ note: expect.stringMatching(/made the video private, not public/) });
    const asked = video("x", { options: { ...OPTIONS, privacy: "private" } });
    expect((await publish(asked, await connectNew("locked_"))).outcome).not.toHaveProperty("note");
  });

  it("of nothing but a title has an empty description", async () => {
    expect((await publish(video(""), await connectNew())).entry).toMatchObject({
      text: "",
      detail: { title: "A title" },
    });
  });
});

describe("a later look", () => {
  it("finds the video, sees that it was removed, and knows when it saw nothing", async () => {
    const at = await connectNew();
    const { entry } = await publish(video("seen", { postType: "short" }), at);
    const { id } = entry;
    const publishKey = { step: "video", id, media_id: "med_x", since: 1, short: true, privacy: "public" };
    const verify = (publishKey: Json = null) => youtube.verify({ id, publishKey }, at.context);
    expect(await verify()).toEqual({ is: "there", url: `https://www.youtube.com/watch?v=${id}` });
    expect(await verify(publishKey)).toEqual({ is: "there", url: `https://www.youtube.com/shorts/${id}` });
    for (const what of [{ do: "reset_before" }, rejection(403, "quotaExceeded"), rejection(401, "authError")]) {
      await faultCall(simulators, at, "videos.list", what);
      const answer = await verify();
      expect(answer.is).toBe("unknown");
      expect(answer).toHaveProperty(what.do === "reset_before" ? "detail" : "networkMessage");
    }
    for (const uploadStatus of ["failed", "rejected", "deleted"]) {
      const body = { items: [{ status: { uploadStatus } }] };
      await faultCall(simulators, at, "videos.list", { do: "status", status: 200, body });
      expect(await verify()).toEqual({ is: "gone" });
    }
    await fetch(`${simulators.url}/_sim/posts/youtube/${id}`, { method: "DELETE" });
    expect(await verify()).toEqual({ is: "gone" });
  });
});

describe("metrics", () => {
  it("are the network's, as numbers", async () => {
    const at = await connectNew();
    const { entry } = await publish(video("counted"), at);
    const measured = await youtube.readMetrics?.({ id: entry.id, publishKey: null }, at.context);
    expect(measured).toEqual({
      is: "read",
      metrics: { views: expect.any(Number), likes: expect.any(Number), comments: expect.any(Number) },
    });
    expect(await youtube.readMetrics?.({ id: entry.id, publishKey: null }, at.context)).toEqual(measured);
  });

  it("that the owner hides are absent, and none are known of a video that is not there", async () => {
    const at = await connectNew();
    const { entry } = await publish(video("counted"), at);
    const published = { id: entry.id, publishKey: null };
    const statistics = { viewCount: "12", favoriteCount: "0" };
    await faultCall(simulators, at, "videos.list", { do: "status", status: 200, body: { items: [{ statistics }] } });
    expect(await youtube.readMetrics?.(published, at.context)).toEqual({ is: "read", metrics: { views: 12 } });
    await faultCall(simulators, at, "videos.list", { do: "status", status: 503, body: "" });
    expect(await youtube.readMetrics?.(published, at.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.readMetrics?.({ id: "none", publishKey: null }, at.context)).toMatchObject({ is: "unknown" });
  });
});

it("the tokens and the session's address go to nobody but the network", async () => {
  const at = await connectNew();
  const post = video("x", { media: [mp4(9 * MIB)] });
  const answers: unknown[] = [];
  const publishKey = await prepareOnce(post, at.context);
  const whats = [{ do: "reset_before" }, rejection(401, "authError"), { do: "status", status: 500, body: "x" }];
  for (const what of whats) {
    for (const call of ["upload.status", "upload.last"]) {
      await faultCall(simulators, at, call, what);
      answers.push(await youtube.publish(post, publishKey, at.context));
    }
    await faultCall(simulators, at, "upload.status", what);
    answers.push(
      await youtube.reconcile?.(publishKey, at.context),
      (await prepare(post, at.context, publishKey)).answer,
    );
  }
  const text = JSON.stringify(answers.filter((answer) => Object(answer).is !== "prepared"));
  expect(text).toContain("unknown");
  for (const secret of ["upload_id", "ya29.", "1//", "sandbox"]) expect(text).not.toContain(secret);
  expect(listUploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
});
