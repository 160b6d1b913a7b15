// The facts that a file's own headers state, and how parts of the file are read.

/** The facts from the headers; null for a fact that they do not state. */
export interface FileFacts {
  /** Pixels as shown, after the rotation that the file asks for. */
  width: number | null;
  height: number | null;
  seconds: number | null;
}

export const NO_FACTS: FileFacts = { width: null, height: null, seconds: null };

/** Reads `length` bytes starting at `offset`. The range is inside the file, so a shorter result means a failed read. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;
