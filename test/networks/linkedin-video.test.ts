// Videos on LinkedIn are uploaded in chunks of 4 MiB. Each chunk is a checkpoint, wherever the upload breaks off.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pageUrn } from "../../simulators/linkedin/directory.ts";
import type { PrepareOutcome } from "../../src/domain/delivery/outcome.ts";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { fault, ledger, makeIO, makeUnreadable, mp4, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const CHUNK_BYTES = 4 * 1024 * 1024;
const LARGE_BYTES = 2 * CHUNK_BYTES + 12_345;
const LARGE = mp4(LARGE_BYTES);
const SMALL = mp4(CHUNK_BYTES + 1);

async function connectPage() {
  const name = unique("mover");
  const io = makeIO(simulators, "linkedin");
  const connected = await linkedin.connect({ access_token: `access-for-${name}`, account_id: pageUrn(name) }, io);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  const countUploads = () => io.calls.filter(({ url }) => url.includes("/dms-uploads/")).length;
  const countStarts = () => io.calls.filter(({ url }) => url.includes("videos?action=initializeUpload")).length;
  return { handle: connected.handle, context, countUploads, countStarts };
}

/** Prepares until the post is prepared, each time from the last saved publish key. */
async function prepareKey(
  post: Publication<Json>,
  context: ConnectorContext<Json>,
  savedKeys: Json[] = [],
): Promise<Json> {
  for (let i = 0; i < 10; i++) {
    const answer = await linkedin.prepare(
      post,
      context,
      savedKeys.at(-1) ?? null,
      async (publishKey) => void savedKeys.push(publishKey),
    );
    if (answer.is === "prepared") return answer.publishKey;
    if (answer.is !== "retryable") return expect.fail(JSON.stringify(answer));
  }
  return expect.fail("it never was ready");
}

const sha256 = async (media: MediaFile) =>
  createHash("sha256")
    .update(new Uint8Array(await new Response(await media.open()).arrayBuffer()))
    .digest("hex");

describe("a LinkedIn video", () => {
  it("is uploaded chunk by chunk, and is never held in memory as a whole", async () => {
    const { handle, context, countUploads, countStarts } = await connectPage();
    const whole = LARGE;
    const opened: unknown[] = [];
    const video: MediaFile = {
      ...whole,
      open: (range) => {
        opened.push(range);
        return whole.open(range);
      },
    };
    const post = publication("moving", { media: [video], options: { media_title: "A film" } });
    const savedKeys: Json[] = [];
    const publishKey = await prepareKey(post, context, savedKeys);
    expect(opened).toEqual([
      { offset: 0, length: CHUNK_BYTES },
      { offset: CHUNK_BYTES, length: CHUNK_BYTES },
      { offset: 2 * CHUNK_BYTES, length: 12_345 },
    ]);
    expect([countUploads(), countStarts()]).toEqual([3, 1]);
    expect(await linkedin.publish(post, publishKey, context)).toMatchObject({
      is: "live",
      id: expect.stringMatching(/:ugcPost:/),
    });
    expect(await ledger(simulators, handle)).toMatchObject([
      { media: [{ bytes: LARGE_BYTES, sha256: await sha256(whole), alt: null }], detail: { title: "A film" } },
    ]);
  });

  it("is retryable while the network is processing it, without using up a try", async () => {
    const { context } = await connectPage();
    const post = publication("moving", { media: [mp4(80_000)] });
    const waiting = await linkedin.prepare(post, context, null, async () => {});
    expect(waiting).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
  });

  // The checkpoints: the start, two chunks, the end and the processing. A crash before a checkpoint is stored loses it.
  it.each(
    [1, 2, 3, 4, 5].flatMap((checkpoint) => [
      [checkpoint, "before"],
      [checkpoint, "after"],
    ]),
  )("continues after a crash at checkpoint %i, %s it is stored", async (checkpoint, when) => {
    const { handle, context, countUploads, countStarts } = await connectPage();
    const post = publication("crash", { media: [SMALL] });
    const savedKeys: Json[] = [];
    let checkpoints = 0;
    const prepare = () =>
      linkedin.prepare(post, context, savedKeys.at(-1) ?? null, async (publishKey) => {
        const isCrashing = ++checkpoints === checkpoint;
        if (!isCrashing || when === "after") savedKeys.push(publishKey);
        if (isCrashing) throw new Error("the process ends here");
      });
    let answer: PrepareOutcome | null = null;
    while (answer?.is !== "prepared") answer = await prepare().catch(() => null);
    const again = when === "before" && checkpoint <= 3 ? 1 : 0;
    expect(countUploads() + countStarts(), "nothing goes twice but what was not stored").toBe(3 + again);
    expect((await linkedin.publish(post, answer.publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ sha256: await sha256(SMALL) }] }]);
  });

  it("uploads a chunk again if its answer was lost", async () => {
    const { handle, context, countUploads, countStarts } = await connectPage();
    const post = publication("lost part", { media: [LARGE] });
    const second = { platform: "linkedin", account: handle, call: "upload", skip: 1 };
    await fault(simulators, { ...second, do: "reset_after_accept" });
    const savedKeys: Json[] = [];
    const broken = await linkedin.prepare(post, context, null, async (publishKey) => void savedKeys.push(publishKey));
    expect(broken).toMatchObject({ is: "retryable", error: "network_unavailable" });
    await linkedin.publish(post, await prepareKey(post, context, savedKeys), context);
    expect([countUploads(), countStarts()]).toEqual([4, 1]);
    expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: LARGE_BYTES }] }]);
  });

  it.each([
    ["its upload URLs have expired", { call: "upload", skip: 1, status: 404 }],
    ["the last step is refused", { call: "videos?action=finalizeUpload", status: 400 }],
  ])("starts again if %s", async (_, rejection) => {
    const { handle, context, countStarts } = await connectPage();
    const post = publication("anew", { media: [LARGE] });
    await fault(simulators, { platform: "linkedin", account: handle, do: "status", body: {}, ...rejection });
    const publishKey = await prepareKey(post, context);
    expect(countStarts()).toBe(2);
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("is rejected with its file name if the network could not process it", async () => {
    const { handle, context } = await connectPage();
    const post = publication("bad", { media: [mp4(80_000)] });
    const body = { id: "urn:li:video:1", status: "PROCESSING_FAILED", processingFailureReason: "no video track" };
    await fault(simulators, {
      platform: "linkedin",
      account: handle,
      call: "videos/get",
      do: "status",
      status: 200,
      body,
    });
    expect(await linkedin.prepare(post, context, null, async () => {})).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringMatching(/^file 1 \(med_/),
      networkMessage: expect.stringContaining("no video track"),
    });
  });

  it("is not published if it cannot be read now", async () => {
    const { context } = await connectPage();
    const post = publication("gone", { media: [makeUnreadable(mp4(80_000), false)] });
    await expect(linkedin.prepare(post, context, null, async () => {})).rejects.toThrow("cannot be read");
  });
});
