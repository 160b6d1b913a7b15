// Shows why a post could not be dropped, at the place where the user dropped it.
import { useEffect, useLayoutEffect, useRef } from "react";
import type { Point } from "./dragging.ts";

const MARGIN_PX = 8;

/** The message disappears on the next press, on Escape and on scrolling. */
export function DropRefusal({ point, words, onClose }: { point: Point; words: string; onClose(): void }) {
  const bubble = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bubble.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    const leftPx = Math.min(point.x + MARGIN_PX, innerWidth - width - MARGIN_PX);
    const top = Math.min(point.y + MARGIN_PX, innerHeight - height - MARGIN_PX);
    element.style.left = `${Math.max(MARGIN_PX, leftPx)}px`;
    element.style.top = `${Math.max(MARGIN_PX, top)}px`;
  }, [point]);
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    const close = () => onClose();
    window.addEventListener("pointerdown", close, { signal });
    window.addEventListener("scroll", close, { signal });
    window.addEventListener("keydown", (event) => event.key === "Escape" && close(), { signal });
    return () => closing.abort();
  }, [onClose]);
  return (
    <div ref={bubble} className="drop-refusal alert" role="alert">
      {words}
    </div>
  );
}
