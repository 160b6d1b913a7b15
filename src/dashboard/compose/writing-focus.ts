// The focus of the editor: where a person writes next.
import { useEffect } from "react";

/** The field for the text that all channels share. */
export const SHARED_TEXT = "compose-text";
export const toTextId = (channel: string) => `${SHARED_TEXT}-${channel}`;

/** Whether typing needs no keyboard on the screen, which would cover the page. */
const hasKeyboard = () => matchMedia("(hover: hover) and (pointer: fine)").matches;

/** Moves the focus to a text once it is shown. */
export function focusText(id: string): void {
  if (!hasKeyboard()) return;
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

/**
 * Whether the person has not yet moved the focus into the page: it is on the heading, which gets it when a page opens, or in the
 * menu, whose link led here.
 */
function isFocusFree(): boolean {
  const focused = document.activeElement;
  if (focused === null || focused.tagName === "H1") return true;
  return focused.closest("main, dialog, [popover]") === null;
}

/** Lets the person type as soon as the editor is there. */
export function useFirstFocus(): void {
  useEffect(() => {
    // The page itself moves the focus to its heading first.
    requestAnimationFrame(() => {
      if (isFocusFree()) focusText(SHARED_TEXT);
    });
  }, []);
}
