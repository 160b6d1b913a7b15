// Uploads of files. Images are uploaded whole, and videos in chunks of 4 MiB: images and videos APIs, version 202609.
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "hono";
import * as z from "zod";
import type { Ledger, ReceivedFile } from "../ledger.ts";
import type { SimulatorEnv, World } from "../simulator.ts";
import { ApiError, denied, invalid } from "./problem.ts";

const CHUNK_BYTES = 4_194_304;
const VIDEO_BYTES = { min: 75_000, max: 500_000_000 };
const OFFICE = "application/vnd.openxmlformats-officedocument";
const TYPES = {
  image: ["image/jpeg", "image/png", "image/gif"],
  video: ["video/mp4"],
  document: ["application/pdf", `${OFFICE}.presentationml.presentation`, `${OFFICE}.wordprocessingml.document`],
};
/** Documents API: 100 MB and 300 pages, read 2026-11-27. The pages are counted in simple PDFs only. */
const DOCUMENT = { bytes: 100_000_000, pages: 300 };

interface Medium {
  kind: "image" | "video" | "document";
  /** The pages of a document; 0 if they cannot be counted. */
  pages: number;
  account: string;
  owner: string;
  bytes: number;
  uploadToken: string;
  /** By part number. */
  chunks: Map<number, { content: Uint8Array<ArrayBuffer>; etag: string }>;
  file: ReceivedFile | null;
  /** A video's thumbnail; undefined: none was announced. */
  thumbnail?: ReceivedFile | null;
  /** A video's captions with their language; undefined: none were announced. */
  captions?: (ReceivedFile & { lang: string }) | null;
  /** How often a video's state was polled since it was finalized. The first poll reports that it is being processed. */
  polls: number;
}

export class Uploads {
  readonly #media: Map<string, Medium>;
  readonly #ledger: Ledger;
  readonly #origin: () => string;
  readonly #chunkBytes: number;

  constructor({ ledger, state, origin, chunksDivisor }: World) {
    this.#media = state.map("linkedin.media");
    this.#ledger = ledger;
    this.#origin = origin;
    this.#chunkBytes = CHUNK_BYTES / chunksDivisor;
  }

