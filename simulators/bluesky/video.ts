// The video service: an upload becomes a job, and after a while the job becomes a blob of the account.
import { randomBytes } from "node:crypto";
import type { Ledger, ReceivedFile } from "../ledger.ts";
import type { World } from "../simulator.ts";
import { blobRef, VIDEO_BYTES_MAX } from "./record-rules.ts";
import type { Sessions } from "./sessions.ts";
import { bearer, type Call, invalid, type JsonObject, type Method, readBody, toText, XrpcError } from "./xrpc.ts";

const VIDEO_SERVICE = "did:web:video.bsky.app";
/** The accepted types; the service converts all of them to MP4: docs.bsky.app tutorials/video, read 2026-11-20. */
const TYPES = /^(video\/(mp4|mpeg|webm|quicktime)|image\/gif)$/;
const CHUNK_BYTES = 5 * 1024 * 1024;
/** How many polls report the video as unfinished. */
const POLLS_IN_PROGRESS = 2;

// The error's name is from bluesky-social/atproto issue 3097, read 2026-11-24.
const UNCONFIRMED = { error: "unconfirmed_email", message: "Please verify your email before uploading a video" };

interface Job {
  did: string;
  polls: number;
  file: ReceivedFile;
}
interface Upload {
  did: string;
  bytes: number;
  type: string;
  chunks: Map<number, Uint8Array>;
  jobId: string | null;
}

/** The account data that the service needs. */
export interface Owners {
  exists(did: string): boolean;
  /** Whether the account has never confirmed its email address. */
  isUnconfirmed(did: string): boolean;
  addBlob(did: string, file: ReceivedFile): void;
}

export class VideoService {
  readonly #jobs: Map<string, Job>;
  readonly #uploads: Map<string, Upload>;
  readonly #ledger: Ledger;
  readonly #sessions: Sessions;
  readonly #owners: Owners;
  /** The account's own server, which is the audience of upload tokens. */
  readonly #pdsAudiences: () => string[];

  readonly #chunkBytes: number;

  constructor(
    { ledger, state, chunksDivisor }: World,
    sessions: Sessions,
    owners: Owners,
    pdsAudiences: () => string[],
  ) {
    this.#jobs = state.map("bluesky.jobs");
    this.#uploads = state.map("bluesky.uploads");
    this.#ledger = ledger;
    this.#chunkBytes = CHUNK_BYTES / chunksDivisor;
    this.#sessions = sessions;
    this.#owners = owners;
    this.#pdsAudiences = pdsAudiences;
  }

  #chunkCount(bytes: number): number {
    return Math.ceil(bytes / this.#chunkBytes);
  }

