// Captions of a video on each network that takes them: how they go out, and what the network refuses.
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import type { CaptionsFile } from "../../src/networks/media-file.ts";
import type { Network } from "../../src/networks/network.ts";
import {
  attempt,
  buildPost,
  disconnect,
  prepareKey,
  rateLimit,
  readAccepted,
  startSession,
  waitUntilLive,
} from "./harness.ts";
import { computeSum, fault, file } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const WITH_CAPTIONS = networks.filter(({ rule }) => rule.captions !== undefined);
const TEXTS: Record<string, string> = {
  "application/x-subrip": "1\r\n00:00:01,000 --> 00:00:04,000\r\nGrüß Gott\r\n",
  "text/vtt": "WEBVTT\n\n00:01.000 --> 00:04.000\nGrüß Gott\n",
};

const makeCaptions = (lang: string, contentType: string, text = TEXTS[contentType] ?? ""): CaptionsFile => ({
  lang,
  file: { ...file(new Uint8Array(new TextEncoder().encode(text)), { contentType }), kind: "captions" },
});
const findNetwork = (platform: string) =>
  WITH_CAPTIONS.find(({ rule }) => rule.platform === platform) ?? expect.fail(platform);

it("lists LinkedIn, YouTube and Bluesky as networks with captions", () => {
  expect(WITH_CAPTIONS.map(({ rule }) => rule.platform).sort()).toEqual(["bluesky", "linkedin", "youtube"]);
});

describe.each(WITH_CAPTIONS.map((network): [string, Network] => [network.rule.platform, network]))(
  "captions on %s",
  (platform, network) => {
    const type = network.rule.captions?.types[0] ?? "";

    async function publish(captions: CaptionsFile[]) {
      const session = await startSession(simulators, network);
      const post = { ...(await buildPost(session, "feed", "video", 1)), captions };
      const outcome = await attempt(session, post);
      if (network.additions?.captions === undefined || outcome.is === "rejected") return { session, outcome };
      const { id } = await waitUntilLive(session, outcome, null);
      const wish = { value: captions.map(({ lang, file: { id: fileId } }) => ({ lang, file: fileId })), captions };
      return {
        session,
        outcome: await network.additions.captions.add({ id, publishKey: null }, wish, session.context),
      };
    }

    it("go out unchanged, with their language", async () => {
      const captions = makeCaptions("de", type);
      const { session } = await publish([captions]);
      const [entry] = await readAccepted(session);
      expect(entry?.detail.captions).toMatchObject([{ lang: "de", ...(await computeSum(captions.file)) }]);
    });

    it("are refused if they are no captions", async () => {
      const { session, outcome } = await publish([
        makeCaptions("en", platform === "bluesky" ? "text/plain" : type, "hello"),
      ]);
      const error = platform === "bluesky" ? expect.any(String) : "media_refused";
      expect(outcome).toMatchObject({ is: "rejected", error });
      for (const entry of await readAccepted(session)) expect(entry.detail.captions).toBeUndefined();
    });
  },
);

describe("captions on YouTube", () => {
  const youtube = findNetwork("youtube");
  const captions = [makeCaptions("en", "text/vtt"), makeCaptions("pt-BR", "application/x-subrip")];
  const wish = { value: [], captions };

  async function publishVideo() {
    const session = await startSession(simulators, youtube);
    const post = await buildPost(session, "feed", "video", 1);
    const publishKey = await prepareKey(session, post);
    const live = await waitUntilLive(session, await youtube.publish(post, publishKey, session.context), publishKey);
    const { add, isThere } = youtube.additions?.captions ?? expect.fail("no captions");
    const published = { id: live.id, publishKey };
    return {
      session,
      id: live.id,
      add: (context = session.context) => add(published, wish, context),
      isThere: (context = session.context) => isThere?.(published, wish, context),
      languages: async () => {
        const [entry] = await readAccepted(session);
        return [entry?.detail.captions ?? []].flat().map((track) => Object(track).lang);
      },
    };
  }

  it("are added once each, although a call is repeated after a lost answer", async () => {
    const { add, isThere, languages } = await publishVideo();
    await fault(simulators, { platform: "youtube", call: "captions.insert", do: "reset_after_accept", skip: 1 });
    expect((await add()).is).toBe("unknown");
    expect(await isThere()).toEqual({ is: "added" });
    expect(await add()).toEqual({ is: "added" });
    expect(await languages()).toEqual(["en", "pt-BR"]);
  });

  it("are found missing as long as one of them is", async () => {
    const { session, add, isThere } = await publishVideo();
    await fault(simulators, { platform: "youtube", call: "captions.insert", do: "reset_before", skip: 1 });
    expect((await add()).is).toBe("unknown");
    expect(await isThere()).toMatchObject({ is: "not_found" });
    expect(await isThere(disconnect(session))).toMatchObject({ is: "unknown" });
    expect(await add(rateLimit(session, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
  });

  it("are rejected if the video is gone", async () => {
    const { id, add } = await publishVideo();
    await fetch(`${simulators.url}/_sim/posts/youtube/${id}`, { method: "DELETE" });
    expect(await add()).toMatchObject({ is: "rejected", detail: "YouTube does not know this video." });
  });
});

it("LinkedIn's captions are sent again after a lost answer, because nothing is published yet", async () => {
  const session = await startSession(simulators, findNetwork("linkedin"));
  const captions = [makeCaptions("en-US", "application/x-subrip")];
  const post = { ...(await buildPost(session, "feed", "video", 1)), captions };
  await fault(simulators, { platform: "linkedin", call: "upload.captions", do: "reset_after_accept" });
  expect((await attempt(session, post)).is).toBe("retryable");
  await waitUntilLive(session, await attempt(session, post), null);
  const [entry] = await readAccepted(session);
  expect(entry?.detail.captions).toMatchObject([{ lang: "en-US" }]);
});
