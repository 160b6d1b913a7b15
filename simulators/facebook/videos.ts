// Videos are uploaded in three steps: a session gives the id, the bytes are uploaded, and the last call creates the post. The
// limits are from the guides for reels and Page stories, read 2026-11-20. The three phases of `/videos` work as
// facebook-python-business-sdk uses them.
import type { Ledger, LedgerMedia } from "../ledger.ts";
import type { World } from "../simulator.ts";
import { sniff } from "../sniff.ts";
import { type Call, type Fields, GraphError, invalidParameter, isTrue, type Json, noObject, toText } from "./graph.ts";
import type { Page } from "./people.ts";
import { newId, PLATFORM, type Posts } from "./posts.ts";

/** Bytes per chunk that `/videos` requests. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Maximum reels of a Page in 24 hours. */
const REELS_MAX = 30;
const DAY_MS = 24 * 3_600_000;
/** How many polls report a finished upload as still processing. */
const POLLS_IN_PROGRESS = 1;
/** Maximum bytes of a thumbnail. */
const THUMBNAIL_BYTES_MAX = 10 * 1024 * 1024;
const HEAD_BYTES = 65_536;
const MEDIA_TYPES = ["video/mp4", "video/quicktime"];

type Kind = "reel" | "story" | "video";
interface Video {
  id: string;
  page: Page;
  kind: Kind;
  sessionId: string | null;
  /** The document whose spelling the video's status uses. The videos of a Page alternate between the two documents. */
  words: "guide" | "specification";
  /** The total bytes that the caller declared; null before. */
  size: number | null;
  pieces: Uint8Array[];
  sent: number;
  /** Null until the caller finishes the upload. */
  finished: { at: number; postId: string | null; draft: boolean } | null;
  polls: number;
  description: string;
}

export class Videos {
  readonly #videos: Map<string, Video>;
  readonly #ledger: Ledger;
  readonly #posts: Posts;
  readonly #chunkBytes: number;

  constructor({ ledger, state, chunksDivisor }: World, posts: Posts) {
    this.#videos = state.map("facebook.videos");
    this.#ledger = ledger;
    this.#posts = posts;
    this.#chunkBytes = CHUNK_BYTES / chunksDivisor;
  }

