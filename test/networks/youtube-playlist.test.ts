// A video in a playlist: added once, reconciled after a lost answer, and rejected in the network's words.
import { expect, it } from "vitest";
import { findNetwork } from "../../src/networks/index.ts";
import { buildPost, disconnect, prepareKey, rateLimit, readAccepted, startSession, waitUntilLive } from "./harness.ts";
import { fault } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

async function publishVideo() {
  const network = findNetwork("youtube") ?? expect.fail("no such network");
  const session = await startSession(simulators, network);
  const post = await buildPost(session, "feed", "video", 1);
  const publishKey = await prepareKey(session, post);
  const { id } = await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
  const { add, isThere } = network.additions?.playlist ?? expect.fail("no playlists");
  const listed = await network.lookUps?.playlist?.list({}, session.context);
  const options = listed?.is === "options" ? listed.options : expect.fail("no list");
  const publishedVideo = { id, publishKey };
  const first = options[0]?.value ?? "";
  return {
    session,
    id,
    options,
    add: (value = first, context = session.context) => add(publishedVideo, { value }, context),
    isThere: (context = session.context) => isThere?.(publishedVideo, { value: first }, context),
    playlists: async () => (await readAccepted(session)).flatMap(({ detail }) => detail.playlists ?? []),
  };
}

it("lists the playlists of a channel, page by page", async () => {
  const { options } = await publishVideo();
  expect(options.map(({ label }) => label)).toEqual(["Talks", "Made this year"]);
});

it("adds a video to a listed playlist", async () => {
  const { add, isThere, options, playlists } = await publishVideo();
  expect(await isThere()).toMatchObject({ is: "not_found" });
  expect(await add()).toEqual({ is: "added" });
  expect(await isThere()).toEqual({ is: "added" });
  expect(await playlists()).toEqual([options[0]?.value]);
});

it("reports unknown after a lost answer, and then finds the video in the playlist", async () => {
  const { session, add, isThere, playlists } = await publishVideo();
  await fault(simulators, { platform: "youtube", call: "playlistItems.insert", do: "reset_after_accept" });
  expect((await add()).is).toBe("unknown");
  expect(await isThere()).toEqual({ is: "added" });
  expect(await playlists()).toHaveLength(1);
  expect((await add(undefined, disconnect(session))).is).toBe("unknown");
  expect(await add(undefined, rateLimit(session, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
});

it("decides nothing while YouTube does not answer, and keeps the wait that it names", async () => {
  const { session, isThere } = await publishVideo();
  expect(await isThere(disconnect(session))).toMatchObject({ is: "unknown" });
  expect(await isThere(rateLimit(session, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
  const [headers, now] = [{ "retry-after": "90" }, session.context.io.now()];
  const fetch = async () => new Response("", { status: 503, headers });
  const busy = { ...session.context, io: { ...session.context.io, fetch, now: () => now } };
  expect(await isThere(busy)).toMatchObject({ notBefore: now + 90_000 });
});

it("reports unknown if YouTube fails, because an added video must not be added again", async () => {
  const { add } = await publishVideo();
  const body = { error: { code: 500, message: "Internal error", errors: [{ reason: "internalError" }] } };
  await fault(simulators, { platform: "youtube", call: "playlistItems.insert", do: "status", status: 500, body });
  expect((await add()).is).toBe("unknown");
});

it("is rejected if the playlist or the video does not exist", async () => {
  const { id, add, playlists } = await publishVideo();
  expect(await add("PLnobody")).toMatchObject({ is: "rejected", detail: "YouTube does not know this playlist." });
  await fetch(`${simulators.url}/_sim/posts/youtube/${id}`, { method: "DELETE" });
  expect(await add()).toMatchObject({ is: "rejected", detail: "YouTube does not know this video." });
  expect(await playlists()).toEqual([]);
});
