// The posts that the networks accepted, in order of acceptance. Tests compare the ledger with Crier's own records.
import { createHash } from "node:crypto";
import { SNIFF_BYTES, sniff } from "./sniff.ts";
import type { State } from "./state.ts";

/** A file that a network received, with its size and hash. */
export interface ReceivedFile {
  bytes: number;
  type: string;
  sha256: string;
}
export interface LedgerMedia extends ReceivedFile {
  alt: string | null;
}
export interface LedgerEntry {
  platform: string;
  account: string;
  /** The network's id of the post. */
  id: string;
  at_ms: number;
  text: string;
  media: LedgerMedia[];
  /** The publish key by which the network recognizes a repeated publish; null if it has no such key. */
  token: string | null;
  url: string | null;
  deleted: boolean;
  /** Details that only this network has: facets, cards, the order of an album. */
  detail: Record<string, unknown>;
  /** Details that the simulator's web page shows in addition to the text. */
  shown: Shown;
}
export interface Shown {
  /** Ranges of the text that are links, mentions or tags, by UTF-16 offsets, `end` exclusive. */
  marks: { start: number; end: number }[];
  card: { uri: string; title: string; description: string; thumbSha256: string | null } | null;
  /** Facts about the post that readers see, by label. */
  facts?: Record<string, string>;
  /** The SHA-256 of the cover image of its video. */
  cover?: string;
}

const KEPT_BYTES_MAX = 64 * 1024 * 1024;

export class Ledger {
  readonly #state: State;
  readonly #entries: LedgerEntry[];
  readonly #files = new Map<string, { type: string; bytes: Uint8Array<ArrayBuffer> }>();
  #keptBytes = 0;

  constructor(state: State) {
    this.#state = state;
    this.#entries = state.list("ledger");
    for (const [sha256, bytes] of state.files()) {
      this.#files.set(sha256, { type: sniff(bytes) ?? "application/octet-stream", bytes });
      this.#keptBytes += bytes.byteLength;
    }
  }

  /** Records a publish. This happens before the answer is sent or dropped. */
  accept(entry: Omit<LedgerEntry, "at_ms" | "deleted">): void {
    this.#entries.push({ ...entry, at_ms: Date.now(), deleted: false });
  }

  list(filter: { platform?: string; account?: string } = {}): LedgerEntry[] {
    return this.#entries.filter(
      ({ platform, account }) => platform === (filter.platform ?? platform) && account === (filter.account ?? account),
    );
  }

  /** The newest post with this id. Older posts may have had it too, because the id of a deleted post can be reused. */
  find(platform: string, id: string): LedgerEntry | undefined {
    return this.#entries.findLast((entry) => entry.platform === platform && entry.id === id);
  }

  /** Appends a later action on a published post to a list in its details. */
  append(platform: string, id: string, name: string, value: unknown): void {
    const entry = this.find(platform, id);
    if (entry === undefined) return;
    const before = entry.detail[name];
    entry.detail = { ...entry.detail, [name]: [...(Array.isArray(before) ? before : []), value] };
  }

  /** Replaces the text of a post. Its details keep the earlier texts, and its page says that it was edited. */
  edit(platform: string, id: string, text: string, marks: Shown["marks"], detail: LedgerEntry["detail"] = {}): void {
    const entry = this.find(platform, id);
    if (entry === undefined) return;
    this.append(platform, id, "earlier_texts", entry.text);
    if (entry.detail.edited !== true) this.append(platform, id, "notes", "Edited");
    entry.detail = { ...entry.detail, ...detail, edited: true };
    entry.text = text;
    entry.shown = { ...entry.shown, marks };
  }

  forget(filter: { platform?: string; account?: string }): void {
    const removedEntries = new Set(this.list(filter));
    const remainingEntries = this.#entries.filter((entry) => !removedEntries.has(entry));
    this.#entries.length = 0;
    for (const entry of remainingEntries) this.#entries.push(entry);
    if (this.#entries.length > 0) return;
    for (const sha256 of this.#files.keys()) this.#state.dropFile(sha256);
    this.#files.clear();
    this.#keptBytes = 0;
  }

  /** Counts and hashes a file in memory. */
  keep(bytes: Uint8Array<ArrayBuffer>, declaredType: string): ReceivedFile {
    const type = sniff(bytes) ?? declaredType;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    this.#remember(sha256, type, bytes);
    return { bytes: bytes.byteLength, type, sha256 };
  }

  /** Counts and hashes a file as it streams in. A file too large to be shown is never held in memory. */
  async receive(
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null,
    declaredType: string,
  ): Promise<ReceivedFile> {
    const hash = createHash("sha256");
    let chunks: Uint8Array[] = [];
    let head = Buffer.alloc(0);
    let length = 0;
    for await (const chunk of body ?? []) {
      hash.update(chunk);
      length += chunk.byteLength;
      if (head.byteLength < SNIFF_BYTES) head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES)]);
      if (length <= KEPT_BYTES_MAX) chunks.push(chunk);
      else chunks = [];
    }
    const type = sniff(head) ?? declaredType;
    const sha256 = hash.digest("hex");
    if (length <= KEPT_BYTES_MAX) this.#remember(sha256, type, new Uint8Array(Buffer.concat(chunks)));
    return { bytes: length, type, sha256 };
  }

  bytesOf(sha256: string): { type: string; bytes: Uint8Array<ArrayBuffer> } | undefined {
    return this.#files.get(sha256);
  }

  /** Keeps files for the simulator's web page to show. Drops the oldest once they exceed 64 MiB together. */
  #remember(sha256: string, type: string, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#files.has(sha256) || bytes.byteLength > KEPT_BYTES_MAX) return;
    this.#files.set(sha256, { type, bytes });
    this.#keptBytes += bytes.byteLength;
    this.#state.keepFile(sha256, bytes);
    for (const [oldest, file] of this.#files) {
      if (this.#keptBytes <= KEPT_BYTES_MAX) break;
      this.#files.delete(oldest);
      this.#state.dropFile(oldest);
      this.#keptBytes -= file.bytes.byteLength;
    }
  }
}
