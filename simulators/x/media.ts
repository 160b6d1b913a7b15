// Uploads of files. An image is uploaded whole. A GIF or a video is uploaded in segments, which may be repeated, and is then
// processed.
import type { Context } from "hono";
import type { Ledger, LedgerMedia, ReceivedFile } from "../ledger.ts";
import type { SimulatorEnv, World } from "../simulator.ts";
import type { State } from "../state.ts";
import { invalid, tooLarge } from "./problem.ts";

export interface Medium {
  account: string;
  category: string;
  declaredType: string;
  totalBytes: number;
  segments: Map<number, Uint8Array<ArrayBuffer>>;
  file: ReceivedFile | null;
  alt: string | null;
  /** What its post warns of. */
  warnings?: string[];
  /** How often its state was polled since it was finalized. The first poll reports that it is being processed. */
  polls: number;
}

// docs.x.com/x-api/media/quickstart/best-practices as of commit 0c986f00, read 2026-11-22.
const BYTES_MAX: Record<string, number> = { tweet_image: 5_000_000, tweet_gif: 15_000_000, tweet_video: 8_000_000_000 };
const TYPES: Record<string, string[]> = {
  tweet_image: ["image/jpeg", "image/png", "image/webp"],
  tweet_gif: ["image/gif"],
  tweet_video: ["video/mp4", "video/quicktime", "video/webm"],
};
const ALT_MAX = 1_000;
const WARNINGS = ["adult_content", "graphic_violence", "other"];
const SEGMENTS_MAX = 1_000;
/**
 * X refuses larger segments with 431 (abraham/twitteroauth issue 1257, read 2026-11-24), except for files that would otherwise
 * have more than 1,000 segments.
 */
const SEGMENT_BYTES = 1024 * 1024;

export class MediaStore {
  readonly #media: Map<string, Medium>;
  readonly #ledger: Ledger;
  readonly #state: State;
  readonly #segmentBytes: number;

  constructor({ ledger, state, chunksDivisor }: World) {
    this.#segmentBytes = SEGMENT_BYTES / chunksDivisor;
    this.#media = state.map("x.media");
    this.#ledger = ledger;
    this.#state = state;
  }

  #add(account: string, category: string, declaredType: string, totalBytes: number): [string, Medium] {
    if (BYTES_MAX[category] === undefined) throw invalid(`media_category ${category} is not one of the enum`);
    if (totalBytes > BYTES_MAX[category]) throw invalid(`The file is larger than ${BYTES_MAX[category]} bytes`);
    const medium = {
      account,
      category,
      declaredType,
      totalBytes,
      segments: new Map(),
      file: null,
      alt: null,
      polls: 0,
    };
    const id = String(this.#state.next("x.media", 1_900_000_000_000_000_000n));
    this.#media.set(id, medium);
    return [id, medium];
  }

  find(id: unknown, account: string): Medium {
    const medium = this.#media.get(String(id));
    if (medium === undefined || medium.account !== account) throw invalid("Your media IDs are invalid.");
    return medium;
  }

