// Keeps the focus on a post that is rendered elsewhere: on another day, or behind the button for posts that do not fit.
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { isFocusFree } from "../ui/kept-focus.ts";

/** Checks the focus whenever `drawn` or `covered` (a dialog is open) changes. */
export function useKeptFocus(
  root: RefObject<HTMLElement | null>,
  drawn: unknown,
  covered: boolean,
  dayOf: DayOf,
): void {
  const last = useRef<string | null>(null);
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const came = ({ target }: FocusEvent) => {
      last.current = target instanceof HTMLElement ? (target.dataset.id ?? null) : null;
    };
    const went = ({ target, relatedTarget }: FocusEvent) => {
      // The user pressed an empty area. A removed post also loses its focus to nothing.
      if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
      setTimeout(() => {
        if (target.isConnected && document.activeElement !== target) last.current = null;
      });
    };
    element.addEventListener("focusin", came);
    element.addEventListener("focusout", went);
    return () => {
      element.removeEventListener("focusin", came);
      element.removeEventListener("focusout", went);
    };
  }, [root]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when these change.
  useLayoutEffect(() => {
    const id = last.current;
    if (covered || id === null || !isFocusFree()) return;
    const find = (selector: string) => root.current?.querySelector<HTMLElement>(selector);
    const entry = find(`[data-id="${id}"]`) ?? find(`[data-more="${dayOf(id)}"]`);
    entry?.focus({ preventScroll: true });
  }, [drawn, covered]);
}

type DayOf = (id: string) => string | undefined;
