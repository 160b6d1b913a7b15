// What somebody is writing stays in the browser until it is sent: closed tabs, ended sessions and lost networks take nothing.
import { type Draft, EMPTY } from "./draft.ts";

export interface Kept {
  draft: Draft;
  /** The revision that it began with, of a post that is edited. */
  rev?: number;
  /** The key of a try to send it, and what was tried: the same again is never a second post. */
  tried?: { key: string; body: string };
}

export function readKept(place: string): Kept | null {
  try {
    const kept: Partial<Kept> | null = JSON.parse(localStorage.getItem(place) ?? "null");
    return kept?.draft === undefined ? null : { ...kept, draft: { ...EMPTY, ...kept.draft } };
  } catch {
    return null;
  }
}

export function keep(place: string, kept: Kept): void {
  try {
    localStorage.setItem(place, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing: what is typed lives as long as the page.
  }
}

export const forget = (place: string): void => localStorage.removeItem(place);
