// Videos on LinkedIn: parts of 4 MiB, each a checkpoint, whatever breaks off where.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { pageUrn } from "../../simulators/linkedin/directory.ts";
import type { PrepareOutcome } from "../../src/domain/delivery/outcome.ts";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { ConnectorContext, Publication } from "../../src/networks/network.ts";
import { fault, gone, ledger, makeIO, mp4, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const PART_BYTES = 4 * 1024 * 1024;
const LARGE_BYTES = 2 * PART_BYTES + 12_345;
const LARGE = mp4(LARGE_BYTES);
const SMALL = mp4(PART_BYTES + 1);

async function page() {
  const name = unique("mover");
  const io = makeIO(simulators, "linkedin");
  const connected = await linkedin.connect({ access_token: `access-for-${name}`, account_id: pageUrn(name) }, io);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  const parts = () => io.calls.filter(({ url }) => url.includes("/dms-uploads/")).length;
  const begun = () => io.calls.filter(({ url }) => url.includes("videos?action=initializeUpload")).length;
  return { handle: connected.handle, context, parts, begun };
}

/** Prepares until it is ready, with the last handle that was saved each time. */
async function ready(post: Publication<Json>, context: ConnectorContext<Json>, saved: Json[] = []): Promise<Json> {
  for (let i = 0; i < 10; i++) {
    const answer = await linkedin.prepare(
      post,
      context,
      saved.at(-1) ?? null,
      async (publishKey) => void saved.push(publishKey),
    );
    if (answer.is === "prepared") return answer.publishKey;
    if (answer.is !== "retryable") return expect.fail(JSON.stringify(answer));
  }
  return expect.fail("it never was ready");
}

const sha256 = async (of: MediaFile) =>
  createHash("sha256")
    .update(new Uint8Array(await new Response(await of.open()).arrayBuffer()))
    .digest("hex");

describe("a video", () => {
  it("of several parts goes up part by part, none of it held for long", async () => {
    const { handle, context, parts, begun } = await page();
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
    const saved: Json[] = [];
    const publishKey = await ready(post, context, saved);
    expect(opened).toEqual([
      { offset: 0, length: PART_BYTES },
      { offset: PART_BYTES, length: PART_BYTES },
      { offset: 2 * PART_BYTES, length: 12_345 },
    ]);
    expect([parts(), begun()]).toEqual([3, 1]);
    expect(await linkedin.publish(post, publishKey, context)).toMatchObject({
      is: "live",
      id: expect.stringMatching(/:ugcPost:/),
    });
    expect(await ledger(simulators, handle)).toMatchObject([
      { media: [{ bytes: LARGE_BYTES, sha256: await sha256(whole), alt: null }], detail: { title: "A film" } },
    ]);
  });

  it("waits while the network works on it, and no try is used up", async () => {
    const { context } = await page();
    const post = publication("moving", { media: [mp4(80_000)] });
    const waiting = await linkedin.prepare(post, context, null, async () => {});
    expect(waiting).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
  });

  // Begun, two parts, closed, worked on. A handle that was not stored any more is as good as none.
  it.each(
    [1, 2, 3, 4, 5].flatMap((checkpoint) => [
      [checkpoint, "before"],
      [checkpoint, "after"],
    ]),
  )("goes on after a crash at checkpoint %i, %s it is stored", async (checkpoint, when) => {
    const { handle, context, parts, begun } = await page();
    const post = publication("crash", { media: [SMALL] });
    const saved: Json[] = [];
    let checkpoints = 0;
    const prepare = () =>
      linkedin.prepare(post, context, saved.at(-1) ?? null, async (publishKey) => {
        const dies = ++checkpoints === checkpoint;
        if (!dies || when === "after") saved.push(publishKey);
        if (dies) throw new Error("the process ends here");
      });
    let answer: PrepareOutcome | null = null;
    while (answer?.is !== "prepared") answer = await prepare().catch(() => null);
    const again = when === "before" && checkpoint <= 3 ? 1 : 0;
    expect(parts() + begun(), "nothing goes twice but what was not stored").toBe(3 + again);
    expect((await linkedin.publish(post, answer.publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ sha256: await sha256(SMALL) }] }]);
  });

  it("sends a part again whose answer was lost", async () => {
    const { handle, context, parts, begun } = await page();
    const post = publication("lost part", { media: [LARGE] });
    const second = { platform: "linkedin", account: handle, call: "upload", skip: 1 };
    await fault(simulators, { ...second, do: "reset_after_accept" });
    const saved: Json[] = [];
    const broken = await linkedin.prepare(post, context, null, async (publishKey) => void saved.push(publishKey));
    expect(broken).toMatchObject({ is: "retryable", error: "network_unavailable" });
    await linkedin.publish(post, await ready(post, context, saved), context);
    expect([parts(), begun()]).toEqual([4, 1]);
    expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: LARGE_BYTES }] }]);
  });

  it.each([
    ["the addresses have expired", { call: "upload", skip: 1, status: 404 }],
    ["closing it is refused", { call: "videos?action=finalizeUpload", status: 400 }],
  ])("begins anew when %s", async (_, rejection) => {
    const { handle, context, begun } = await page();
    const post = publication("anew", { media: [LARGE] });
    await fault(simulators, { platform: "linkedin", account: handle, do: "status", body: {}, ...rejection });
    const publishKey = await ready(post, context);
    expect(begun()).toBe(2);
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("that the network could not use is refused, and named", async () => {
    const { handle, context } = await page();
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

  it("that cannot be read now is not sent", async () => {
    const { context } = await page();
    const post = publication("gone", { media: [gone(mp4(80_000), false)] });
    await expect(linkedin.prepare(post, context, null, async () => {})).rejects.toThrow("cannot be read");
  });
});
