// A video that is uploaded to YouTube in three chunks.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { ledger, mp4 } from "./network-io.ts";
import { simulators } from "./simulators.ts";
import { type Channel, MIB, video, waitUntilProcessed } from "./youtube-driver.ts";

export const CHUNK_BYTES = (8 * MIB) / CHUNKS_DIVISOR;
const BYTES = 2 * CHUNK_BYTES + 1_000;
export const LARGE_FILE = mp4(BYTES);

export const buildLarge = (fields: Partial<MediaFile> = {}) =>
  video("large", { media: [{ ...LARGE_FILE, ...fields }] });
export const scriptStatus = (status: number, headers: object = {}) => ({ do: "status", status, body: "", headers });

/** Publishes a prepared video, and expects exactly one with every byte. */
export async function publishPrepared(publishKey: Json, { handle, context }: Channel, post = buildLarge()) {
  expect(await waitUntilProcessed(await youtube.publish(post, publishKey, context), context)).toMatchObject({
    is: "live",
  });
  const bytes = Buffer.from(await new Response(await LARGE_FILE.open()).arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: BYTES, sha256 }] }]);
}
