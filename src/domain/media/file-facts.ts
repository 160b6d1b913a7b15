// The facts of a file that its own headers tell, and how the parts of it are read.

/** What the headers say; null where they do not. */
export interface FileFacts {
  /** Pixels as shown: turned as the file says. */
  width: number | null;
  height: number | null;
  seconds: number | null;
}

export const NO_FACTS: FileFacts = { width: null, height: null, seconds: null };

/** Reads `length` bytes from `offset` on, both inside the file. Fewer bytes mean that this part cannot be had. */
export type ReadPart = (offset: number, length: number) => Promise<Uint8Array>;
