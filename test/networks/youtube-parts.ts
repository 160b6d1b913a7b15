// A video that goes up to YouTube in three parts.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { ledger, mp4 } from "./network-io.ts";
import { simulators } from "./simulators.ts";
import { type Channel, MIB, processed, video } from "./youtube-driver.ts";

export const PART = (8 * MIB) / PARTS_DIVISOR;
const BYTES = 2 * PART + 1_000;
export const LARGE = mp4(BYTES);

export const large = (more: Partial<MediaFile> = {}) => video("large", { media: [{ ...LARGE, ...more }] });
export const script = (status: number, headers: object = {}) => ({ do: "status", status, body: "", headers });

/** Publishes a prepared video and follows it to its end: exactly one, with every byte. */
export async function finish(publishKey: Json, { handle, context }: Channel, post = large()) {
  expect(await processed(await youtube.publish(post, publishKey, context), context)).toMatchObject({ is: "live" });
  const bytes = Buffer.from(await new Response(await LARGE.open()).arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await ledger(simulators, handle)).toMatchObject([{ media: [{ bytes: BYTES, sha256 }] }]);
}
