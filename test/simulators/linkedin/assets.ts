// Images and videos as they arrive: an image whole, a video in parts of 4 MiB that are put together in the order of their
// ETags, then worked on for one look.
import { createHash } from "node:crypto";
import type { Ledger, ReceivedFile } from "../ledger.ts";

export interface Asset {
  owner: string;
  kind: "image" | "video";
  bytesTotal: number;
  token: string;
  parts: Map<string, Uint8Array<ArrayBuffer>>;
  file: ReceivedFile | null;
  looks: number;
}
// learn.microsoft.com, videos API, as quoted by dated notes read 2026-11-20.
const PART_BYTES = 4_194_304;
const VIDEO_BYTES = { min: 75_000, max: 500_000_000 };

export class AssetRefused extends Error {}

export class Assets {
  readonly #assets = new Map<string, Asset>();
  readonly #ledger: Ledger;
  #count = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  begin(
    kind: Asset["kind"],
    owner: string,
    bytesTotal: number,
  ): { urn: string; asset: Asset; parts: [number, number][] } {
    if (kind === "video" && (bytesTotal < VIDEO_BYTES.min || bytesTotal > VIDEO_BYTES.max))
      throw new AssetRefused("fileSizeBytes is out of range");
    const urn = `urn:li:${kind}:C4E${String(++this.#count).padStart(8, "0")}`;
    const asset: Asset = { owner, kind, bytesTotal, token: `up${this.#count}`, parts: new Map(), file: null, looks: 0 };
    this.#assets.set(urn, asset);
    const parts: [number, number][] = [];
    for (let first = 0; first < bytesTotal; first += PART_BYTES)
      parts.push([first, Math.min(first + PART_BYTES, bytesTotal) - 1]);
    return { urn, asset, parts };
  }

  find(urn: string): Asset | undefined {
    return this.#assets.get(urn);
  }

  async receiveImage(asset: Asset, body: ReadableStream<Uint8Array> | null, type: string): Promise<boolean> {
    const file = await this.#ledger.receive(body, type);
    if (!["image/jpeg", "image/png", "image/gif"].includes(file.type)) return false;
    asset.file = file;
    return true;
  }

  /** Keeps a part and returns its ETag. */
  receivePart(asset: Asset, bytes: Uint8Array<ArrayBuffer>): string {
    const etag = createHash("md5").update(bytes).update(String(asset.parts.size)).digest("hex");
    asset.parts.set(etag, bytes);
    return etag;
  }

  async finalize(asset: Asset, uploadToken: unknown, etags: unknown): Promise<void> {
    if (uploadToken !== asset.token || !Array.isArray(etags))
      throw new AssetRefused("uploadToken or uploadedPartIds are wrong");
    const parts = etags.map((etag) => asset.parts.get(String(etag)));
    const whole = parts.flatMap((part) => part ?? []);
    if (whole.length !== parts.length) throw new AssetRefused("uploadedPartIds names a part that is not there");
    const file = await this.#ledger.receive(whole, "video/mp4");
    if (file.bytes !== asset.bytesTotal) throw new AssetRefused("the parts do not add up to fileSizeBytes");
    asset.parts.clear();
    asset.file = file;
  }

  statusOf(asset: Asset): string {
    if (asset.file === null) return "WAITING_UPLOAD";
    if (asset.kind === "image") return "AVAILABLE";
    if (asset.file.type !== "video/mp4") return "PROCESSING_FAILED";
    return asset.looks++ === 0 ? "PROCESSING" : "AVAILABLE";
  }

  forget(owners: (owner: string) => boolean): void {
    for (const [urn, { owner }] of this.#assets) if (owners(owner)) this.#assets.delete(urn);
  }
}
