// The bell of the frame. Its clapper swings once when a post goes live.
import { useEffect, useRef, useState } from "react";
import { BELL } from "../../identity/bell.ts";

const listeners = new Set<() => void>();

/** Lets the bell swing once. */
export function ringBell(): void {
  for (const listener of listeners) listener();
}

/** Rings the bell when the number of live deliveries of a post grows while its page is open. `live`: null until it is known. */
export function useRingWhenLive(live: number | null): void {
  const counted = useRef<number | null>(null);
  useEffect(() => {
    if (live !== null && counted.current !== null && live > counted.current) ringBell();
    counted.current = live;
  }, [live]);
}

export function Bell() {
  const [isRinging, setRinging] = useState(false);
  useEffect(() => {
    const ring = () => setRinging(true);
    listeners.add(ring);
    return () => {
      listeners.delete(ring);
    };
  }, []);
  return (
    <svg
      className="bell"
      viewBox="0 0 32 32"
      aria-hidden="true"
      data-ringing={isRinging ? "" : undefined}
      onAnimationEnd={() => setRinging(false)}
    >
      <g transform={BELL.tilt}>
        <path className="clapper" d={BELL.clapper} />
        <path d={BELL.handle} />
        <path d={BELL.body} />
      </g>
    </svg>
  );
}
