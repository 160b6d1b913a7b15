// Networks that count the last 24 hours: a post beyond their cap is retried for a day, and accepted when there is room
// again.
import { afterEach, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/domain/limits.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { account, posts, ready } from "./facebook-page.ts";
import { buildVideoPost } from "./facebook-videos.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectNew, prepare, publish, video } from "./youtube-driver.ts";

withSimulators();
afterEach(() => void vi.useRealTimers());

/** Reels of a Page in 24 hours: documentation/video-api/guides/reels-publishing of 2026-07-30, read 2026-11-26. */
const REELS_PER_DAY = 30;
const beyondCap = { is: "retryable", error: "network_quota", isOfDay: true };

function setTime(now: number): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(now);
}

it("retries a Page's thirty-first reel for a day, and publishes it a day after the first", async () => {
  const start = Date.now();
  const page = await account();
  const sendReel = async () => {
    const reel = buildVideoPost("reel");
    return facebook.publish(reel, await ready(reel, page.context), page.context);
  };
  for (let count = 0; count < REELS_PER_DAY; count++) {
    if (count === 1) setTime(start + HOUR_MS);
    expect((await sendReel()).is).toBe("processing");
  }
  const refused = await sendReel();
  expect(refused).toMatchObject({ ...beyondCap, notBefore: expect.any(Number) });
  expect(await posts(page)).toHaveLength(REELS_PER_DAY);
  setTime(start + DAY_MS - HOUR_MS);
  expect(await sendReel()).toMatchObject(beyondCap);
  setTime(start + DAY_MS + HOUR_MS / 2);
  expect((await sendReel()).is).toBe("processing");
  expect(await sendReel()).toMatchObject(beyondCap);
});

it("retries a video beyond its channel's cap on YouTube for a day, and publishes it a day after the previous one", async () => {
  const start = Date.now();
  const channel = await connectNew("capped_");
  await publish(video("first"), channel);
  setTime(start + HOUR_MS / 2);
  const { answer } = await prepare(video("second"), channel.context);
  expect(answer).toMatchObject({ ...beyondCap, notBefore: expect.any(Number) });
  expect(await ledger(simulators, channel.handle)).toHaveLength(1);
  setTime(start + DAY_MS + HOUR_MS);
  const renewed = await youtube.refresh?.(channel.context);
  if (renewed?.is !== "fresh") return expect.fail(JSON.stringify(renewed));
  const context = { ...channel.context, credential: renewed.credential };
  expect((await prepare(video("second"), context)).answer.is).toBe("prepared");
});
