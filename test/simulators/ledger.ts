// What the networks accepted, in the order of acceptance: the witness that tests compare with what Crier says.
import { createHash } from "node:crypto";

export interface LedgerMedia {
  bytes: number;
  type: string;
  alt: string | null;
  sha256: string;
}
export interface LedgerEntry {
  platform: string;
  account: string;
  /** The network's id of the post. */
  id: string;
  at_ms: number;
  text: string;
  media: LedgerMedia[];
  /** The handle under which a repeat would be recognised, where the network has one. */
  token: string | null;
  url: string | null;
  deleted: boolean;
  /** What only this network has: facets, cards, the order of an album. */
  detail: Record<string, unknown>;
}

const KEPT_BYTES_MAX = 64 * 1024 * 1024;

export class Ledger {
  #entries: LedgerEntry[] = [];
  readonly #files = new Map<string, { type: string; bytes: Uint8Array }>();
  #keptBytes = 0;

  /** Notes a publish. This comes before the answer is sent or dropped. */
  accept(entry: Omit<LedgerEntry, "at_ms" | "deleted">): void {
    this.#entries.push({ ...entry, at_ms: Date.now(), deleted: false });
  }

  list(filter: { platform?: string; account?: string } = {}): LedgerEntry[] {
    return this.#entries.filter(
      ({ platform, account }) => platform === (filter.platform ?? platform) && account === (filter.account ?? account),
    );
  }

  find(platform: string, id: string): LedgerEntry | undefined {
    return this.#entries.find((entry) => entry.platform === platform && entry.id === id);
  }

  forget(filter: { platform?: string; account?: string }): void {
    const gone = new Set(this.list(filter));
    this.#entries = this.#entries.filter((entry) => !gone.has(entry));
  }

  /** Describes a file and keeps its bytes for the page, the newest 64 MiB of them. */
  file(bytes: Uint8Array, type: string, alt: string | null): LedgerMedia {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (!this.#files.has(sha256) && bytes.byteLength <= KEPT_BYTES_MAX) {
      this.#files.set(sha256, { type, bytes });
      this.#keptBytes += bytes.byteLength;
      for (const [oldest, file] of this.#files) {
        if (this.#keptBytes <= KEPT_BYTES_MAX) break;
        this.#files.delete(oldest);
        this.#keptBytes -= file.bytes.byteLength;
      }
    }
    return { bytes: bytes.byteLength, type, alt, sha256 };
  }

  bytesOf(sha256: string): { type: string; bytes: Uint8Array } | undefined {
    return this.#files.get(sha256);
  }
}