  #add(kind: Medium["kind"], account: string, owner: string, bytes: number): { urn: string; medium: Medium } {
    const urn = `urn:li:${kind}:C5F${randomBytes(8).toString("hex")}`;
    const uploadToken = kind === "video" ? randomBytes(6).toString("hex") : "";
    const medium: Medium = {
      kind,
      account,
      owner,
      bytes,
      uploadToken,
      chunks: new Map(),
      file: null,
      polls: 0,
      pages: 0,
    };
    this.#media.set(urn, medium);
    return { urn, medium };
  }

  initializeWhole(kind: "image" | "document", account: string, owner: string): object {
    const { urn } = this.#add(kind, account, owner, 0);
    const uploadUrl = `${this.#origin()}/linkedin/dms-uploads/${encodeURIComponent(urn)}/0`;
    return { value: { uploadUrlExpiresAt: Date.now() + 86_400_000, uploadUrl, [kind]: urn } };
  }

  initializeVideo(account: string, owner: string, request: Record<string, unknown>): object {
    const { fileSizeBytes: size, uploadThumbnail, uploadCaptions } = request;
    const bytes = Number(size);
    if (!Number.isInteger(size) || bytes < VIDEO_BYTES.min || bytes > VIDEO_BYTES.max)
      throw invalid("/initializeUploadRequest/fileSizeBytes", "fileSizeBytes is not within 75 KB and 500 MB");
    const { urn, medium } = this.#add("video", account, owner, bytes);
    const uploadInstructions = Array.from({ length: Math.ceil(bytes / this.#chunkBytes) }, (_, chunkIndex) => ({
      uploadUrl: `${this.#origin()}/linkedin/dms-uploads/${encodeURIComponent(urn)}/${chunkIndex}`,
      firstByte: chunkIndex * this.#chunkBytes,
      lastByte: Math.min((chunkIndex + 1) * this.#chunkBytes, bytes) - 1,
    }));
    const { uploadToken } = medium;
    const value = { uploadUrlsExpireAt: Date.now() + 86_400_000, video: urn, uploadInstructions, uploadToken };
    const address = (place: string) => `${this.#origin()}/linkedin/dms-uploads/${encodeURIComponent(urn)}/${place}`;
    if (uploadThumbnail === true) medium.thumbnail = null;
    if (uploadCaptions === true) medium.captions = null;
    return {
      value: {
        ...value,
        ...(uploadThumbnail === true && { thumbnailUploadUrl: address("thumbnail") }),
        ...(uploadCaptions === true && { captionsUploadUrl: address("captions") }),
      },
    };
  }

  /** The account whose upload an address is for. */
  accountOf(urn: string): string | undefined {
    return this.#media.get(urn)?.account;
  }

  /** One PUT to an issued address. An image also needs the token; for a part the address is enough. */
  async put(c: Context<SimulatorEnv>, urn: string, place: string, account: string | null): Promise<Response> {
    const medium = this.#media.get(urn);
    if (medium === undefined) return c.text("Upload URL is expired or unknown", 404);
    if (medium.kind !== "video") {
      if (account !== medium.account) return c.text("Unauthorized", 401);
      medium.file = await this.#ledger.receive(c.req.raw.body, c.req.header("content-type") ?? "");
      if (medium.kind === "document") medium.pages = countPages(this.#ledger.bytesOf(medium.file.sha256)?.bytes);
      return c.body(null, 201);
    }
    if (place === "thumbnail") {
      if (medium.thumbnail === undefined) return c.text("Upload URL is expired or unknown", 404);
      if (account !== medium.account) return c.text("Unauthorized", 401);
      const file = await this.#ledger.receive(c.req.raw.body, "application/octet-stream");
      if (!TYPES.image.includes(file.type))
        return Response.json({ message: "Unsupported image", status: 400 }, { status: 400 });
      medium.thumbnail = file;
      return c.body(null, 201);
    }
    if (place === "captions") {
      if (medium.captions === undefined) return c.text("Upload URL is expired or unknown", 404);
      if (account !== medium.account) return c.text("Unauthorized", 401);
      const captions = await readCaptions(c, this.#ledger);
      if (captions === null) return Response.json({ message: "Unsupported captions", status: 400 }, { status: 400 });
      medium.captions = captions;
      return c.body(null, 201);
    }
    const chunkIndex = Number(place);
    const content = new Uint8Array(await c.req.arrayBuffer());
    if (content.byteLength !== Math.min(this.#chunkBytes, medium.bytes - chunkIndex * this.#chunkBytes))
      return c.text("The part has another length than its address is for", 400);
    const etag = createHash("md5").update(content).digest("hex");
    medium.chunks.set(chunkIndex, { content, etag });
    return c.body(null, 200, { etag });
  }

  async finalize(account: string, request: Record<string, unknown>): Promise<void> {
    const medium = this.#media.get(String(request.video));
    if (medium?.account !== account || medium.kind !== "video") throw denied("videos");
    if (request.uploadToken !== medium.uploadToken)
      throw invalid("/finalizeUploadRequest/uploadToken", "uploadToken is not the one that was given");
    if (medium.thumbnail === null)
      throw invalid("/finalizeUploadRequest/video", "The thumbnail that was announced is not uploaded");
    if (medium.captions === null)
      throw invalid("/finalizeUploadRequest/video", "The captions that were announced are not uploaded");
    const chunks = [...medium.chunks].sort(([a], [b]) => a - b).map(([, chunk]) => chunk);
    const requestedPartIds = JSON.stringify(request.uploadedPartIds);
    if (
      chunks.length !== Math.ceil(medium.bytes / this.#chunkBytes) ||
      requestedPartIds !== JSON.stringify(chunks.map(({ etag }) => etag))
    )
      throw invalid("/finalizeUploadRequest/uploadedPartIds", "uploadedPartIds are not the chunks in their order");
    medium.file = await this.#ledger.receive(
      chunks.map(({ content }) => content),
      "",
    );
    medium.chunks.clear();
  }

  /** The state of a file. Only an account that may post for the owner may see it. */
  show(urn: string, kind: Medium["kind"], account: string): object {
    const medium = this.#media.get(urn);
    if (medium?.kind !== kind || medium.account !== account) throw new ApiError(404, "NOT_FOUND", `No ${kind} ${urn}`);
    if (medium.owner.startsWith("urn:li:person:") && kind !== "video") throw denied(`${kind}s.GET`);
    const status = getStatus(medium);
    if (medium.file !== null) medium.polls++;
    // Documented for videos only: community-management/shares/videos-api, read 2026-11-22.
    const failed = status === "PROCESSING_FAILED" && kind === "video";
    const reason = failed ? { processingFailureReason: "Unsupported media format" } : {};
    return { id: urn, owner: medium.owner, status, ...reason };
  }

  /** The file for a post of `owner`, if it is usable. */
  take(urn: unknown, owner: string, kinds: Medium["kind"][]): ReceivedFile {
    const medium = this.#media.get(String(urn));
    if (medium === undefined || medium.owner !== owner || !kinds.includes(medium.kind))
      throw invalid("/content", `${urn} is no ${kinds.join(" or ")} of ${owner}`);
    if (medium.file === null || getStatus(medium) !== "AVAILABLE")
      throw invalid("/content", `Media asset ${urn} is not ready`, "MEDIA_ASSET_PROCESSING", 422);
    return medium.file;
  }

  /** The thumbnail and the captions of a posted video, as details of its post. */
  besideVideo(media: unknown): { thumbnail?: ReceivedFile; captions?: (ReceivedFile & { lang: string })[] } {
    const urn = typeof media === "object" && media !== null && "id" in media ? String(media.id) : "";
    const { thumbnail, captions } = this.#media.get(urn) ?? {};
    return { ...(thumbnail && { thumbnail }), ...(captions && { captions: [captions] }) };
  }

  forget(account?: string): void {
    for (const [urn, medium] of this.#media)
      if (account === undefined || medium.account === account) this.#media.delete(urn);
  }
}

/** The form with captions: SRT only. null: it is refused. src/networks/linkedin/video.ts names the sources. */
async function readCaptions({ req }: Context<SimulatorEnv>, ledger: Ledger) {
  const form = await req.formData().catch(() => null);
  const file = form?.get("file");
  const metadata = readMetadata(form?.get("metadata"));
  if (!(file instanceof File) || metadata?.format !== "SRT") return null;
  const { locale } = metadata;
  const content = new Uint8Array(await file.arrayBuffer());
  if (!/^\uFEFF?\s*\d+\s*\r?\n\d\d:\d\d:\d\d,\d{3} -->/.test(Buffer.from(content).toString("utf8"))) return null;
  const lang = [locale.language.toLowerCase(), ...(locale.country === undefined ? [] : [locale.country])].join("-");
  return { ...ledger.keep(content, "application/x-subrip"), lang };
}

function readMetadata(json: unknown) {
  try {
    return Metadata.parse(JSON.parse(String(json)));
  } catch {
    return null;
  }
}

const Metadata = z.object({
  format: z.string(),
  locale: z.object({ language: z.string().regex(/^[A-Z]{2,3}$/), country: z.string().length(2).optional() }),
  transcriptType: z.literal("CLOSED_CAPTION"),
});

/** The pages of a PDF whose page objects are not compressed. */
const countPages = (bytes: Uint8Array | undefined): number =>
  bytes === undefined
    ? 0
    : (Buffer.from(bytes)
        .toString("latin1")
        .match(/\/Type\s*\/Page\b/g)?.length ?? 0);

function getStatus({ kind, file, polls, pages }: Medium): string {
  if (file === null) return "WAITING_UPLOAD";
  if (kind === "document" && (file.bytes > DOCUMENT.bytes || pages > DOCUMENT.pages)) return "PROCESSING_FAILED";
  if (!TYPES[kind].includes(file.type)) return "PROCESSING_FAILED";
  return kind === "video" && polls === 0 ? "PROCESSING" : "AVAILABLE";
}