  find(id: string): Video | undefined {
    return this.#videos.get(id);
  }
  remove(postId: string): void {
    for (const [id, { finished }] of this.#videos) if (finished?.postId === postId) this.#videos.delete(id);
  }
  forget(page?: Page): void {
    for (const [id, video] of this.#videos) if (page === undefined || video.page === page) this.#videos.delete(id);
  }

  #begin(page: Page, kind: Kind, size: number | null): Video {
    const sessionId = kind === "video" ? newId() : null;
    const before = [...this.#videos.values()].filter((video) => video.page === page).length;
    const words = before % 2 === 0 ? ("guide" as const) : ("specification" as const);
    const video = {
      id: newId(),
      page,
      kind,
      sessionId,
      words,
      size,
      pieces: [],
      sent: 0,
      finished: null,
      polls: 0,
      description: "",
    };
    this.#videos.set(video.id, video);
    return video;
  }

  /** `POST /{page}/video_reels` and `/video_stories` */
  async phase(call: Call, page: Page, kind: "reel" | "story"): Promise<Json> {
    const { fields } = call;
    const phase = toText(fields.upload_phase);
    if (phase === "start") {
      const { id } = this.#begin(page, kind, null);
      return { video_id: id, upload_url: `https://rupload.facebook.com/video-upload/v26.0/${id}` };
    }
    if (phase !== "finish") throw invalidParameter("Param upload_phase must be one of {START, FINISH}");
    const video = this.#videos.get(toText(fields.video_id));
    if (video?.page !== page || video.kind !== kind) throw invalidParameter("Invalid video_id");
    if (kind === "reel" && fields.video_state !== "PUBLISHED")
      throw invalidParameter("Param video_state must be one of {DRAFT, SCHEDULED, PUBLISHED}");
    const postId = await this.#finish(video, toText(fields.description), toText(fields.title));
    return kind === "story" ? { success: true, post_id: postId } : { success: true };
  }

  /** `POST /{page}/videos` */
  async plain(call: Call, page: Page): Promise<Json> {
    const { fields, chunk } = call;
    const phase = toText(fields.upload_phase);
    if (phase === "start") {
      const size = Number(toText(fields.file_size));
      if (!Number.isInteger(size) || size <= 0) throw invalidParameter("Param file_size must be a positive integer");
      const video = this.#begin(page, "video", size);
      return { video_id: video.id, upload_session_id: video.sessionId, ...this.#offsetsOf(video) };
    }
    const session = toText(fields.upload_session_id);
    const video = [...this.#videos.values()].find(({ sessionId }) => session !== "" && sessionId === session);
    if (video?.page !== page) throw invalidParameter("Invalid upload_session_id");
    if (phase === "transfer") return this.#transfer(video, Number(toText(fields.start_offset)), chunk);
    if (phase !== "finish") throw invalidParameter("Param upload_phase must be one of {start, transfer, finish}");
    if (video.sent !== video.size) throw invalidParameter("The video is not uploaded completely");
    await this.#finish(video, toText(fields.description), toText(fields.title));
    return { success: true };
  }

  #offsetsOf({ sent, size }: Video) {
    return { start_offset: String(sent), end_offset: String(Math.min(sent + this.#chunkBytes, size ?? 0)) };
  }

  #transfer(video: Video, start: number, chunk: Call["chunk"]): Json {
    const end = Math.min(video.sent + this.#chunkBytes, video.size ?? 0);
    if (start !== video.sent)
      throw new GraphError(6000, "There was a problem uploading your video file. Please try again.", {
        subcode: 1363037,
        data: this.#offsetsOf(video),
      });
    if (chunk === null || chunk.byteLength === 0 || start + chunk.byteLength > end)
      throw invalidParameter("Param video_file_chunk does not fit the offsets");
    video.pieces.push(chunk);
    video.sent += chunk.byteLength;
    return this.#offsetsOf(video);
  }

  /**
   * `POST rupload.facebook.com/video-upload/{video}`: one request has the whole rest of the file. If the request is too short,
   * the received bytes are kept.
   */
  async upload(
    id: string,
    page: Page,
    header: (name: string) => string | undefined,
    body: ReadableStream<Uint8Array> | null,
  ): Promise<Response> {
    const video = this.#videos.get(id);
    if (video?.page !== page || video.kind === "video") throw noObject("POST", id);
    const [offset, size] = [Number(header("offset")), Number(header("file_size"))];
    const isReadable = Number.isInteger(offset) && Number.isInteger(size) && size > 0;
    if (!isReadable || offset !== video.sent || offset > size) {
      // Reads the body before answering. Otherwise a caller that is still sending would find its connection closed.
      await body?.pipeTo(new WritableStream());
      return isReadable
        ? uploadError("OffsetInvalidError", "Request starting offset is invalid", false)
        : uploadError("ProcessingFailedError", "Request processing failed", false);
    }
    video.size = size;
    for await (const piece of body ?? []) {
      video.pieces.push(piece);
      video.sent += piece.byteLength;
    }
    if (video.sent !== size)
      return uploadError("PartialRequestError", "Partial request (did not match length of file)", true);
    return Response.json({ success: true });
  }

  async #finish(video: Video, description: string, title: string): Promise<string> {
    if (video.finished !== null) return video.finished.postId ?? "";
    if (video.size === null || video.sent !== video.size)
      throw new GraphError(6000, "There was a problem uploading your video file.", { subcode: 1363042 });
    this.#checkReels(video);
    const { page, kind, id } = video;
    const head = readHead(video);
    if (kind === "story" && isBroken(head))
      throw new GraphError(6000, "There was a problem uploading your video file.", { subcode: 1363024 });
    const draft = kind === "video" && isUpright(head);
    video.description = description;
    video.finished = { at: Date.now(), postId: null, draft };
    // An invalid file is detected later, and never shown.
    if (draft || isBroken(head)) return "";
    const media: LedgerMedia[] = [{ ...(await this.#ledger.receive(video.pieces, "video/mp4")), alt: null }];
    // The ledger has the file now, so the chunks of a large file can be released.
    video.pieces = [head];
    if (kind === "story") {
      video.finished.postId = this.#posts.publishStory(page, [], id, media).id;
      return video.finished.postId;
    }
    const url = `https://www.facebook.com${buildPath(video)}`;
    const post = { id: `${page.id}_${newId()}`, page, message: description, url, photos: [], link: null };
    this.#posts.publish({ ...post, videoId: id, story: false }, media, id, {
      detail: { kind, title: title === "" ? null : title },
    });
    video.finished.postId = post.id;
    return post.id;
  }

  /** `POST /{video}/thumbnails`: docs/graph-api/reference/video/thumbnails, read 2026-11-22. */
  setThumbnail({ node, fields, chunk }: Call, page: Page | null): Json {
    const video = this.#videos.get(node);
    if (page === null || video?.page !== page) throw noObject("POST", node);
    if (chunk === null) throw invalidParameter("Param source is required");
    const file = this.#ledger.keep(chunk, "application/octet-stream");
    if (file.bytes > THUMBNAIL_BYTES_MAX || !file.type.startsWith("image/"))
      throw invalidParameter("Invalid parameter: the thumbnail must be an image of at most 10 MB");
    const preferred = isTrue(fields.is_preferred);
    this.#ledger.append(PLATFORM, video.finished?.postId ?? "", "thumbnails", { ...file, preferred });
    return { success: true };
  }

  #checkReels({ kind, page }: Video): void {
    const since = Date.now() - DAY_MS;
    const reels = [...this.#videos.values()].filter(
      (video) => video.kind === "reel" && video.page === page && (video.finished?.at ?? 0) > since,
    );
    if (kind === "reel" && reels.length >= REELS_MAX)
      throw new GraphError(613, "(#613) Calls to this api have exceeded the rate limit.");
  }

  /** A video as its own node. Each poll advances its processing. */
  nodeOf(video: Video): Fields & { id: string } {
    const { id, finished, sent, size } = video;
    if (finished !== null) video.polls++;
    const uploaded = size !== null && sent === size;
    const working = video.polls <= POLLS_IN_PROGRESS;
    const broken = uploaded && isBroken(readHead(video));
    const isDone = finished !== null && !working && !broken;
    const uploading_phase: Fields = { status: uploaded ? "complete" : sent > 0 ? "in_progress" : "not_started" };
    const guide = video.words === "guide";
    if (!uploaded) uploading_phase[guide ? "bytes_transfered" : "bytes_transferred"] = sent;
    const error = { code: 1363024, message: "Video could not be processed." };
    const processing_phase: Fields = broken
      ? { status: "error", ...(guide ? { error: { message: error.message } } : { errors: [error] }) }
      : { status: isDone ? "complete" : uploaded ? "in_progress" : "not_started" };
    const publishing_phase: Fields = isDone
      ? {
          status: "complete",
          publish_status: finished.draft ? "draft" : "published",
          publish_time: Math.floor(finished.at / 1000),
        }
      : { status: "not_started" };
    const video_status = broken ? "error" : isDone ? "ready" : uploaded ? "processing" : "uploading";
    const status = { video_status, uploading_phase, processing_phase, publishing_phase };
    const published = isDone && !finished.draft;
    const post_id = isDone && finished.postId !== null ? (finished.postId.split("_").at(-1) ?? null) : null;
    const description = video.description === "" ? null : video.description;
    return { id, status, permalink_url: buildPath(video), published, post_id, description };
  }
}

/** The address of a video, which the network returns without a host. */
const buildPath = ({ id, kind, page }: Video) => (kind === "reel" ? `/reel/${id}/` : `/${page.id}/videos/${id}/`);

/** The first bytes of a file, which are enough to detect its type. */
function readHead({ pieces }: Video): Buffer {
  let length = 0;
  const first = pieces.filter((piece) => {
    const isNeeded = length < HEAD_BYTES;
    length += piece.byteLength;
    return isNeeded;
  });
  return Buffer.concat(first).subarray(0, HEAD_BYTES);
}

const isBroken = (head: Uint8Array) => !MEDIA_TYPES.includes(sniff(head) ?? "");

/** Whether the track header says 9:16. A file without a track header counts as landscape. */
function isUpright(head: Buffer): boolean {
  const headerIndex = head.indexOf("tkhd");
  if (headerIndex < 0 || head.byteLength < headerIndex + 88) return false;
  // ISO 14496-12: width and height are 16.16 numbers 76 bytes into a header of version 0.
  const [width, height] = [head.readUInt32BE(headerIndex + 80), head.readUInt32BE(headerIndex + 84)];
  return height > 0 && Math.abs(width / height - 9 / 16) < 0.01;
}

function uploadError(type: string, message: string, retriable: boolean): Response {
  return Response.json({ debug_info: { retriable, type, message } });
}
