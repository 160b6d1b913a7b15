// Files at public addresses, for networks that fetch them. Addresses without a stored file are fetched for real.
import type { Ledger, ReceivedFile } from "./ledger.ts";

export interface Fetched extends ReceivedFile {
  /** The whole file. */
  content: Uint8Array<ArrayBuffer>;
  /** The type declared by the server. */
  declaredType: string;
}

export class PublicFiles {
  /** null: the file was removed. */
  readonly #files = new Map<string, { bytes: Uint8Array<ArrayBuffer>; type: string } | null>();
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  put(url: string, type: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#files.set(url, { bytes, type });
  }

  remove(url: string): void {
    this.#files.set(url, null);
  }

  /** The file at an address as a network's crawler gets it; null if it gets none. */
  async download(url: string): Promise<Fetched | null> {
    // The address of a stored file may have a query that names the content.
    const uploadedFile = this.#files.get(this.#files.has(url) ? url : (url.split("?")[0] ?? url));
    if (uploadedFile === null) return null;
    const { bytes, type } = uploadedFile ?? (await fetchWhole(url)) ?? {};
    if (bytes === undefined || type === undefined) return null;
    return { ...this.#ledger.keep(bytes, type), content: bytes, declaredType: type };
  }
}

async function fetchWhole(url: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string } | null> {
  if (!URL.canParse(url)) return null;
  try {
    const response = await fetch(url, { redirect: "follow" });
    if (!response.ok) return null;
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    return { bytes: new Uint8Array(await response.arrayBuffer()), type };
  } catch {
    return null;
  }
}