  ownerOf(jobId: string): string | undefined {
    return (this.#jobs.get(jobId) ?? this.#uploads.get(jobId))?.did;
  }

  forget(did?: string): void {
    for (const itemsById of [this.#jobs, this.#uploads])
      for (const [id, owned] of itemsById) if (owned.did === (did ?? owned.did)) itemsById.delete(id);
  }

  mount(method: Method): void {
    method("get", "app.bsky.video.getUploadLimits", (c) => {
      const did = this.#sessions.checkPermission(bearer(c), "app.bsky.video.getUploadLimits", [VIDEO_SERVICE]);
      if (this.#owners.isUnconfirmed(did)) return Response.json({ canUpload: false, ...UNCONFIRMED });
      // 25 videos and 10 GB a day: an older figure from the official app; no documentation page gives one.
      return Response.json({ canUpload: true, remainingDailyVideos: 25, remainingDailyBytes: 10_000_000_000 });
    });
    method("post", "app.bsky.video.uploadVideo", (c) => this.#uploadWhole(c));
    method("post", "app.bsky.video.startUpload", (c) => this.#start(c));
    method("post", "app.bsky.video.uploadPart", (c) => this.#part(c));
    method("post", "app.bsky.video.finishUpload", (c) => this.#finish(c));
    method("get", "app.bsky.video.getUploadStatus", (c) => {
      const jobId = c.req.query("jobId") ?? "";
      const { bytes, chunks, jobId: completedJobId } = this.#upload(c, jobId);
      const uploadedParts = [...chunks.keys()].sort((a, b) => a - b);
      return Response.json({
        jobId,
        partSizeBytes: this.#chunkBytes,
        partCount: this.#chunkCount(bytes),
        uploadedParts,
        completedJobId,
      });
    });
    method("post", "app.bsky.video.abortUpload", async (c) => {
      const jobId = toText((await readBody(c)).jobId);
      this.#upload(c, jobId);
      this.#uploads.delete(jobId);
      return Response.json({});
    });
    method("get", "app.bsky.video.getJobStatus", (c) => {
      const jobId = c.req.query("jobId") ?? "";
      const job = this.#jobs.get(jobId);
      if (job === undefined) throw invalid("Job not found");
      job.polls++;
      return Response.json({ jobStatus: this.#status(jobId, job) });
    });
  }

  #permitted(c: Call): string {
    return this.#sessions.checkPermission(bearer(c), "com.atproto.repo.uploadBlob", this.#pdsAudiences());
  }

  /** Returns the bare status, as the live service does, although the lexicon wraps it. */
  async #uploadWhole(c: Call): Promise<Response> {
    const did = this.#permitted(c);
    if (this.#owners.isUnconfirmed(did)) return Response.json(UNCONFIRMED, { status: 401 });
    if (c.req.query("did") !== did || !this.#owners.exists(did)) throw invalid("did does not match the permission");
    const type = c.req.header("content-type") ?? "";
    if (!TYPES.test(type)) throw new XrpcError(400, "UnsupportedContentType", `unsupported content type ${type}`);
    const file = await this.#ledger.receive(c.req.raw.body, type);
    if (c.req.header("content-length") !== String(file.bytes)) throw invalid("content-length is missing or wrong");
    if (file.bytes > VIDEO_BYTES_MAX) throw new XrpcError(400, "VideoTooLarge", "video is too large");
    return this.#begin(did, file);
  }

  #begin(did: string, received: ReceivedFile): Response {
    const file = { ...received, type: "video/mp4" };
    const [knownJobId] = [...this.#jobs].find(([, job]) => job.did === did && job.file.sha256 === file.sha256) ?? [];
    const old = knownJobId === undefined ? undefined : this.#jobs.get(knownJobId);
    if (knownJobId !== undefined && old !== undefined && old.polls > POLLS_IN_PROGRESS) {
      // The live service answers the official app with 409 here. The status still includes the blob.
      const status = { ...this.#status(knownJobId, old), error: "already_exists", message: "Video already processed" };
      return Response.json(status, { status: 409 });
    }
    const jobId = randomBytes(8).toString("hex");
    this.#jobs.set(jobId, { did, polls: 0, file });
    return Response.json({ jobId, did, state: "JOB_STATE_CREATED", progress: 0 });
  }

  #status(jobId: string, { did, polls, file }: Job): JsonObject {
    if (polls <= POLLS_IN_PROGRESS) {
      return { jobId, did, state: polls < 2 ? "JOB_STATE_ENCODING" : "JOB_STATE_SCANNING", progress: 40 * polls };
    }
    this.#owners.addBlob(did, file);
    return { jobId, did, state: "JOB_STATE_COMPLETED", progress: 100, blob: blobRef(file) };
  }

  async #start(c: Call): Promise<Response> {
    const did = this.#permitted(c);
    const { sizeBytes, mimeType } = await readBody(c);
    if (typeof sizeBytes !== "number" || sizeBytes < 1) throw invalid("sizeBytes must be a positive integer");
    const type = toText(mimeType);
    if (!TYPES.test(type)) throw new XrpcError(400, "UnsupportedContentType", `unsupported content type ${type}`);
    if (sizeBytes > VIDEO_BYTES_MAX) throw new XrpcError(400, "VideoTooLarge", "video is too large");
    const jobId = randomBytes(8).toString("hex");
    this.#uploads.set(jobId, { did, bytes: sizeBytes, type, chunks: new Map(), jobId: null });
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    return Response.json({ jobId, partSizeBytes: this.#chunkBytes, partCount: this.#chunkCount(sizeBytes), expiresAt });
  }

  async #part(c: Call): Promise<Response> {
    const upload = this.#upload(c, c.req.query("jobId") ?? "");
    const number = Number(c.req.query("partNumber"));
    const count = this.#chunkCount(upload.bytes);
    if (!Number.isInteger(number) || number < 1 || number > count)
      throw new XrpcError(400, "InvalidPartNumber", `partNumber must be 1 to ${count}`);
    const expected = number < count ? this.#chunkBytes : upload.bytes - this.#chunkBytes * (count - 1);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.byteLength !== expected || c.req.header("content-length") !== String(expected))
      throw new XrpcError(400, "PartSizeMismatch", `part ${number} must be ${expected} bytes`);
    upload.chunks.set(number, bytes);
    // Both fields are required: app.bsky.video.uploadPart lexicon, read 2026-11-22.
    return Response.json({ partNumber: number, sizeBytes: expected });
  }

  async #finish(c: Call): Promise<Response> {
    const uploadId = toText((await readBody(c)).jobId);
    const upload = this.#upload(c, uploadId);
    if (upload.jobId === null) {
      const count = this.#chunkCount(upload.bytes);
      if (upload.chunks.size < count)
        throw new XrpcError(400, "MissingParts", `${count - upload.chunks.size} parts missing`);
      const ordered = [...upload.chunks].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
      const file = await this.#ledger.receive(ordered, upload.type);
      upload.chunks.clear();
      const { jobId }: { jobId: string } = await this.#begin(upload.did, file).json();
      upload.jobId = jobId;
    }
    const job = this.#jobs.get(upload.jobId);
    if (job === undefined) throw invalid("Job not found");
    return Response.json({ completedJobId: upload.jobId, jobStatus: this.#status(upload.jobId, job) });
  }

  #upload(c: Call, jobId: string): Upload {
    const did = this.#permitted(c);
    const upload = this.#uploads.get(jobId);
    if (upload?.did !== did) throw invalid("Job not found");
    return upload;
  }
}
