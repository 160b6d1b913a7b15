// Files at public addresses, for networks that fetch them there. An address that nobody put here is fetched for real.
import type { Ledger, ReceivedFile } from "./ledger.ts";

export interface Fetched extends ReceivedFile {
  /** The whole file. */
  content: Uint8Array<ArrayBuffer>;
  /** What the address called it. */
  declaredType: string;
}

export class PublicFiles {
  /** null: nothing is found there any more. */
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

  /** The file at an address as a network's crawler gets it; null when it gets none. */
  async download(url: string): Promise<Fetched | null> {
    // The address of a file that was put here may say in its query which content is meant.
    const put = this.#files.get(this.#files.has(url) ? url : (url.split("?")[0] ?? url));
    if (put === null) return null;
    const { bytes, type } = put ?? (await fetchWhole(url)) ?? {};
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
