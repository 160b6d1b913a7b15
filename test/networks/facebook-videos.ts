// Videos of every kind for the tests of Facebook.
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { Publication } from "../../src/networks/network.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { account, type TestPage } from "./facebook-page.ts";
import { mp4, publication } from "./network-io.ts";

/**
 * Creates a Page whose next video reports its status in the given spelling. The simulator alternates between the
 * spellings.
 */
export const SPELLINGS = ["guide", "specification"] as const;
export async function createPageWithSpelling(spelling: (typeof SPELLINGS)[number]): Promise<TestPage> {
  const testPage = await account();
  const { page_token } = testPage.context.credential as { page_token: string };
  const headers = { authorization: `Bearer ${page_token}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ upload_phase: "start" }) };
  if (spelling === "specification")
    await testPage.context.io.fetch(`https://graph.facebook.com/v25.0/${testPage.id}/video_reels`, init);
  testPage.calls.length = 0;
  return testPage;
}
export const inBothSpellings = <K>(kinds: readonly K[]) =>
  kinds.flatMap((kind) => SPELLINGS.map((spelling) => [kind, spelling] as const));

export const BYTES = 300_000;
/** A video that fits a reel. */
export const upright = (facts: Partial<MediaFile> = {}) =>
  mp4(BYTES, { width: 1080, height: 1920, seconds: 30, ...facts });
export const wide = (facts: Partial<MediaFile> = {}) =>
  mp4(BYTES, { width: 1920, height: 1080, seconds: 30, ...facts });
/** The size of a chunk in the simulator. A large video has three chunks. */
export const CHUNK_BYTES = (4 * 1024 * 1024) / CHUNKS_DIVISOR;
export const LARGE_BYTES = 2 * CHUNK_BYTES + 10_000;

export type Kind = "reel" | "story" | "video";
export const KINDS: Kind[] = ["reel", "story", "video"];
export function buildVideoPost(kind: Kind, media: MediaFile = kind === "reel" ? upright() : wide()): Publication<Json> {
  if (kind === "story") return publication("", { media: [media], postType: "story" });
  if (kind === "reel") return publication("words & Wörter", { media: [media], postType: "reel" });
  return publication("words & Wörter", { media: [media], options: { video_as: "feed" } });
}
