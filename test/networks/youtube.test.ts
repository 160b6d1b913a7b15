// The YouTube connector with its simulator, over HTTP: publishing, and what it knows afterwards.
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

describe("a YouTube video", () => {
  it("is published exactly as written, byte for byte, with the required declarations", async () => {
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

  it("may have every option", async () => {
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
      language: "pt-BR",
      recorded_at: "2026-11-20",
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
      defaultLanguage: "pt-BR",
      defaultAudioLanguage: "pt-BR",
      recordingDate: "2026-11-20T00:00:00.000Z",
      embeddable: false,
    });
  });

  it("has the URL of a short if it is published as a short", async () => {
    const clip = mp4(50_000, { width: 1080, height: 1920, seconds: 30 });
    const { entry, outcome } = await publish(video("x", { media: [clip], postType: "short" }), await connectNew());
    expect(outcome).toMatchObject({ url: `https://www.youtube.com/shorts/${entry.id}` });
  });

  it.each(["video/quicktime", "video/webm"])("of type %s is published with that type", async (contentType) => {
    const head = contentType === "video/webm" ? [0x1a, 0x45, 0xdf, 0xa3] : [0, 0, 0, 20, ...Buffer.from("ftypqt  ")];
    const bytes = new Uint8Array(1_000);
    bytes.set(head);
    const { entry } = await publish(video("x", { media: [file(bytes, { contentType })] }), await connectNew());
    expect(entry.media).toMatchObject([{ bytes: 1_000, type: contentType }]);
  });

  it("is live with a note if the network changed its visibility", async () => {
    const { outcome } = await publish(video("x"), await connectNew("locked_"));
    expect(outcome).toMatchObject({ note: expect.stringMatching(/made the video private, not public/) });
    const privateVideo = video("x", { options: { ...OPTIONS, privacy: "private" } });
    expect((await publish(privateVideo, await connectNew("locked_"))).outcome).not.toHaveProperty("note");
  });

  it("has an empty description if it only has a title", async () => {
    expect((await publish(video(""), await connectNew())).entry).toMatchObject({
      text: "",
      detail: { title: "A title" },
    });
  });
});

describe("rechecking a YouTube video", () => {
  it("finds the video until it is removed, and reports if it could not check", async () => {
    const testChannel = await connectNew();
    const { entry } = await publish(video("seen", { postType: "short" }), testChannel);
    const { id } = entry;
    const publishKey = { step: "video", id, media_id: "med_x", since: 1, short: true, privacy: "public" };
    const recheck = (publishKey: Json = null) => youtube.recheck({ id, publishKey }, testChannel.context);
    expect(await recheck()).toEqual({ is: "there", url: `https://www.youtube.com/watch?v=${id}` });
    expect(await recheck(publishKey)).toEqual({ is: "there", url: `https://www.youtube.com/shorts/${id}` });
    for (const scriptedAnswer of [
      { do: "reset_before" },
      rejection(403, "quotaExceeded"),
      rejection(401, "authError"),
    ]) {
      await faultCall(simulators, testChannel, "videos.list", scriptedAnswer);
      const answer = await recheck();
      expect(answer.is).toBe("unknown");
      expect(answer).toHaveProperty(scriptedAnswer.do === "reset_before" ? "detail" : "networkMessage");
    }
    for (const uploadStatus of ["failed", "rejected", "deleted"]) {
      const body = { items: [{ status: { uploadStatus } }] };
      await faultCall(simulators, testChannel, "videos.list", { do: "status", status: 200, body });
      expect(await recheck()).toEqual({ is: "gone" });
    }
    await fetch(`${simulators.url}/_sim/posts/youtube/${id}`, { method: "DELETE" });
    expect(await recheck()).toEqual({ is: "gone" });
  });
});

describe("the metrics of a YouTube video", () => {
  it("are read from the network as numbers", async () => {
    const testChannel = await connectNew();
    const { entry } = await publish(video("counted"), testChannel);
    const measured = await youtube.readMetrics?.({ id: entry.id, publishKey: null }, testChannel.context);
    expect(measured).toEqual({
      is: "read",
      metrics: { views: expect.any(Number), likes: expect.any(Number), comments: expect.any(Number) },
    });
    expect(await youtube.readMetrics?.({ id: entry.id, publishKey: null }, testChannel.context)).toEqual(measured);
  });

  it("are absent if the owner hides them, and unknown if the video does not exist", async () => {
    const testChannel = await connectNew();
    const { entry } = await publish(video("counted"), testChannel);
    const published = { id: entry.id, publishKey: null };
    const statistics = { viewCount: "12", favoriteCount: "0" };
    await faultCall(simulators, testChannel, "videos.list", {
      do: "status",
      status: 200,
      body: { items: [{ statistics }] },
    });
    expect(await youtube.readMetrics?.(published, testChannel.context)).toEqual({ is: "read", metrics: { views: 12 } });
    await faultCall(simulators, testChannel, "videos.list", { do: "status", status: 503, body: "" });
    expect(await youtube.readMetrics?.(published, testChannel.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.readMetrics?.({ id: "none", publishKey: null }, testChannel.context)).toMatchObject({
      is: "unknown",
    });
  });
});

it("sends the tokens and the session's address only to the network", async () => {
  const testChannel = await connectNew();
  const post = video("x", { media: [mp4(9 * MIB)] });
  const answers: unknown[] = [];
  const publishKey = await prepareOnce(post, testChannel.context);
  const faults = [{ do: "reset_before" }, rejection(401, "authError"), { do: "status", status: 500, body: "x" }];
  for (const scriptedFault of faults) {
    for (const call of ["upload.status", "upload.last"]) {
      await faultCall(simulators, testChannel, call, scriptedFault);
      answers.push(await youtube.publish(post, publishKey, testChannel.context));
    }
    await faultCall(simulators, testChannel, "upload.status", scriptedFault);
    answers.push(
      await youtube.reconcile?.(publishKey, testChannel.context),
      (await prepare(post, testChannel.context, publishKey)).answer,
    );
  }
  const text = JSON.stringify(answers.filter((answer) => Object(answer).is !== "prepared"));
  expect(text).toContain("unknown");
  for (const secret of ["upload_id", "ya29.", "1//", "sandbox"]) expect(text).not.toContain(secret);
  expect(listUploads(testChannel.calls).filter((call) => call === "start")).toHaveLength(1);
});
