// Files that go up part by part.
import { type MediaFile, MediaUnavailable } from "../network.ts";

/** Whether a file can be read in parts: one at an address of somebody's may only be had whole. */
export async function opensInParts(file: MediaFile): Promise<boolean> {
  try {
    await (await file.open({ offset: 0, length: 1 })).cancel();
    return true;
  } catch (error) {
    if (error instanceof MediaUnavailable) return false;
    throw error;
  }
}