  async uploadImage(c: Context<SimulatorEnv>, account: string): Promise<object> {
    const form = await c.req.formData();
    const file = form.get("media");
    const category = String(form.get("media_category") ?? "");
    if (!(file instanceof File)) throw invalid("media is required");
    if (category !== "tweet_image") throw invalid("One-shot uploads are for images and subtitles only");
    const [id, medium] = this.#add(account, category, file.type, file.size);
    medium.file = checked(await this.#ledger.receive(file.stream(), file.type), category);
    return { data: { id, media_key: `3_${id}`, size: file.size, expires_after_secs: 86_400 } };
  }

  initialize(body: Record<string, unknown>, account: string): object {
    const { media_type, total_bytes, media_category } = body;
    if (typeof media_type !== "string" || typeof media_category !== "string" || !Number.isInteger(total_bytes))
      throw invalid("media_type, total_bytes and media_category are required");
    const [id] = this.#add(account, media_category, media_type, Number(total_bytes));
    return { data: { id, media_key: `13_${id}`, expires_after_secs: 1_295_999 } };
  }

  async append(c: Context<SimulatorEnv>, id: string, account: string): Promise<object> {
    const medium = this.find(id, account);
    const form = await c.req.formData();
    const index = Number(form.get("segment_index"));
    const segment = form.get("media");
    if (!Number.isInteger(index) || index < 0 || index >= SEGMENTS_MAX || !(segment instanceof File))
      throw invalid("segment_index (0-999) and media are required");
    const most = Math.max(
      this.#segmentBytes,
      Math.ceil(medium.totalBytes / SEGMENTS_MAX / this.#segmentBytes) * this.#segmentBytes,
    );
    if (segment.size > most) throw tooLarge();
    medium.segments.set(index, new Uint8Array(await segment.arrayBuffer()));
    return { data: { expires_at: Math.floor(Date.now() / 1000) + 86_400 } };
  }

  async finalize(id: string, account: string): Promise<object> {
    const medium = this.find(id, account);
    const segments = [...medium.segments.keys()]
      .sort((a, b) => a - b)
      .map((index) => medium.segments.get(index) ?? new Uint8Array());
    const received = await this.#ledger.receive(segments, medium.declaredType);
    if (received.bytes !== medium.totalBytes) throw invalid("Segments do not add up to provided total_bytes.");
    medium.segments.clear();
    medium.file = checked(received, medium.category);
    const working =
      medium.category === "tweet_image" ? {} : { processing_info: { state: "pending", check_after_secs: 1 } };
    return { data: { id, media_key: `13_${id}`, size: received.bytes, expires_after_secs: 86_400, ...working } };
  }

  status(id: string, account: string): object {
    const medium = this.find(id, account);
    if (medium.file === null) throw invalid("The upload is not finalized");
    const isDone = medium.polls++ > 0;
    const processing_info = isDone
      ? { state: "succeeded", progress_percent: 100 }
      : { state: "in_progress", check_after_secs: 1, progress_percent: 50 };
    return { data: { id, processing_info } };
  }

  describe(body: Record<string, unknown>, account: string): object {
    const medium = this.find(body.id, account);
    const { alt_text: alt, sensitive_media_warning: warning } = Object(body.metadata);
    if (alt === undefined && warning === undefined) throw invalid("metadata is empty");
    if (alt !== undefined) {
      const { text } = Object(alt);
      if (typeof text !== "string" || [...text].length > ALT_MAX) throw invalid("alt_text.text takes 1000 characters");
      medium.alt = text;
    }
    const flags = Object.entries(Object(warning));
    if (flags.some(([name, value]) => !WARNINGS.includes(name) || typeof value !== "boolean"))
      throw invalid("sensitive_media_warning takes adult_content, graphic_violence and other");
    medium.warnings = flags.flatMap(([name, value]) => (value === true ? [name] : []));
    return { data: { id: body.id } };
  }

  /** The files of a post: up to 4 photos, 1 GIF, or 1 video. All must be ready. */
  forPost(ids: unknown, account: string): LedgerMedia[] {
    if (!Array.isArray(ids) || ids.length < 1 || ids.length > 4) throw invalid("media_ids takes 1 to 4 items");
    const media = ids.map((id) => this.find(id, account));
    if (media.length > 1 && media.some(({ category }) => category !== "tweet_image"))
      throw invalid("You can only attach 1 video or GIF, alone");
    return media.map(({ file, alt, category, polls }) => {
      if (file === null || (category !== "tweet_image" && polls < 2)) throw invalid("Your media IDs are invalid.");
      return { ...file, alt };
    });
  }

  /** The warnings of the files of a post, each once. */
  warningsOf(ids: unknown): string[] {
    const media = Array.isArray(ids) ? ids.map((id) => this.#media.get(String(id))) : [];
    return [...new Set(media.flatMap((medium) => medium?.warnings ?? []))];
  }

  forget(account?: string): void {
    for (const [id, medium] of this.#media)
      if (account === undefined || medium.account === account) this.#media.delete(id);
  }
}

function checked(file: ReceivedFile, category: string): ReceivedFile {
  if (!TYPES[category]?.includes(file.type)) throw invalid(`media type ${file.type} is not taken as ${category}`);
  return file;
}
