// Drafts stay in the browser until they are sent, so closed tabs, ended sessions and lost connections lose nothing.
import { type Draft, EMPTY } from "./draft.ts";

export interface Kept {
  draft: Draft;
  /** For an edited post, the revision that the draft is based on. */
  rev?: number;
  /** The idempotency key and the body of an attempt to send it. Sending the same body again never creates a second post. */
  tried?: { key: string; body: string };
}

export function readKept(place: string): Kept | null {
  try {
    const entry: Partial<Kept> | null = JSON.parse(localStorage.getItem(place) ?? "null");
    return entry?.draft === undefined ? null : { ...entry, draft: { ...EMPTY, ...entry.draft } };
  } catch {
    return null;
  }
}

export function keep(place: string, entry: Kept): void {
  try {
    localStorage.setItem(place, JSON.stringify(entry));
  } catch {
    // If browser storage is unavailable, the text lives as long as the page.
  }
}

export const forget = (place: string): void => localStorage.removeItem(place);
