// A video in a playlist: added once, looked for when the answer was lost, refused in the network's words.
import { expect, it } from "vitest";
import { findNetwork } from "../../src/networks/index.ts";
import { buildPost, disconnect, prepareKey, rateLimit, readAccepted, startSession, waitUntilLive } from "./harness.ts";
import { fault } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

async function published() {
  const network = findNetwork("youtube") ?? expect.fail("no such network");
  const at = await startSession(simulators, network);
  const post = await buildPost(at, "feed", "video", 1);
  const publishKey = await prepareKey(at, post);
  const { id } = await waitUntilLive(at, await network.publish(post, publishKey, at.context), publishKey);
  const { add, isThere } = network.additions?.playlist ?? expect.fail("no playlists");
  const listed = await network.lookUps?.playlist?.list({}, at.context);
  const options = listed?.is === "options" ? listed.options : expect.fail("no list");
  const of = { id, publishKey };
  const first = options[0]?.value ?? "";
  return {
    at,
    id,
    options,
    add: (value = first, context = at.context) => add(of, { value }, context),
    isThere: (context = at.context) => isThere?.(of, { value: first }, context),
    playlists: async () => (await readAccepted(at)).flatMap(({ detail }) => detail.playlists ?? []),
  };
}

it("the channel's playlists are listed, page by page", async () => {
  const { options } = await published();
  expect(options.map(({ label }) => label)).toEqual(["Talks", "Made this year"]);
});

it("a video is added to one that was listed", async () => {
  const { add, isThere, options, playlists } = await published();
  expect(await isThere()).toMatchObject({ is: "not_found" });
  expect(await add()).toEqual({ is: "added" });
  expect(await isThere()).toEqual({ is: "added" });
  expect(await playlists()).toEqual([options[0]?.value]);
});

it("is unknown when its answer is lost, and found there", async () => {
  const { at, add, isThere, playlists } = await published();
  await fault(simulators, { platform: "youtube", call: "playlistItems.insert", do: "reset_after_accept" });
  expect((await add()).is).toBe("unknown");
  expect(await isThere()).toEqual({ is: "added" });
  expect(await playlists()).toHaveLength(1);
  expect((await add(undefined, disconnect(at))).is).toBe("unknown");
  expect(await add(undefined, rateLimit(at, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
});

it("nothing is said of it while YouTube cannot be asked, and the wait that it names is kept", async () => {
  const { at, isThere } = await published();
  expect(await isThere(disconnect(at))).toMatchObject({ is: "unknown" });
  expect(await isThere(rateLimit(at, 600))).toMatchObject({ is: "retryable", error: "network_quota" });
  const [headers, now] = [{ "retry-after": "90" }, at.context.io.now()];
  const fetch = async () => new Response("", { status: 503, headers });
  const busy = { ...at.context, io: { ...at.context.io, fetch, now: () => now } };
  expect(await isThere(busy)).toMatchObject({ notBefore: now + 90_000 });
});

it("is unknown when YouTube fails: a video that was added may not be added again", async () => {
  const { add } = await published();
  const body = { error: { code: 500, message: "Internal error", errors: [{ reason: "internalError" }] } };
  await fault(simulators, { platform: "youtube", call: "playlistItems.insert", do: "status", status: 500, body });
  expect((await add()).is).toBe("unknown");
});

it("is refused where the playlist or the video is not there", async () => {
  const { id, add, playlists } = await published();
  expect(await add("PLnobody")).toMatchObject({ is: "rejected", detail: "YouTube does not know this playlist." });
  await fetch(`${simulators.url}/_sim/posts/youtube/${id}`, { method: "DELETE" });
  expect(await add()).toMatchObject({ is: "rejected", detail: "YouTube does not know this video." });
  expect(await playlists()).toEqual([]);
});
